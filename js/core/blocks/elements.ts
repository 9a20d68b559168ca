// The formats of a block's elements: float formats, signed integers, and tables of values such as NF4. The twin of
// mixwidgets/floats/formats/elements.py.

import { exact } from "../formats/decode.ts";
import { encode } from "../formats/encode.ts";
import type { FloatFormat } from "../formats/float_format.ts";
import { add, compare, divide, magnitudeOf, multiply, negate, rational, subtract, type Rational } from "../formats/rational.ts";

export interface ElementFormat {
  readonly name: string;
  /** Width of a code. */
  readonly bits: number;
  /** Of a float format's fraction, or after the binary point of an integer; null for a table of values. */
  readonly fractionBits: number | null;
  /** Largest value. */
  readonly max: Rational;
  /** Halfway from the largest value to the one that would come next. */
  readonly overflowThreshold: Rational;
  /** Whether the threshold itself, a tie, rounds to the largest value. */
  readonly overflowTieStays: boolean;
  /** The code of a value, rounded once, ties to even; beyond ±max it saturates. */
  encode(negative: boolean, magnitude: Rational): number;
  decode(code: number): Rational;
}

export function floatElement(fmt: FloatFormat): ElementFormat {
  return {
    name: fmt.name,
    bits: fmt.bits,
    fractionBits: fmt.fractionBits,
    max: fmt.magnitude(fmt.maxCode),
    overflowThreshold: fmt.overflowThreshold,
    overflowTieStays: fmt.overflowTieStays,
    encode: (negative, magnitude) =>
      Number(encode(fmt, { kind: "finite", negative, magnitude }, { overflow: "saturate" })),
    decode: (code) => exact(fmt, BigInt(code)),
  };
}

/** Two's-complement integers over 2^fractionBits. Encoding is symmetric: it never gives the single code below −max. */
export function fixedPoint(name: string, bits: number, fractionBits: number): ElementFormat {
  const top = 2 ** (bits - 1); // codes from here on are negative
  const unit = rational(1n, 1n << BigInt(fractionBits));
  const value = (quanta: number) => multiply(rational(BigInt(quanta)), unit);
  return {
    name, bits, fractionBits,
    max: value(top - 1),
    overflowThreshold: multiply(value(2 * top - 1), rational(1n, 2n)),
    overflowTieStays: false, // the largest integer is odd
    encode(negative, magnitude) {
      const scaled = divide(magnitude, unit);
      const quanta = compare(scaled, rational(BigInt(top - 1))) > 0 ? top - 1 : nearestInteger(scaled);
      return negative && quanta > 0 ? 2 * top - quanta : quanta;
    },
    decode: (code) => value(code < top ? code : code - 2 * top),
  };
}

/** A non-negative rational, rounded to an integer, ties to even. */
function nearestInteger({ numerator, denominator }: Rational): number {
  const below = numerator / denominator;
  const fromMidpoint = 2n * (numerator - below * denominator) - denominator; // has the sign of value − midpoint
  return Number(below) + Number(fromMidpoint > 0n || (fromMidpoint === 0n && (below & 1n) === 1n));
}

/** The values of the codes from 0 on, in increasing order, the largest magnitude last; ties to the even code. */
export function valueTable(name: string, values: readonly Rational[]): ElementFormat {
  const [max, before] = [values.at(-1)!, values.at(-2)!];
  return {
    name,
    bits: (values.length - 1).toString(2).length,
    fractionBits: null,
    max,
    overflowThreshold: add(max, multiply(subtract(max, before), rational(1n, 2n))),
    overflowTieStays: values.length % 2 === 1,
    encode(negative, magnitude) {
      const distances = values.map((value) => magnitudeOf(subtract(negative ? negate(magnitude) : magnitude, value)));
      return distances.reduce((best, distance, code) => {
        const order = compare(distance, distances[best]!);
        return order < 0 || (order === 0 && code % 2 === 0) ? code : best;
      }, 0);
    },
    decode: (code) => values[code]!,
  };
}
