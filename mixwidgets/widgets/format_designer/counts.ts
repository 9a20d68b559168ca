// How many codes of each class a format has, without listing them.

import type { FloatClass } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";

export const CLASSES: readonly FloatClass[] = ["zero", "subnormal", "normal", "infinity", "nan"];

/** Codes of each class; they add up to 2^bits. */
export function countsOf(fmt: FloatFormat): Record<FloatClass, bigint> {
  const signs = fmt.signed ? 2n : 1n;
  const firstNormal = fmt.hasZero ? 1n << BigInt(fmt.fractionBits) : 0n;
  const finite = fmt.maxCode + 1n; // magnitude codes
  const below = firstNormal < finite ? firstNormal : finite; // zero and the subnormals
  const zero = fmt.hasZero ? (fmt.hasNegativeZero ? 2n : 1n) : 0n;
  const subnormal = fmt.hasZero ? signs * (below - 1n) : 0n;
  const normal = signs * (finite - below);
  const infinity = fmt.infCode === null ? 0n : signs;
  return { zero, subnormal, normal, infinity, nan: (1n << BigInt(fmt.bits)) - zero - subnormal - normal - infinity };
}

/** How many different finite values there are: both zeros are one. */
export function finiteValues(fmt: FloatFormat): bigint {
  const { zero, subnormal, normal } = countsOf(fmt);
  return subnormal + normal + (zero > 0n ? 1n : 0n);
}
