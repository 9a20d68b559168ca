// Encodes exact values with a single rounding, in the order of IEEE 754-2019, section 4.3.

import type { FloatFormat } from "./float_format.ts";
import { checkWidth, InputError, type BitPattern, type Exact } from "./parse.ts";
import { divide, floorLog2, power, type Rational } from "./rational.ts";

/** The rounding modes. Stochastic rounding exists only in Python. */
export const ROUNDINGS = [
  "ties-to-even",
  "ties-to-away",
  "toward-zero",
  "toward-positive",
  "toward-negative",
  "to-odd",
] as const;
export type Rounding = (typeof ROUNDINGS)[number];

/** The result for a value beyond the largest finite one. "native": infinity; in a format without infinity, NaN; without both,
 * the largest finite value. "saturate": the largest finite value, also for infinities. "torch" and "ml_dtypes": as in torch
 * 2.13 and ml_dtypes 0.6. */
export const OVERFLOWS = ["native", "saturate", "torch", "ml_dtypes"] as const;
export type Overflow = (typeof OVERFLOWS)[number];

export interface Options {
  /** Default: "ties-to-even". */
  readonly rounding?: Rounding;
  /** Default: "native". */
  readonly overflow?: Overflow;
}

/** The code of a value. Throws InputError. */
export function encode(fmt: FloatFormat, exact: Exact | BitPattern, options: Options = {}): bigint {
  const { rounding = "ties-to-even", overflow = "native" } = options;
  if (exact.kind === "pattern") return checkWidth(exact.code, fmt.bits, fmt.name);
  if (exact.kind === "nan") return nanCode(fmt, "format.no_nan"); // the sign of a NaN has no meaning (6.3)
  const { negative, magnitude } = exact;
  const saturates = overflow === "saturate" || (overflow === "torch" && fmt.name === "float8_e4m3fn");
  const isZero = exact.kind === "finite" && magnitude.numerator === 0n;
  if (negative && !fmt.signed && !isZero) return saturates ? 0n : nanCode(fmt, "format.no_sign");
  if (isZero && !fmt.hasZero) return saturates ? 0n : nanCode(fmt, "format.no_zero");
  const code = exact.kind === "infinity" ? null : roundMagnitude(fmt, magnitude, rounding, negative);
  if (code !== null && code <= fmt.maxCode) return withSign(fmt, code, negative);
  const isClipped = saturates || (code !== null && roundsTowardZero(rounding, negative));
  return isClipped ? withSign(fmt, fmt.maxCode, negative) : beyond(fmt, negative);
}

/** The code for values beyond the largest finite one: infinity, else NaN, else the largest finite value. */
export function beyond(fmt: FloatFormat, negative: boolean): bigint {
  if (fmt.infCode === null && fmt.nanCode !== null) return fmt.nanCode;
  return withSign(fmt, fmt.infCode ?? fmt.maxCode, negative);
}

/** A magnitude code with a sign. Zero has none in a format without −0. */
export function withSign(fmt: FloatFormat, magnitude: bigint, negative: boolean): bigint {
  if (magnitude === 0n && fmt.hasZero && !fmt.hasNegativeZero) return 0n;
  return negative ? magnitude | fmt.signBit : magnitude;
}

/** The magnitude code of a non-negative rational, above `maxCode` if it overflows (see `FloatFormat.magnitude`). `negative`:
 * the sign of the value, for the directed modes. */
export function roundMagnitude(
  fmt: FloatFormat, magnitude: Rational, rounding: Rounding = "ties-to-even", negative = false,
): bigint {
  if (magnitude.numerator === 0n) return 0n;
  const exponent = Math.max(floorLog2(magnitude), fmt.emin); // subnormals share the smallest normal's exponent
  const { numerator, denominator } = divide(magnitude, power(2n, exponent - fmt.fractionBits));
  const significand = numerator / denominator;
  const rest = numerator - significand * denominator;
  // One addition covers all cases: the implicit bit of a normal significand carries into the exponent field, and a
  // significand rounded up to 2^p carries into the next binade.
  const implicit = fmt.hasZero ? 0n : 1n << BigInt(fmt.fractionBits);
  const low = (BigInt(exponent - fmt.emin) << BigInt(fmt.fractionBits)) + significand - implicit;
  const isOdd = (low & 1n) === 1n;
  const mode = rounding === "ties-to-even" && fmt.tiesToLarger ? "ties-to-away" : rounding;
  const code = rest && roundsUp(mode, negative, isOdd, 2n * rest - denominator) ? low + 1n : low;
  return code > 0n ? code : 0n; // below the smallest value of a format without zero
}

/** Whether to take the upper code. `fromMidpoint` has the sign of value − midpoint. */
function roundsUp(rounding: Rounding, negative: boolean, lowIsOdd: boolean, fromMidpoint: bigint): boolean {
  switch (rounding) {
    case "ties-to-even":
      return fromMidpoint > 0n || (fromMidpoint === 0n && lowIsOdd);
    case "ties-to-away":
      return fromMidpoint >= 0n;
    case "toward-zero":
      return false;
    case "toward-positive":
      return !negative;
    case "toward-negative":
      return negative;
    case "to-odd":
      return !lowIsOdd;
  }
}

/** Whether a mode rounds values of this sign toward zero, so that an overflow gives the largest finite value. */
function roundsTowardZero(rounding: Rounding, negative: boolean): boolean {
  return rounding === "toward-zero" || rounding === "to-odd" || rounding === (negative ? "toward-positive" : "toward-negative");
}

function nanCode(fmt: FloatFormat, key: "format.no_nan" | "format.no_zero" | "format.no_sign"): bigint {
  if (fmt.nanCode === null) throw new InputError(key, { format: fmt.name });
  return fmt.nanCode;
}
