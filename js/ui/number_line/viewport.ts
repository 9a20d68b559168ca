// The visible part of a number line, and the values of a format in it: single ones where they are far enough apart, else
// bands of equal density. All values are rational, so that neighbours in float64 can be distinguished. No DOM.

import { exact, ulp } from "#core/formats/decode.ts";
import { roundMagnitude } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import {
  add, compare, divide, floorLog2, multiply, nearestMultiple, negate, power, rational, subtract, toNumber, type Rational,
} from "#core/formats/rational.ts";
import { clamp } from "#core/range.ts";

/** `width` pixels around `centre`; `level` is its zoom, in quarters of a doubling of value per pixel. */
export interface Viewport {
  readonly centre: Rational;
  readonly level: number;
  readonly width: number;
}

/** Levels to which zooming is held: from a 2^-24th of float64's smallest subnormal to its whole range, a pixel. */
const FINEST = -4 * 1098;
const COARSEST = 4 * 1018;
const QUARTERS = [16n, 19n, 23n, 27n]; // in sixteenths: exact, and close to 2^(0/4) … 2^(3/4)
const GRID = 64n; // the centre is a multiple of 1/64 pixel, so that it has few digits

/** The value that one pixel spans. */
export function unitOf(level: number): Rational {
  const doublings = Math.floor(level / 4);
  return multiply(rational(QUARTERS[level - 4 * doublings]!, 16n), power(2n, doublings));
}

/** The finest level at which a pixel spans at least `unit`. */
function levelOf(unit: Rational): number {
  const doublings = floorLog2(unit);
  const quarter = QUARTERS.findIndex((_, i) => compare(unitOf(4 * doublings + i), unit) >= 0);
  return held(4 * doublings + (quarter < 0 ? 4 : quarter));
}

const held = (level: number): number => clamp(level, FINEST, COARSEST);

/** A view in which `gap` (positive) spans `share` of the width. */
export function viewportOf(centre: Rational, gap: Rational, share: number, width: number): Viewport {
  const pixels = BigInt(Math.max(1, Math.round(share * width)));
  return snapped(centre, levelOf(divide(gap, rational(pixels))), width);
}

/** The position of a value, in pixels from the left; exact to far below a pixel inside the view. */
export function pixelOf(view: Viewport, x: Rational): number {
  return view.width / 2 + toNumber(divide(subtract(x, view.centre), unitOf(view.level)));
}

/** The value at a pixel. */
export function valueAt(view: Viewport, pixel: number): Rational {
  const from = rational(BigInt(Math.round((pixel - view.width / 2) * 64)), GRID);
  return add(view.centre, multiply(from, unitOf(view.level)));
}

/** The values at both ends. */
export function endsOf(view: Viewport): readonly [Rational, Rational] {
  return [valueAt(view, 0), valueAt(view, view.width)];
}

/** The viewport moved by some pixels, to the right if positive. */
export function panned(view: Viewport, pixels: number): Viewport {
  return snapped(valueAt(view, view.width / 2 + pixels), view.level, view.width);
}

/** The viewport zoomed by some quarters of a doubling, out if positive; the value at `pixel` stays there. */
export function zoomed(view: Viewport, steps: number, pixel: number): Viewport {
  const level = held(view.level + steps);
  if (level === view.level) return view;
  const fixed = valueAt(view, pixel);
  const ratio = divide(unitOf(level), unitOf(view.level));
  return snapped(add(fixed, multiply(subtract(view.centre, fixed), ratio)), level, view.width);
}

/** Whether a value lies within the viewport. */
export function contains(view: Viewport, x: Rational): boolean {
  const [low, high] = endsOf(view);
  return compare(x, low) >= 0 && compare(x, high) <= 0;
}

function snapped(centre: Rational, level: number, width: number): Viewport {
  return { centre: nearestMultiple(centre, divide(unitOf(level), rational(GRID))), level, width };
}

/** Pixels between ticks below which they are drawn as a band. */
export const APART = 3;

/** A value of the format in view. */
interface Tick {
  readonly x: number;
  readonly value: Rational;
  readonly code: bigint;
}

/** A range of values closer than three pixels. `gap`: their distance in pixels, 0 for a range of many binades. */
interface Band {
  readonly from: number;
  readonly to: number;
  readonly gap: number;
}

/** The part of a format that a view shows. */
export interface Row {
  readonly fmt: FloatFormat;
  readonly view: Viewport;
  readonly ticks: readonly Tick[];
  readonly bands: readonly Band[];
  /** Where the finite range starts and ends, in pixels, clipped to the view; null where none of it is in view. */
  readonly range: readonly [number, number] | null;
  /** How many finite values lie in the view; the two zeros count as one. */
  readonly count: bigint;
}

