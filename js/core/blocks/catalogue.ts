// The block formats, from the same block_catalogue.json that Python reads, and the formats of their elements: float formats,
// and two's-complement fixed point (MXINT8's int8).

import { getFormat } from "../formats/catalogue.ts";
import { exact } from "../formats/decode.ts";
import { encode } from "../formats/encode.ts";
import type { FloatFormat } from "../formats/float_format.ts";
import { compare, multiply, rational, type Rational } from "../formats/rational.ts";
import catalogue from "#mixwidgets/floats/formats/block_catalogue.json";

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

const TOP = 128; // codes from here on are negative

/** MXINT8's elements (OCP Microscaling Formats 1.0): integers of 8 bits times 2^-6. The twin of
 * mixwidgets/floats/formats/block.py. */
export const int8: ElementFormat = {
  name: "int8",
  bits: 8,
  fractionBits: 6,
  max: rational(BigInt(TOP - 1), 64n),
  overflowThreshold: rational(BigInt(2 * TOP - 1), 128n),
  encode(negative, magnitude) {
    const scaled = multiply(magnitude, rational(64n));
    const quanta = compare(scaled, rational(BigInt(TOP - 1))) > 0 ? TOP - 1 : nearestInteger(scaled);
    return negative && quanta > 0 ? 2 * TOP - quanta : quanta;
  },
  decode: (code) => rational(BigInt(code < TOP ? code : code - 2 * TOP), 64n),
};

/** A non-negative rational, rounded to an integer, ties to even. */
function nearestInteger({ numerator, denominator }: Rational): number {
  const below = numerator / denominator;
  const fromMidpoint = 2n * (numerator - below * denominator) - denominator; // has the sign of value − midpoint
  return Number(below) + Number(fromMidpoint > 0n || (fromMidpoint === 0n && (below & 1n) === 1n));
}

export interface BlockFormat {
  readonly name: string;
  readonly element: ElementFormat;
  /** Block size k: how many elements share a scale. */
  readonly blockSize: number;
  /** The format of the shared scale. */
  readonly scale: FloatFormat;
  /** The format of the scale that all blocks of a tensor share; null for formats without one. */
  readonly tensorScale: FloatFormat | null;
  /** The bits of an element, plus those of the scale divided by k. */
  readonly bitsPerElement: number;
}

export const blockFormats: readonly BlockFormat[] = catalogue.formats.map((row) => {
  const element = row.element === int8.name ? int8 : floatElement(getFormat(row.element)!);
  const scale = getFormat(row.scale)!;
  return {
    name: row.name,
    element,
    blockSize: row.block_size,
    scale,
    tensorScale: row.tensor_scale ? getFormat(row.tensor_scale)! : null,
    bitsPerElement: element.bits + scale.bits / row.block_size,
  };
});

/** The block format of a canonical name; undefined for anything else. */
export function getBlockFormat(name: unknown): BlockFormat | undefined {
  return blockFormats.find((fmt) => fmt.name === name);
}
