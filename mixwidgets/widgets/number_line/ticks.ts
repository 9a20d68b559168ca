// Which values of a format lie in a view: one by one where they stand apart, else as stretches of one density.

import {
  add, compare, divide, floorLog2, magnitudeOf, multiply, negate, power, rational, toNumber, type Rational,
} from "#core/formats/rational.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { exact } from "#core/formats/decode.ts";
import { endsOf, pixelOf, unitOf, type View } from "./view.ts";

/** Pixels between ticks below which they are drawn as a band. */
export const APART = 3;

/** A value of the format in sight. */
export interface Tick {
  readonly x: number;
  readonly value: Rational;
  readonly code: bigint;
}

/** A stretch whose values stand closer than three pixels; `gap` in pixels, 0 where a whole stretch of binades is. */
export interface Band {
  readonly from: number;
  readonly to: number;
  readonly gap: number;
}

export interface Row {
  readonly ticks: readonly Tick[];
  readonly bands: readonly Band[];
  /** Where the finite range starts and ends, in pixels, clipped to the view; null where none of it is in sight. */
  readonly range: readonly [number, number] | null;
  /** How many finite values lie in the view; the two zeros count as one. */
  readonly count: bigint;
}

const NONE = rational(0n);

/** The greatest finite value. */
export function largest(fmt: FloatFormat): Rational {
  return exact(fmt, fmt.maxCode);
}

/** The least finite value. */
function lowest(fmt: FloatFormat): Rational {
  return fmt.signed ? negate(largest(fmt)) : exact(fmt, 0n);
}

/** What a view shows of a format. */
export function rowOf(fmt: FloatFormat, view: View): Row {
  const [left, right] = endsOf(view);
  const low = compare(left, lowest(fmt)) > 0 ? left : lowest(fmt);
  const high = compare(right, largest(fmt)) < 0 ? right : largest(fmt);
  if (compare(low, high) > 0) return { ticks: [], bands: [], range: null, count: 0n };
  const ticks: Tick[] = [];
  const bands: Band[] = [];
  if (low.numerator < 0n) walk(fmt, view, high.numerator < 0n ? negate(high) : NONE, negate(low), true, ticks, bands);
  if (fmt.hasZero && low.numerator <= 0n && high.numerator >= 0n) {
    ticks.push({ x: pixelOf(view, NONE), value: NONE, code: 0n });
  }
  if (high.numerator > 0n) walk(fmt, view, low.numerator > 0n ? low : NONE, high, false, ticks, bands);
  return {
    ticks: ticks.sort((a, b) => a.x - b.x),
    bands: joined(bands),
    range: [pixelOf(view, low), pixelOf(view, high)],
    count: countIn(fmt, low, high),
  };
}

/** Binade after binade, from the outermost in sight towards zero; `low` and `high` are magnitudes. */
function walk(
  fmt: FloatFormat, view: View, low: Rational, high: Rational, negative: boolean, ticks: Tick[], bands: Band[],
): void {
  const place = (magnitude: Rational) => pixelOf(view, negative ? negate(magnitude) : magnitude);
  const sign = negative ? fmt.signBit : 0n;
  const unit = unitOf(view.level);
  const floor = lowestMagnitude(fmt);
  let top = high;
  while (top.numerator > 0n && compare(top, floor) >= 0) {
    const exponent = Math.max(floorLog2(top), fmt.emin);
    const subnormal = fmt.hasZero && exponent === fmt.emin && compare(top, power(2n, exponent)) < 0;
    const start = subnormal ? NONE : power(2n, exponent);
    const bottom = compare(start, low) > 0 ? start : low;
    const quantum = power(2n, exponent - fmt.fractionBits);
    const gap = toNumber(divide(quantum, unit));
    if (toNumber(divide(power(2n, exponent + 1), unit)) < 2 * APART) {
      bands.push(stretch(place(low), place(top), 0)); // what is left towards zero is a few pixels wide
      return;
    }
    if (gap < APART) {
      bands.push(stretch(place(bottom), place(top), gap));
    } else {
      const whole = divide(top, quantum);
      let k = whole.numerator / whole.denominator;
      for (; k > 0n; k -= 1n) {
        const magnitude = multiply(rational(k), quantum);
        if (compare(magnitude, bottom) < 0) break;
        const code = codeOf(fmt, exponent, k);
        ticks.push({ x: place(magnitude), value: negative ? negate(magnitude) : magnitude, code: sign | code });
      }
    }
    if (compare(start, low) <= 0) return;
    // The next binade down ends just below this one's start, at its own last value.
    const below = power(2n, exponent > fmt.emin || !fmt.hasZero ? exponent - 1 - fmt.fractionBits : fmt.emin - fmt.fractionBits);
    const next = add(start, negate(below));
    if (gap < APART) bands.push(stretch(place(next), place(start), gap / 2));
    top = next;
  }
}

function stretch(a: number, b: number, gap: number): Band {
  return { from: Math.min(a, b), to: Math.max(a, b), gap };
}

/** Bands from left to right, those of one density that touch made one. */
function joined(bands: readonly Band[]): Band[] {
  const all: Band[] = [];
  for (const band of [...bands].sort((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && last.gap === band.gap && band.from - last.to < 0.5) all[all.length - 1] = { ...last, to: band.to };
    else all.push(band);
  }
  return all;
}

/** The code of k × 2^(exponent − t). */
function codeOf(fmt: FloatFormat, exponent: number, k: bigint): bigint {
  const hidden = fmt.hasZero ? 0n : 1n << BigInt(fmt.fractionBits);
  return (BigInt(exponent - fmt.emin) << BigInt(fmt.fractionBits)) + k - hidden;
}

function lowestMagnitude(fmt: FloatFormat): Rational {
  return exact(fmt, fmt.hasZero ? 1n : 0n);
}

/** How many finite values lie from `low` to `high`, both within the range; −0 and 0 are one value. */
function countIn(fmt: FloatFormat, low: Rational, high: Rational): bigint {
  const [below, above] = [magnitudeOf(low), magnitudeOf(high)];
  if (low.numerator > 0n) return upTo(fmt, above) - upTo(fmt, below) + (isValue(fmt, below) ? 1n : 0n);
  if (high.numerator < 0n) return upTo(fmt, below) - upTo(fmt, above) + (isValue(fmt, above) ? 1n : 0n);
  return upTo(fmt, above) + (fmt.signed ? upTo(fmt, below) : 0n) + (fmt.hasZero ? 1n : 0n);
}

/** How many values lie above 0 and up to a magnitude. */
function upTo(fmt: FloatFormat, magnitude: Rational): bigint {
  if (compare(magnitude, lowestMagnitude(fmt)) < 0) return 0n;
  const exponent = Math.max(floorLog2(magnitude), fmt.emin);
  const scaled = divide(magnitude, power(2n, exponent - fmt.fractionBits));
  return codeOf(fmt, exponent, scaled.numerator / scaled.denominator) + (fmt.hasZero ? 0n : 1n);
}

function isValue(fmt: FloatFormat, magnitude: Rational): boolean {
  const exponent = Math.max(floorLog2(magnitude), fmt.emin);
  const { numerator, denominator } = divide(magnitude, power(2n, exponent - fmt.fractionBits));
  return numerator % denominator === 0n;
}