const ZERO = rational(0n);

/** The greatest finite value. */
export function largest(fmt: FloatFormat): Rational {
  return exact(fmt, fmt.maxCode);
}

export function rowOf(fmt: FloatFormat, view: Viewport): Row {
  const [left, right] = endsOf(view);
  const lowest = fmt.signed ? negate(largest(fmt)) : exact(fmt, 0n);
  const low = compare(left, lowest) > 0 ? left : lowest;
  const high = compare(right, largest(fmt)) < 0 ? right : largest(fmt);
  if (compare(low, high) > 0) return { fmt, view, ticks: [], bands: [], range: null, count: 0n };
  const halves = [];
  if (low.numerator < 0n) halves.push(halfOf(fmt, view, high.numerator < 0n ? negate(high) : ZERO, negate(low), true));
  if (high.numerator > 0n) halves.push(halfOf(fmt, view, low.numerator > 0n ? low : ZERO, high, false));
  if (fmt.hasZero && low.numerator <= 0n && high.numerator >= 0n) {
    halves.push({ ticks: [{ x: pixelOf(view, ZERO), value: ZERO, code: 0n }], bands: [], count: 1n });
  }
  return {
    fmt,
    view,
    ticks: halves.flatMap(({ ticks }) => ticks).sort((a, b) => a.x - b.x),
    bands: joined(halves.flatMap(({ bands }) => bands)),
    range: [pixelOf(view, low), pixelOf(view, high)],
    count: halves.reduce((sum, { count }) => sum + count, 0n),
  };
}

/** The values of one sign with magnitudes from `low` to `high`, without zero. */
function halfOf(fmt: FloatFormat, view: Viewport, low: Rational, high: Rational, negative: boolean): Pick<Row, "ticks" | "bands" | "count"> {
  const valueOf = (code: bigint) => (negative ? negate(fmt.magnitude(code)) : fmt.magnitude(code));
  const bandOf = (first: bigint, last: bigint, gap: number) => {
    const next = last < fmt.maxCode ? last + 1n : last; // a band goes on to where the next value stands
    const ends = [first, next].map((code) => pixelOf(view, valueOf(code)));
    return { from: Math.min(...ends), to: Math.max(...ends), gap };
  };
  const ticks: Tick[] = [];
  const bands: Band[] = [];
  const width = BigInt(fmt.fractionBits);
  const unit = unitOf(view.level);
  const [bottom, top] = [firstFrom(fmt, low), lastUpTo(fmt, high)];
  // Binade after binade, from the outermost in view towards zero.
  for (let last = top; last >= bottom; ) {
    if (toNumber(divide(fmt.magnitude(last), unit)) < APART) {
      bands.push(bandOf(bottom, last, 0)); // what is left is a few pixels wide
      break;
    }
    const start = (last >> width) << width;
    const first = start > bottom ? start : bottom;
    const gap = toNumber(divide(ulp(fmt, last), unit));
    if (gap < APART) bands.push(bandOf(first, last, gap));
    else {
      for (let code = last; code >= first; code -= 1n) {
        const value = valueOf(code);
        ticks.push({ x: pixelOf(view, value), value, code: negative ? fmt.signBit | code : code });
      }
    }
    last = first - 1n;
  }
  return { ticks, bands, count: top < bottom ? 0n : top - bottom + 1n };
}

/** The magnitude code of the greatest value ≤ `x`; −1 if there is none. */
function lastUpTo(fmt: FloatFormat, x: Rational): bigint {
  const code = roundMagnitude(fmt, x, "toward-zero");
  return compare(fmt.magnitude(code), x) > 0 ? -1n : code;
}

/** The magnitude code of the least value ≥ `x`, without zero. */
function firstFrom(fmt: FloatFormat, x: Rational): bigint {
  const below = lastUpTo(fmt, x);
  const isValue = below >= 0n && compare(fmt.magnitude(below), x) === 0;
  return isValue && !(below === 0n && fmt.hasZero) ? below : below + 1n;
}

/** Bands from left to right; adjacent ones of equal density are merged. */
function joined(bands: readonly Band[]): Band[] {
  const all: Band[] = [];
  for (const band of [...bands].sort((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && last.gap === band.gap && band.from - last.to < 0.5) all[all.length - 1] = { ...last, to: band.to };
    else all.push(band);
  }
  return all;
}
