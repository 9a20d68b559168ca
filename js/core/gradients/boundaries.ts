// The magnitudes at which the class of a rounded gradient changes. The twin of mixwidgets/floats/gradients/boundaries.py,
// which gives the reasons.

import type { FloatFormat } from "../formats/float_format.ts";
import { divide, floorLog2, multiply, power, rational, subtract, type Rational } from "../formats/rational.ts";

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
  const halves = rational(2n * (format.smallestCode + format.codeOffset) - 1n);
  const flushed = format.hasZero ? place(multiply(halves, halfUlp), format.smallestCode % 2n === 1n) : NOTHING_BELOW;
  const places: Boundaries = [
    flushed,
    format.hasSubnormals ? place(subtract(power(2n, format.emin), halfUlp), false) : flushed,
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

/** log2 of a place's magnitude, for drawing. */
export function log2Of({ exponent, fraction }: Place): number {
  return exponent + Math.log2(1 + fraction / BINADE);
}
