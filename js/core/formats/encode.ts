// Encodes exact values with a single rounding, in the order of IEEE 754-2019, section 4.3.

import type { FloatFormat } from "./float_format.ts";
import { checkWidth, InputError, toExact, type BitPattern, type Exact } from "./parse.ts";
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

/** The result for a value past the largest finite one. "native": infinity; in a format without infinity, NaN unless
 * `overflowsToNan` is false; else the largest finite value. "saturate": the largest finite value, also for infinities.
 * "propagate": the same, but an infinity stays one. "torch" and "ml_dtypes": as in torch 2.13 and ml_dtypes 0.6. */
export const OVERFLOWS = ["native", "saturate", "propagate", "torch", "ml_dtypes"] as const;
export type Overflow = (typeof OVERFLOWS)[number];

export interface Options {
  /** Default: "ties-to-even". */
  readonly rounding?: Rounding;
  /** Default: "native". */
  readonly overflow?: Overflow;
}

/** The code of a value; text is read exactly. Throws InputError. */
export function encode(fmt: FloatFormat, value: Exact | BitPattern | string, options: Options = {}): bigint {
  const { rounding = "ties-to-even", overflow = "native" } = options;
  const exact = typeof value === "string" ? toExact(value) : value;
  if (exact.kind === "pattern") return checkWidth(exact.code, fmt.bits, fmt.name);
  if (exact.kind === "nan") return nanCode(fmt, "format.no_nan"); // the sign of a NaN has no meaning (6.3)
  const { negative, magnitude } = exact;
  if (exact.kind === "infinity") return past(fmt, negative, { ...options, infinite: true });
  const isZero = magnitude.numerator === 0n;
  if (isZero && !fmt.hasZero) return saturates(fmt, overflow) ? 0n : nanCode(fmt, "format.no_zero");
  const code = roundMagnitude(fmt, magnitude, rounding, negative);
  const lacksSign = negative && !fmt.signed && !isZero && (code > 0n || !fmt.hasZero);
  return code > fmt.maxCode || lacksSign ? past(fmt, negative, options) : withSign(fmt, code, negative);
}

/** The code, sign included, of what is past the format's range on the side of a sign: an infinity (`infinite`), or a value that
 * rounds past the largest one or, in an unsigned format, to a negative one. Twin of mixwidgets/floats/formats/encode.py. */
export function past(fmt: FloatFormat, negative: boolean, options: Options & { readonly infinite?: boolean } = {}): bigint {
  const { rounding = "ties-to-even", overflow = "native", infinite = false } = options;
  const clamps = overflow === "propagate" || saturates(fmt, overflow);
  const inward = !infinite && goesInward(rounding, negative);
  if (negative && !fmt.signed) return clamps || (inward && fmt.hasZero) ? 0n : nanCode(fmt, "format.no_sign");
  const largest = withSign(fmt, fmt.maxCode, negative);
  const staysOdd = rounding === "to-odd" && !infinite && (fmt.infCode === null || (fmt.maxCode & 1n) === 1n);
  if (saturates(fmt, overflow) || inward || staysOdd || (clamps && !infinite)) return largest;
  if (fmt.infCode !== null) return withSign(fmt, fmt.infCode, negative);
  return fmt.overflowsToNan && !clamps ? (fmt.nanCode ?? largest) : largest;
}

/** Whether a policy gives the largest finite value where the format would have infinity or NaN. */
function saturates(fmt: FloatFormat, overflow: Overflow): boolean {
  return overflow === "saturate" || (overflow === "torch" && fmt.name === "float8_e4m3fn");
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
  const low = (BigInt(exponent - fmt.emin) << BigInt(fmt.fractionBits)) + significand - fmt.codeOffset;
  if (low < 0n) return 0n; // below the smallest value of a format without subnormals
  const isOdd = (low & 1n) === 1n;
  const mode = rounding === "ties-to-even" && fmt.tiesToLarger ? "ties-to-away" : rounding;
  const code = rest && roundsUp(mode, negative, isOdd, 2n * rest - denominator) ? low + 1n : low;
  return code < fmt.smallestCode ? 0n : code;
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

/** Whether a mode never increases magnitudes of this sign, so that finite values do not overflow. */
function goesInward(rounding: Rounding, negative: boolean): boolean {
  return rounding === "toward-zero" || rounding === (negative ? "toward-positive" : "toward-negative");
}

function nanCode(fmt: FloatFormat, key: "format.no_nan" | "format.no_zero" | "format.no_sign"): bigint {
  if (fmt.nanCode === null) throw new InputError(key, { format: fmt.name });
  return fmt.nanCode;
}
