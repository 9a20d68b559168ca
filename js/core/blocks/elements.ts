// The formats of a block's elements: float formats, signed integers, and tables of values such as NF4. The twin of
// mixwidgets/floats/formats/elements.py.

import type { FloatFormat } from "../formats/float_format.ts";
import { rational, toNumber, type Rational } from "../formats/rational.ts";
import { exactOf } from "../formats/decode.ts";

export interface ElementFormat {
  readonly name: string;
  /** Width of a code. */
  readonly bits: number;
  /** Of a float format's fraction, or after the binary point of an integer; null for a table of values. */
  readonly fractionBits: number | null;
  /** Largest value. */
  readonly max: Rational;
  /** Halfway from the largest value to the one that would come next. */
  readonly overflowThreshold: number;
  /** Whether the threshold itself, a tie, rounds to the largest value. */
  readonly overflowTieStays: boolean;
  /** All values, increasing, each once. */
  readonly values: readonly number[];
  /** The code of a value, rounded once, ties to even; beyond the largest and the smallest it saturates. */
  encode(value: number): number;
  decode(code: number): number;
}

export function floatElement(fmt: FloatFormat): ElementFormat {
  const magnitudes = Array.from({ length: Number(fmt.maxCode) + 1 }, (_, code) => toNumber(fmt.magnitude(BigInt(code))));
  const sign = Number(fmt.signBit);
  const nearest = nearestOf(magnitudes);
  return {
    name: fmt.name,
    bits: fmt.bits,
    fractionBits: fmt.fractionBits,
    max: fmt.magnitude(fmt.maxCode),
    overflowThreshold: toNumber(fmt.overflowThreshold),
    overflowTieStays: fmt.overflowTieStays,
    values: mirrored(magnitudes),
    encode: (value) => nearest(Math.abs(value)) + (value < 0 || Object.is(value, -0) ? sign : 0),
    decode: (code) => (code < sign ? magnitudes[code]! : -magnitudes[code - sign]!),
  };
}

/** Two's-complement integers over 2^fractionBits. Encoding is symmetric: it never gives the single code below −max. */
export function fixedPoint(name: string, bits: number, fractionBits: number): ElementFormat {
  const top = 2 ** (bits - 1); // codes from here on are negative
  const unit = 2 ** -fractionBits;
  const magnitudes = Array.from({ length: top }, (_, quanta) => quanta * unit);
  const nearest = nearestOf(magnitudes);
  return {
    name, bits, fractionBits,
    max: rational(BigInt(top - 1), 1n << BigInt(fractionBits)),
    overflowThreshold: (top - 0.5) * unit,
    overflowTieStays: false, // the largest integer is odd
    values: mirrored(magnitudes),
    encode(value) {
      const quanta = nearest(Math.abs(value));
      return value < 0 && quanta > 0 ? 2 * top - quanta : quanta;
    },
    decode: (code) => (code < top ? code : code - 2 * top) * unit,
  };
}

/** The values of the codes from 0 on, in increasing order, the largest magnitude last; ties to the even code. */
export function valueTable(name: string, values: readonly number[]): ElementFormat {
  const [max, before] = [values.at(-1)!, values.at(-2)!];
  return {
    name,
    bits: (values.length - 1).toString(2).length,
    fractionBits: null,
    max: exactOf(max).magnitude,
    overflowThreshold: max + (max - before) / 2,
    overflowTieStays: values.length % 2 === 1,
    values,
    encode: nearestOf(values),
    decode: (code) => values[code]!,
  };
}

/** The index of the nearest of some increasing values; of two, the even one. Their midpoints are numbers, as they have few
 * bits. */
function nearestOf(values: readonly number[]): (value: number) => number {
  const midpoints = values.slice(1).map((value, index) => (values[index]! + value) / 2);
  return (value) => {
    let [low, high] = [0, midpoints.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const midpoint = midpoints[middle]!;
      if (value > midpoint || (value === midpoint && middle % 2 === 1)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Magnitudes from 0, with their negatives. */
function mirrored(magnitudes: readonly number[]): number[] {
  return [...magnitudes.slice(1).map((magnitude) => -magnitude).reverse(), ...magnitudes];
}
