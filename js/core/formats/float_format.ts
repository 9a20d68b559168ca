// FloatFormat: the parameters that define a float format, and what follows from them; and the formats that users define. The
// twin of mixwidgets/floats/formats/spec.py, which documents the encoding and accepts the same definitions.

import { InputError, toCode } from "./parse.ts";
import { add, divide, floorLog2, multiply, power, rational, type Rational } from "./rational.ts";

/** Infinity: an exponent of all ones, as in IEEE 754; the largest magnitude code that is not NaN; or none. */
export const INFINITIES = ["ieee", "top", "none"] as const;
/** NaN: an exponent of all ones, as in IEEE 754; a magnitude code of all ones; the code of −0; or none. */
export const NANS = ["ieee", "top", "negative_zero", "none"] as const;
/** Codes with a zero exponent field, beside zero: subnormals; zero as well; or one more binade. */
export const SUBNORMALS = ["gradual", "flushed", "none"] as const;

/** The parameters that define a format. */
export interface Definition {
  readonly name: string;
  /** Width w of the biased exponent field. */
  readonly exponentBits: number;
  /** Width t = p − 1 of the stored fraction. */
  readonly fractionBits: number;
  /** What is subtracted from the biased exponent. */
  readonly bias: number;
  /** Whether the highest bit is a sign. */
  readonly signed: boolean;
  readonly infinity: (typeof INFINITIES)[number];
  readonly nan: (typeof NANS)[number];
  /** Whether there is a zero; otherwise an exponent field of 0 is one more binade. */
  readonly hasZero: boolean;
  /** Of a format with zero. Without subnormals a result below the smallest normal value becomes 0. Default: "gradual". */
  readonly subnormals?: (typeof SUBNORMALS)[number];
  /** Whether a format without infinity has NaN, if it has that, past its largest value. Default: true. */
  readonly overflowsToNan?: boolean;
  /** Whether the format's definition may still change. */
  readonly experimental?: boolean;
  /** Where the format is defined. */
  readonly citation?: string;
}

export interface FloatFormat extends Required<Definition> {}

/** The bias of IEEE 754 for this number of exponent bits. */
export const usualBias = (exponentBits: number): number => 2 ** (exponentBits - 1) - 1;

/** A magnitude code is a code without its sign bit. */
export class FloatFormat {
  /** Width of a code. */
  readonly bits: number;
  /** Precision p: significant bits of a normal number, including the implicit one. */
  readonly precision: number;
  /** Exponent of the smallest normal number and of all subnormals. */
  readonly emin: number;
  /** Exponent of the largest finite number. */
  readonly emax: number;
  /** The mask of the sign bit, which is the code of −0 if `hasNegativeZero`; 0n for an unsigned format. */
  readonly signBit: bigint;
  /** The mask of all bits but the sign. */
  readonly allOnes: bigint;
  /** The code of the largest finite value. */
  readonly maxCode: bigint;
  /** The magnitude code of the smallest positive number. */
  readonly smallestCode: bigint;
  /** The magnitude code of the smallest normal number; above `maxCode` if there is none. */
  readonly smallestNormalCode: bigint;
  /** Whether codes with an exponent field of 0 are subnormal numbers. */
  readonly hasSubnormals: boolean;
  /** The magnitude code of significand × 2^(e − t) is (e − emin)·2^t + significand − this: 2^t where an exponent field of 0 is
   * one more binade, else 0. */
  readonly codeOffset: bigint;
  /** The code of +∞; null for a format without infinity. */
  readonly infCode: bigint | null;
  /** The code that NaN is encoded as, the quiet one in IEEE formats; null for a format without NaN. */
  readonly nanCode: bigint | null;
  readonly hasNegativeZero: boolean;
  /** The value that would come after the largest finite one if the sequence continued. */
  readonly overflowStep: Rational;
  /** Halfway from the largest finite value to `overflowStep`: larger magnitudes overflow if rounded to nearest. */
  readonly overflowThreshold: Rational;
  /** Whether ties go to the larger magnitude, because no significand is even (IEEE 754-2019, 4.3.1). */
  readonly tiesToLarger: boolean;
  /** Whether the threshold itself, a tie, rounds to the largest finite value, because its code is even. */
  readonly overflowTieStays: boolean;

