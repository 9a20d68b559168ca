// The formats of a block's elements: float formats, and two's-complement fixed point (MXINT8's int8).

import { exact } from "../formats/decode.ts";
import { encode } from "../formats/encode.ts";
import type { FloatFormat } from "../formats/float_format.ts";
import { compare, multiply, power, rational, type Rational } from "../formats/rational.ts";

export interface ElementFormat {
  readonly name: string;
  /** Width of a code. */
  readonly bits: number;
  readonly fractionBits: number;
  /** Largest value. */
  readonly max: Rational;
  /** Halfway from the largest value to the one that would come next: larger magnitudes are clipped. */
  readonly overflowThreshold: Rational;
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
    encode: (negative, magnitude) =>
      Number(encode(fmt, { kind: "finite", negative, magnitude }, { overflow: "saturate" })),
    decode: (code) => exact(fmt, BigInt(code)),
  };
}

/** The twin of mixwidgets/formats/fixed_point.py. */
export function fixedPoint(name: string, bits: number, fractionBits: number): ElementFormat {
  const top = 2 ** (bits - 1);
  const unit = power(2n, fractionBits);
  return {
    name,
    bits,
    fractionBits,
    max: multiply(rational(BigInt(top - 1)), power(2n, -fractionBits)),
    overflowThreshold: multiply(rational(BigInt(2 * top - 1)), power(2n, -fractionBits - 1)),
    encode(negative, magnitude) {
      const limit = rational(BigInt(top - 1));
      const scaled = multiply(magnitude, unit);
      const quanta = compare(scaled, limit) > 0 ? top - 1 : nearestInteger(scaled);
      return negative && quanta > 0 ? 2 * top - quanta : quanta;
    },
    decode: (code) => multiply(rational(BigInt(code < top ? code : code - 2 * top)), power(2n, -fractionBits)),
  };
}

/** A non-negative rational, rounded to an integer, ties to even. */
function nearestInteger({ numerator, denominator }: Rational): number {
  const below = numerator / denominator;
  const fromMidpoint = 2n * (numerator - below * denominator) - denominator; // has the sign of value − midpoint
  return Number(below) + Number(fromMidpoint > 0n || (fromMidpoint === 0n && (below & 1n) === 1n));
}
