// Where rounding into a format changes its answer. The twin of mixwidgets/gradients/boundaries.py, which says why.

import type { FloatFormat } from "../formats/float_format.ts";
import { compare, divide, floorLog2, power, rational, subtract, type Rational } from "../formats/rational.ts";

const FRACTION_BITS = 52;
/** A whole binade, in units of 2^-52 of its lower end. */
export const BINADE = 2 ** FRACTION_BITS;

/** The magnitude 2^exponent × (1 + fraction / 2^52). */
export interface Place {
  readonly exponent: number;
  /** 0 … 2^52; the last is the binade's end. */
  readonly fraction: number;
}

/** What becomes of a finite non-zero gradient, in order of magnitude. */
export const CLASSES = ["flushed", "subnormal", "normal", "overflow"] as const;
export type Class = (typeof CLASSES)[number];

type Boundaries = readonly [Place, Place, Place];

const known = new WeakMap<FloatFormat, Boundaries>();

/** The least places, of magnitudes after scaling, that are no longer flushed, subnormal, finite; of a signed format. */
export function boundaries(format: FloatFormat): Boundaries {
  const found = known.get(format);
  if (found) return found;
  const halfUlp = power(2n, format.emin - format.fractionBits - 1);
  const flushed = place(halfUlp, true); // this tie goes to zero, the even code
  const subnormal = place(subtract(power(2n, format.emin), halfUlp), false);
  const places: Boundaries = [
    flushed,
    isBelow(subnormal, flushed) ? flushed : subnormal, // without a fraction bit nothing is subnormal
    place(format.overflowThreshold, format.overflowTieStays),
  ];
  known.set(format, places);
  return places;
}

/** The least place at or above a magnitude; above it when the tie itself belongs below. */
function place(magnitude: Rational, tieBelow: boolean): Place {
  const exponent = floorLog2(magnitude);
  const { numerator, denominator } = subtract(divide(magnitude, power(2n, exponent)), rational(1n));
  const scaled = numerator * BigInt(BINADE);
  const whole = scaled / denominator;
  const onGrid = compare(rational(scaled, denominator), rational(whole)) === 0;
  return { exponent, fraction: Number(tieBelow || !onGrid ? whole + 1n : whole) };
}

function isBelow(a: Place, b: Place): boolean {
  return a.exponent < b.exponent || (a.exponent === b.exponent && a.fraction < b.fraction);
}

/** log2 of a place's magnitude, for drawing. */
export function log2Of({ exponent, fraction }: Place): number {
  return exponent + Math.log2(1 + fraction / BINADE);
}
