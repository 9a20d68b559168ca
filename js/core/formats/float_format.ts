// FloatFormat: a float format as the few numbers that define it; everything else is derived.
// The twin of mixwidgets/formats/spec.py, which states the encoding.

import { toCode } from "./parse.ts";
import { add, divide, floorLog2, multiply, power, rational, type Rational } from "./rational.ts";

/** Where infinity sits: IEEE's exponent of all ones, the largest magnitude code below a NaN there, or nowhere. */
export const INFINITIES = ["ieee", "top", "none"] as const;
/** Where NaN sits: IEEE's exponent of all ones, the code of all ones, the code of −0, or nowhere. */
export const NANS = ["ieee", "top", "negative_zero", "none"] as const;

/** What defines a format. */
export interface Definition {
  readonly name: string;
  /** Width w of the biased exponent field. */
  readonly exponentBits: number;
  /** Width t = p − 1 of the stored fraction. */
  readonly fractionBits: number;
  /** What is subtracted from the biased exponent. */
  readonly bias: number;
  /** Whether a sign bit stands on top. */
  readonly signed: boolean;
  readonly infinity: (typeof INFINITIES)[number];
  readonly nan: (typeof NANS)[number];
  /** Whether a zero exponent field holds zero and the subnormals; otherwise it is an exponent like the others. */
  readonly hasZero: boolean;
  /** Whether the format's own definition may still change. */
  readonly experimental?: boolean;
  readonly aliases?: readonly string[];
  /** Where the format is defined. */
  readonly citation?: string;
}

export interface FloatFormat extends Required<Definition> {}

/** A magnitude code, in what follows, is a code without its sign bit. */
export class FloatFormat {
  /** Width of a code. */
  readonly bits: number;
  /** p: significant bits of a normal number, the implicit one included. */
  readonly precision: number;
  /** Exponent of the smallest normal number, and of every subnormal one. */
  readonly emin: number;
  /** Exponent of the largest finite number. */
  readonly emax: number;
  /** The sign bit alone: −0, where `hasNegativeZero`. 0n for an unsigned format. */
  readonly signBit: bigint;
  /** The magnitude code of all ones: a mask that takes the sign off. */
  readonly allOnes: bigint;
  /** The code of the largest finite value. */
  readonly maxCode: bigint;
  /** The magnitude code of the smallest normal number, above `maxCode` in a format without any. */
  readonly smallestNormalCode: bigint;
  /** The code of +∞; null for a format without infinity. */
  readonly infCode: bigint | null;
  /** The code of the NaN that encoding gives, quiet where there are two kinds; null for a format without NaN. */
  readonly nanCode: bigint | null;
  readonly hasNegativeZero: boolean;
  /** The value that would follow the largest finite one, were there no end. */
  readonly overflowStep: Rational;
  /** The magnitude at which rounding to nearest leaves the finite range: halfway to `overflowStep`. */
  readonly overflowThreshold: Rational;
  /** Whether no significand is even, so that of two equally near values the larger is taken (IEEE 754-2019, 4.3.1). */
  readonly tiesToLarger: boolean;
  /** Whether the threshold itself, a tie, still rounds to the largest finite value: that code is even. */
  readonly overflowTieStays: boolean;

  constructor(definition: Definition) {
    const { exponentBits, fractionBits, bias, signed, infinity, nan, hasZero } = definition;
    Object.assign(this, { experimental: false, aliases: [], citation: "", ...definition });
    this.bits = Number(signed) + exponentBits + fractionBits;
    this.precision = fractionBits + 1;
    this.emin = hasZero ? 1 - bias : -bias;
    this.signBit = signed ? 1n << BigInt(this.bits - 1) : 0n;
    this.allOnes = (1n << BigInt(exponentBits + fractionBits)) - 1n;
    const ieee = ((1n << BigInt(exponentBits)) - 1n) << BigInt(fractionBits);
    const above = BigInt(nan === "top") + BigInt(infinity === "top"); // the codes that stand over the finite ones
    this.maxCode = infinity === "ieee" ? ieee - 1n : this.allOnes - above;
    this.smallestNormalCode = hasZero ? 1n << BigInt(fractionBits) : 0n;
    this.infCode = infinity === "none" ? null : this.maxCode + 1n;
    this.nanCode = {
      ieee: ieee | (1n << BigInt(Math.max(fractionBits - 1, 0))),
      top: this.allOnes,
      negative_zero: this.signBit,
      none: null,
    }[nan];
    this.hasNegativeZero = signed && hasZero && nan !== "negative_zero";
    this.emax = floorLog2(this.magnitude(this.maxCode));
    this.overflowStep = this.magnitude(this.maxCode + 1n);
    this.overflowThreshold = divide(add(this.magnitude(this.maxCode), this.overflowStep), rational(2n));
    this.tiesToLarger = fractionBits === 0 && !hasZero;
    this.overflowTieStays = (this.maxCode & 1n) === 0n && !this.tiesToLarger;
  }

  /** The exponent that the codes of a biased exponent share: subnormals have the smallest normal number's. */
  exponentOf(biasedExponent: number): number {
    return (this.hasZero ? Math.max(biasedExponent, 1) : biasedExponent) - this.bias;
  }

  /** The integer significand of a biased exponent and fraction: with the implicit bit, unless subnormal. */
  significandOf(biasedExponent: number, fraction: bigint): bigint {
    return this.hasZero && biasedExponent === 0 ? fraction : fraction | (1n << BigInt(this.fractionBits));
  }

  /** The value of a magnitude code, on a grid that goes on beyond the largest finite one. */
  magnitude(code: bigint): Rational {
    const width = BigInt(this.fractionBits);
    const biasedExponent = Number(code >> width);
    const significand = this.significandOf(biasedExponent, code & ((1n << width) - 1n));
    return multiply(rational(significand), power(2n, this.exponentOf(biasedExponent) - this.fractionBits));
  }

  /** A code as an integer, from text such as "0x7BFF", "0b1" or "7BFF". Throws InputError. */
  toCode(text: string): bigint {
    return toCode(text, this.bits, this.name);
  }

  /** A code as text of fixed width, such as "0x7BFF". */
  toHex(code: bigint): string {
    return "0x" + code.toString(16).toUpperCase().padStart(Math.ceil(this.bits / 4), "0");
  }
}
