// Decodes codes to exact values, in the order of IEEE 754-2019, section 3.4.

import { getFormat } from "./catalogue.ts";
import { roundMagnitude, withSign } from "./encode.ts";
import type { FloatFormat } from "./float_format.ts";
import type { Exact } from "./parse.ts";
import { compare, floorLog10, magnitudeOf, multiply, negate, power, rational, subtract, type Rational } from "./rational.ts";

export type FloatClass = "zero" | "subnormal" | "normal" | "infinity" | "nan";

export function fields(fmt: FloatFormat, code: bigint): { sign: number; biasedExponent: number; fraction: bigint } {
  const magnitude = code & fmt.allOnes;
  const width = BigInt(fmt.fractionBits);
  return {
    sign: Number(isNegative(fmt, code)),
    biasedExponent: Number(magnitude >> width),
    fraction: magnitude & ((1n << width) - 1n),
  };
}

/** Whether the sign bit is set. */
export function isNegative(fmt: FloatFormat, code: bigint): boolean {
  return (code & fmt.signBit) !== 0n;
}

export function classify(fmt: FloatFormat, code: bigint): FloatClass {
  const magnitude = code & fmt.allOnes;
  if (fmt.nan === "negative_zero" && code === fmt.signBit) return "nan";
  if (magnitude > fmt.maxCode) return magnitude === fmt.infCode ? "infinity" : "nan";
  if (magnitude < fmt.smallestCode) return "zero";
  return magnitude < fmt.smallestNormalCode ? "subnormal" : "normal";
}

export function isFinite(fmt: FloatFormat, code: bigint): boolean {
  return !["nan", "infinity"].includes(classify(fmt, code));
}

/** The rational value of a finite code. Throws RangeError for an infinity or NaN. */
export function exact(fmt: FloatFormat, code: bigint): Rational {
  if (!isFinite(fmt, code)) throw new RangeError(`${fmt.toHex(code)} has no rational value in ${fmt.name}`);
  const magnitude = fmt.magnitude(code & fmt.allOnes);
  return isNegative(fmt, code) ? negate(magnitude) : magnitude;
}

/** The value of any code. */
export function decoded(fmt: FloatFormat, code: bigint): Exact {
  const [kind, negative] = [classify(fmt, code), isNegative(fmt, code)];
  if (kind === "nan" || kind === "infinity") return { kind, negative, magnitude: rational(0n) };
  return { kind: "finite", negative, magnitude: fmt.magnitude(code & fmt.allOnes) };
}

/** The exact value of a number. */
export function exactOf(value: number): Exact {
  return decoded(getFormat("float64")!, new BigUint64Array(Float64Array.of(value).buffer)[0]!);
}

/** The gap between consecutive values in the binade of a finite code. */
export function ulp(fmt: FloatFormat, code: bigint): Rational {
  if (!fmt.hasSubnormals && classify(fmt, code) === "zero") return fmt.magnitude(fmt.smallestCode);
  return power(2n, fmt.exponentOf(fields(fmt, code).biasedExponent) - fmt.fractionBits);
}

/** The code of the next greater value (IEEE 754-2019, 5.3.1). NaN and the greatest value are returned unchanged. */
export function nextUp(fmt: FloatFormat, code: bigint): bigint {
  return step(fmt, code, true);
}

/** The code of the next smaller value. NaN and the smallest value are returned unchanged. */
export function nextDown(fmt: FloatFormat, code: bigint): bigint {
  return step(fmt, code, false);
}

function step(fmt: FloatFormat, code: bigint, up: boolean): bigint {
  if (classify(fmt, code) === "nan") return code;
  const magnitude = code & fmt.allOnes;
  const isZero = magnitude < fmt.smallestCode; // +0 and −0 have the same neighbours
  if (isZero) return up ? fmt.smallestCode : fmt.signed ? fmt.signBit | fmt.smallestCode : 0n;
  if (isNegative(fmt, code) !== up) return magnitude < (fmt.infCode ?? fmt.maxCode) ? code + 1n : code;
  if (magnitude > fmt.smallestCode) return code - 1n;
  return fmt.hasZero ? withSign(fmt, 0n, isNegative(fmt, code)) : code ^ fmt.signBit; // without zero, the two smallest are neighbours
}

/** The exact value in positional notation, or "inf", "-inf" or "nan". */
export function toDecimal(fmt: FloatFormat, code: bigint): string {
  const sign = isNegative(fmt, code) ? "-" : "";
  if (classify(fmt, code) === "nan") return "nan";
  if (classify(fmt, code) === "infinity") return sign + "inf";
  return sign + rationalToDecimal(magnitudeOf(exact(fmt, code)));
}

/** The value as C17's %a, normalised, without trailing zeros: "0x1.ffcp+15". Not finite: as toDecimal. */
export function hexFloat(fmt: FloatFormat, code: bigint): string {
  if (!isFinite(fmt, code)) return toDecimal(fmt, code);
  const sign = isNegative(fmt, code) ? "-" : "";
  const { biasedExponent, fraction } = fields(fmt, code);
  const significand = fmt.significandOf(biasedExponent, fraction);
  if (significand === 0n) return sign + "0x0p+0";
  const binary = significand.toString(2).slice(1); // the digits after the leading 1
  const exponent = fmt.exponentOf(biasedExponent) - fmt.fractionBits + binary.length;
  const padded = binary.padEnd(Math.ceil(binary.length / 4) * 4, "0");
  const digits = padded ? BigInt("0b" + padded).toString(16).padStart(padded.length / 4, "0").replace(/0+$/, "") : "";
  return `${sign}0x1${digits && "." + digits}p${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}

/** A non-negative rational whose denominator is a power of two, in positional notation. */
function rationalToDecimal(value: Rational): string {
  const places = value.denominator.toString(2).length - 1; // n / 2^k = n·5^k / 10^k
  const digits = String(value.numerator * 5n ** BigInt(places)).padStart(places + 1, "0");
  const part = digits.slice(digits.length - places).replace(/0+$/, "");
  return digits.slice(0, digits.length - places) + (places > 0 && part ? "." + part : "");
}

/** The shortest decimal that rounds to the code; of several, the nearest to the value, then the one with an even last digit.
 * Positional from 1e-6 up to 1e21, else scientific, as in ECMA-262's Number::toString. */
export function shortest(fmt: FloatFormat, code: bigint): string {
  const kind = classify(fmt, code);
  if (kind !== "normal" && kind !== "subnormal") return toDecimal(fmt, code);
  const sign = isNegative(fmt, code) ? "-" : "";
  const magnitude = code & fmt.allOnes;
  const value = fmt.magnitude(magnitude);
  const exponent = floorLog10(value);
  for (let count = 1; ; count += 1) {
    const unit = power(10n, exponent - count + 1);
    for (const digits of nearestFirst(value, unit)) {
      const decimal = multiply(rational(digits), unit);
      if (digits && roundMagnitude(fmt, decimal) === magnitude) return sign + notation(digits, exponent - count + 1);
    }
  }
}

/** The two multiples of `unit` on either side of a value, as integers (n for n × unit), the nearer first. */
function nearestFirst(value: Rational, unit: Rational): readonly bigint[] {
  const below = (value.numerator * unit.denominator) / (value.denominator * unit.numerator);
  const distance = (n: bigint) => magnitudeOf(subtract(value, multiply(rational(n), unit)));
  const order = compare(distance(below), distance(below + 1n)) || Number(below & 1n);
  return order <= 0 ? [below, below + 1n] : [below + 1n, below];
}

/** digits × 10^exponent as text, without trailing zeros. */
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
