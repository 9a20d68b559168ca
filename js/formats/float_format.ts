// FloatFormat: a float format as the few numbers that define it; everything else is derived.
// The twin of mixwidgets/formats/float_format.py, which states the encoding.

import { multiply, power, rational, subtract, type Rational } from "./rational.ts";
import { toCode } from "./parse.ts";

export class FloatFormat {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Width w of the biased exponent field. */
  readonly exponentBits: number;
  /** Width t = p − 1 of the stored fraction. */
  readonly fractionBits: number;
  /** What is subtracted from the biased exponent. */
  readonly bias: number;
  /** Width of a code. */
  readonly bits: number;
  /** p: significant bits of a normal number, the implicit one included. */
  readonly precision: number;
  /** Exponent of the smallest normal number, and of every subnormal one. */
  readonly emin: number;
  /** Exponent of the largest finite number. */
  readonly emax: number;
  /** The code of −0: the sign bit alone. */
  readonly signBit: bigint;
  /** The code of +∞. */
  readonly infCode: bigint;
  /** The code of the quiet NaN that encoding gives. */
  readonly nanCode: bigint;
  /** The magnitude at which rounding to nearest leaves the finite range. */
  readonly overflowThreshold: Rational;

  constructor(name: string, exponentBits: number, fractionBits: number, bias: number, aliases: readonly string[] = []) {
    this.name = name;
    this.aliases = aliases;
    this.exponentBits = exponentBits;
    this.fractionBits = fractionBits;
    this.bias = bias;
    this.bits = 1 + exponentBits + fractionBits;
    this.precision = fractionBits + 1;
    this.emin = 1 - bias;
    this.emax = 2 ** exponentBits - 2 - bias;
    this.signBit = 1n << BigInt(this.bits - 1);
    this.infCode = ((1n << BigInt(exponentBits)) - 1n) << BigInt(fractionBits);
    this.nanCode = this.infCode | (1n << BigInt(fractionBits - 1));
    this.overflowThreshold = multiply(
      power(2n, this.emax),
      subtract(rational(2n), power(2n, -this.precision)),
    );
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
