// Doubles as exact rationals, and back.

import { multiply, power, rational, type Rational } from "../formats/rational.ts";

const view = new DataView(new ArrayBuffer(8));

/** The magnitude of a finite double. */
export function magnitudeOf(x: number): Rational {
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0) & 0x7fffffffffffffffn;
  const exponent = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  const significand = exponent ? fraction | (1n << 52n) : fraction;
  return multiply(rational(significand), power(2n, Math.max(exponent, 1) - 1075));
}

/** The double of a rational whose denominator is a power of two, if it has one that is not subnormal. */
export function toDouble({ numerator, denominator }: Rational): number {
  const shared = trailingZeros(denominator) < trailingZeros(numerator) ? denominator : numerator & -numerator;
  return numerator === 0n ? 0 : Number(numerator / shared) / Number(denominator / shared);
}

function trailingZeros(n: bigint): number {
  return n === 0n ? 0 : (n & -n).toString(2).length - 1;
}
