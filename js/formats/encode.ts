// Value → code: rounding to nearest, ties to even, in the order in which IEEE 754-2019 states it.

import type { FloatFormat } from "./float_format.ts";
import { checkWidth, toExact, type BitPattern, type Exact } from "./parse.ts";
import { divide, floorLog2, power, roundToEven, type Rational } from "./rational.ts";

/** The code of one text, rounded once from its exact value (section 4.3.1, roundTiesToEven). Throws InputError. */
export function encode(fmt: FloatFormat, text: string): bigint {
  return encodeExact(fmt, toExact(text));
}

export function encodeExact(fmt: FloatFormat, exact: Exact | BitPattern): bigint {
  if (exact.kind === "pattern") return checkWidth(exact.code, fmt.bits, fmt.name);
  const sign = exact.negative ? fmt.signBit : 0n;
  if (exact.kind === "nan") return sign | fmt.nanCode;
  return sign | (exact.kind === "infinity" ? fmt.infCode : roundMagnitude(fmt, exact.magnitude));
}

/** The code, without sign, of a non-negative rational; `infCode` where it overflows. */
export function roundMagnitude(fmt: FloatFormat, magnitude: Rational): bigint {
  if (magnitude.numerator === 0n) return 0n;
  const exponent = Math.max(floorLog2(magnitude), fmt.emin); // subnormals share the smallest normal's exponent
  const significand = roundToEven(divide(magnitude, power(2n, exponent - fmt.fractionBits)));
  // One addition serves all: a normal significand carries its implicit bit into the exponent field, and a
  // significand rounded up to 2^p carries into the next binade.
  const code = (BigInt(exponent - fmt.emin) << BigInt(fmt.fractionBits)) + significand;
  return code < fmt.infCode ? code : fmt.infCode;
}
