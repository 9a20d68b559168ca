// The values of a format in a view: single ones where they are far enough apart, else bands of equal density.

import { exact, ulp } from "#core/formats/decode.ts";
import { roundMagnitude } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { compare, divide, negate, rational, toNumber, type Rational } from "#core/formats/rational.ts";
import { endsOf, pixelOf, unitOf, type Viewport } from "./viewport.ts";

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