  constructor(definition: Definition) {
    Object.assign(this, { subnormals: "gradual", overflowsToNan: true, experimental: false, citation: "", ...definition });
    const { exponentBits, fractionBits, bias, signed, infinity, nan, hasZero, subnormals } = this;
    this.bits = Number(signed) + exponentBits + fractionBits;
    this.precision = fractionBits + 1;
    const firstIsNormal = !hasZero || subnormals === "none"; // the binade of an exponent field of 0
    this.emin = Number(!firstIsNormal) - bias;
    this.signBit = signed ? 1n << BigInt(this.bits - 1) : 0n;
    this.allOnes = (1n << BigInt(exponentBits + fractionBits)) - 1n;
    const ieee = ((1n << BigInt(exponentBits)) - 1n) << BigInt(fractionBits);
    const above = BigInt(nan === "top") + BigInt(infinity === "top"); // the special codes above the finite ones
    this.maxCode = infinity === "ieee" ? ieee - 1n : this.allOnes - above;
    const binade = 1n << BigInt(fractionBits);
    this.codeOffset = firstIsNormal ? binade : 0n;
    this.smallestCode = !hasZero ? 0n : subnormals === "flushed" ? binade : 1n;
    this.smallestNormalCode = firstIsNormal ? this.smallestCode : binade;
    this.hasSubnormals = hasZero && subnormals === "gradual" && fractionBits > 0;
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

  /** The exponent of numbers with this biased exponent; that of subnormals is `emin`. */
  exponentOf(biasedExponent: number): number {
    return Math.max(biasedExponent - this.bias, this.emin);
  }

  /** The significand as an integer: with the implicit bit unless subnormal, and 0 for zero. */
  significandOf(biasedExponent: number, fraction: bigint): bigint {
    const code = (BigInt(biasedExponent) << BigInt(this.fractionBits)) | fraction;
    if (code < this.smallestCode) return 0n;
    return code < this.smallestNormalCode ? fraction : fraction | (1n << BigInt(this.fractionBits));
  }

  /** The value of a magnitude code. Codes above `maxCode` continue the sequence of finite values. */
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

/** The accepted ranges of a user's definition, both ends included. */
export const LIMITS = {
  exponentBits: { low: 1, high: 11 },
  fractionBits: { low: 0, high: 52 },
  bias: { low: -4096, high: 4096 },
} as const;

/** A definition; omitted fields are those of IEEE 754, with the usual bias. */
export type CustomDefinition = Pick<Definition, "name" | "exponentBits" | "fractionBits"> & Partial<Definition>;

/** The format with this definition. Throws InputError if it is invalid. */
export function customFormat(definition: CustomDefinition): FloatFormat {
  const { exponentBits, fractionBits } = definition;
  checkInteger("exponentBits", exponentBits);
  checkInteger("fractionBits", fractionBits);
  const whole: Definition = {
    bias: usualBias(exponentBits),
    signed: true,
    infinity: "ieee",
    nan: "ieee",
    hasZero: true,
    subnormals: "gradual",
    overflowsToNan: true,
    ...definition,
  };
  checkInteger("bias", whole.bias);
  checkChoice("infinity", whole.infinity, INFINITIES);
  checkChoice("nan", whole.nan, NANS);
  checkChoice("subnormals", whole.subnormals!, SUBNORMALS);
  if ((whole.infinity === "ieee") !== (whole.nan === "ieee")) throw new InputError("custom.ieee_pair", {});
  if (whole.nan === "ieee" && (exponentBits < 2 || fractionBits < 1)) throw new InputError("custom.ieee_width", {});
  if (whole.nan === "negative_zero" && !(whole.signed && whole.hasZero)) throw new InputError("custom.nan_place", {});
  if (whole.subnormals !== "gradual" && !whole.hasZero) throw new InputError("custom.no_zero", {});
  if (whole.subnormals === "flushed" && whole.nan === "negative_zero") throw new InputError("custom.many_zeros", {});
  const specials = whole.nan === "ieee" ? 1n << BigInt(fractionBits) : BigInt(whole.nan === "top") + BigInt(whole.infinity === "top");
  const zeros = whole.subnormals === "flushed" ? 1n << BigInt(fractionBits) : 1n; // or, in a format without it, one number
  if ((1n << BigInt(exponentBits + fractionBits)) - specials <= zeros) throw new InputError("custom.empty", {});
  return new FloatFormat(whole);
}

function checkInteger(field: keyof typeof LIMITS, came: number): void {
  const { low, high } = LIMITS[field];
  if (Number.isInteger(came) && came >= low && came <= high) return;
  throw new InputError("custom.integer", { field, low: String(low), high: String(high), came: String(came) });
}

function checkChoice(field: string, came: string, accepted: readonly string[]): void {
  if (accepted.includes(came)) return;
  throw new InputError("custom.choice", { field, accepted: accepted.join(", "), came: String(came) });
}
