// Code → value, exactly, in the order in which IEEE 754-2019, section 3.4, states it.

import { roundMagnitude } from "./encode.ts";
import type { FloatFormat } from "./float_format.ts";
import { compare, floorLog10, magnitudeOf, multiply, power, rational, subtract, type Rational } from "./rational.ts";

export type FloatClass = "zero" | "subnormal" | "normal" | "infinity" | "nan";

export interface Fields {
  readonly sign: number;
  readonly biasedExponent: number;
  readonly fraction: bigint;
}

export function fields(fmt: FloatFormat, code: bigint): Fields {
  const fraction = code & ((1n << BigInt(fmt.fractionBits)) - 1n);
  const biasedExponent = Number((code >> BigInt(fmt.fractionBits)) & ((1n << BigInt(fmt.exponentBits)) - 1n));
  return { sign: Number(code >> BigInt(fmt.bits - 1)), biasedExponent, fraction };
}

export function classify(fmt: FloatFormat, code: bigint): FloatClass {
  const { biasedExponent, fraction } = fields(fmt, code);
  if (biasedExponent === 2 ** fmt.exponentBits - 1) return fraction ? "nan" : "infinity";
  if (biasedExponent === 0) return fraction ? "subnormal" : "zero";
  return "normal";
}

export function isFinite(fmt: FloatFormat, code: bigint): boolean {
  return (code & ~fmt.signBit) < fmt.infCode;
}

/** The rational value of a finite code. Throws RangeError for an infinity or NaN. */
export function exact(fmt: FloatFormat, code: bigint): Rational {
  if (!isFinite(fmt, code)) throw new RangeError(`${fmt.toHex(code)} has no rational value in ${fmt.name}`);
  const { sign, biasedExponent, fraction } = fields(fmt, code);
  const significand = biasedExponent === 0 ? fraction : fraction | (1n << BigInt(fmt.fractionBits));
  return multiply(rational(sign ? -significand : significand), quantum(fmt, biasedExponent));
}

/** The weight of the last fraction bit. */
export function quantum(fmt: FloatFormat, biasedExponent: number): Rational {
  return power(2n, Math.max(biasedExponent, 1) - fmt.bias - fmt.fractionBits);
}

/** The gap between consecutive values in the binade of a finite code. */
export function ulp(fmt: FloatFormat, code: bigint): Rational {
  return quantum(fmt, fields(fmt, code).biasedExponent);
}

/** The code of the least greater value (IEEE 754-2019, 5.3.1): +∞ and NaN stay, both zeros step alike. */
export function nextUp(fmt: FloatFormat, code: bigint): bigint {
  if (classify(fmt, code) === "nan" || code === fmt.infCode) return code;
  if (code === fmt.signBit) return 1n;
  return code > fmt.signBit ? code - 1n : code + 1n;
}

/** The code of the greatest lesser value. */
export function nextDown(fmt: FloatFormat, code: bigint): bigint {
  if (classify(fmt, code) === "nan") return code;
  return nextUp(fmt, code ^ fmt.signBit) ^ fmt.signBit;
}

/** Every digit of the value in positional notation; "inf", "-inf" and "nan" for the others. */
export function toDecimal(fmt: FloatFormat, code: bigint): string {
  const sign = code & fmt.signBit ? "-" : "";
  if (classify(fmt, code) === "nan") return "nan";
  if (classify(fmt, code) === "infinity") return sign + "inf";
  return sign + rationalToDecimal(magnitudeOf(exact(fmt, code)));
}

/** A non-negative rational whose denominator is a power of two, in positional notation. */
export function rationalToDecimal(value: Rational): string {
  const places = value.denominator.toString(2).length - 1; // n / 2^k = n·5^k / 10^k
  const digits = String(value.numerator * 5n ** BigInt(places)).padStart(places + 1, "0");
  const part = digits.slice(digits.length - places).replace(/0+$/, "");
  return digits.slice(0, digits.length - places) + (places > 0 && part ? "." + part : "");
}

/**
 * The fewest significant decimal digits that round back to the code, the nearest such decimal; of two equally near
 * ones, the even. Positional from 1e-6 up to 1e21, as Number::toString (ECMA-262), else scientific.
 */
export function shortest(fmt: FloatFormat, code: bigint): string {
  const kind = classify(fmt, code);
  if (kind !== "normal" && kind !== "subnormal") return toDecimal(fmt, code);
  const sign = code & fmt.signBit ? "-" : "";
  const magnitude = code & ~fmt.signBit;
  const value = exact(fmt, magnitude);
  const exponent = floorLog10(value);
  for (let count = 1; ; count += 1) {
    const unit = power(10n, exponent - count + 1);
    for (const digits of nearestFirst(value, unit)) {
      const decimal = multiply(rational(digits), unit);
      if (digits && roundMagnitude(fmt, decimal) === magnitude) return sign + notation(digits, exponent - count + 1);
    }
  }
}

/** The two multiples of `unit` around a value, as integers, the nearer first. */
function nearestFirst(value: Rational, unit: Rational): readonly bigint[] {
  const below = (value.numerator * unit.denominator) / (value.denominator * unit.numerator);
  const distance = (n: bigint) => magnitudeOf(subtract(value, multiply(rational(n), unit)));
  const order = compare(distance(below), distance(below + 1n)) || Number(below & 1n);
  return order <= 0 ? [below, below + 1n] : [below + 1n, below];
}

/** digits × 10^exponent, without trailing zeros. */
export function notation(digits: bigint, exponent: number): string {
  const all = String(digits);
  const text = all.replace(/0+$/, "");
  const point = all.length + exponent; // the value is 0.text × 10^point
  if (point > 0 && point <= 21) {
    return text.length <= point ? text.padEnd(point, "0") : `${text.slice(0, point)}.${text.slice(point)}`;
  }
  if (point > -6 && point <= 0) return "0." + "0".repeat(-point) + text;
  const power = point - 1;
  return text.slice(0, 1) + (text.length > 1 ? "." + text.slice(1) : "") + `e${power < 0 ? "-" : "+"}${Math.abs(power)}`;
}
