// The magnitudes at which the class of a rounded gradient changes. The twin of mixwidgets/floats/gradients/boundaries.py,
// which gives the reasons.

import type { FloatFormat } from "../formats/float_format.ts";
import { divide, floorLog2, power, rational, subtract, type Rational } from "../formats/rational.ts";

const FRACTION_BITS = 52;
/** The width of a binade, in units of 2^-52 of its lower end. */
export const BINADE = 2 ** FRACTION_BITS;

/** The magnitude 2^exponent × (1 + fraction / 2^52). */
export interface Place {
  readonly exponent: number;
  /** 0 … 2^52; 2^52 is the end of the binade. */
  readonly fraction: number;
}

/** The classes of a finite non-zero gradient after rounding, in order of magnitude. */
export const CLASSES = ["flushed", "subnormal", "normal", "overflow"] as const;
export type Class = (typeof CLASSES)[number];

type Boundaries = readonly [Place, Place, Place];

const NOTHING_BELOW: Place = { exponent: -(2 ** 15), fraction: 0 };

const computed = new WeakMap<FloatFormat, Boundaries>();

/** The least places, after scaling, that are no longer flushed, subnormal or finite in a signed format. */
export function boundaries(format: FloatFormat): Boundaries {
  const known = computed.get(format);
  if (known) return known;
  const halfUlp = power(2n, format.emin - format.fractionBits - 1);
  const flushed = format.hasZero ? place(halfUlp, true) : NOTHING_BELOW; // the tie goes to zero, the even code
  const subnormal = place(subtract(power(2n, format.emin), halfUlp), false);
  const places: Boundaries = [
    flushed,
    // Without fraction bits there are no subnormals.
    !format.hasZero || isBelow(subnormal, flushed) ? flushed : subnormal,
    place(format.overflowThreshold, format.overflowTieStays),
  ];
  computed.set(format, places);
  return places;
}

/** The least place at or above a magnitude; strictly above if that magnitude, a tie, rounds down. */
function place(magnitude: Rational, tieRoundsDown: boolean): Place {
  const exponent = floorLog2(magnitude);
  const { numerator, denominator } = subtract(divide(magnitude, power(2n, exponent)), rational(1n));
  const scaled = numerator * BigInt(BINADE);
  const whole = scaled / denominator;
  const onGrid = whole * denominator === scaled;
  return { exponent, fraction: Number(tieRoundsDown || !onGrid ? whole + 1n : whole) };
}

function isBelow(a: Place, b: Place): boolean {
  return a.exponent < b.exponent || (a.exponent === b.exponent && a.fraction < b.fraction);
}

/** log2 of a place's magnitude, for drawing. */
export function log2Of({ exponent, fraction }: Place): number {
  return exponent + Math.log2(1 + fraction / BINADE);
}
