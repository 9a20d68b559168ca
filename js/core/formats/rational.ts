// Exact rationals as pairs of BigInts.

/** numerator / denominator with denominator > 0, not always in lowest terms. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export function rational(numerator: bigint, denominator = 1n): Rational {
  return { numerator, denominator };
}

/** base^exponent, for a positive base. */
export function power(base: bigint, exponent: number): Rational {
  return exponent >= 0 ? rational(base ** BigInt(exponent)) : rational(1n, base ** BigInt(-exponent));
}

export function negate(x: Rational): Rational {
  return rational(-x.numerator, x.denominator);
}

export function magnitudeOf(x: Rational): Rational {
  return x.numerator < 0n ? negate(x) : x;
}

export function multiply(x: Rational, y: Rational): Rational {
  return rational(x.numerator * y.numerator, x.denominator * y.denominator);
}

/** x / y, for a positive y. */
export function divide(x: Rational, y: Rational): Rational {
  return rational(x.numerator * y.denominator, x.denominator * y.numerator);
}

export function add(x: Rational, y: Rational): Rational {
  return rational(x.numerator * y.denominator + y.numerator * x.denominator, x.denominator * y.denominator);
}

export function subtract(x: Rational, y: Rational): Rational {
  return add(x, negate(y));
}

/** The multiple of a positive unit that is nearest to x; of two, the farther from zero. */
export function nearestMultiple(x: Rational, unit: Rational): Rational {
  const { numerator, denominator } = divide(magnitudeOf(x), unit);
  const count = (2n * numerator + denominator) / (2n * denominator);
  return multiply(rational(x.numerator < 0n ? -count : count), unit);
}

/** −1, 0 or 1 if x is less than, equal to or greater than y. */
export function compare(x: Rational, y: Rational): number {
  const left = x.numerator * y.denominator;
  const right = y.numerator * x.denominator;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** ⌊log2 x⌋ of a positive rational. Math.log2 would be wrong just below powers of two. */
export function floorLog2(x: Rational): number {
  const guess = bitLength(x.numerator) - bitLength(x.denominator);
  return compare(x, power(2n, guess)) >= 0 ? guess : guess - 1;
}

/** ⌊log10 x⌋ of a positive rational. */
export function floorLog10(x: Rational): number {
  const guess = String(x.numerator).length - String(x.denominator).length;
  return compare(x, power(10n, guess)) >= 0 ? guess : guess - 1;
}

/** The bits of a magnitude; 1 of 0. */
export function bitLength(n: bigint): number {
  const hex = n.toString(16);
  return 4 * (hex.length - 1) + Number.parseInt(hex.slice(0, 1), 16).toString(2).length;
}

/** The nearest Number; in float64's subnormal range it may be a neighbour of the nearest. */
export function toNumber(x: Rational): number {
  const { numerator, denominator } = magnitudeOf(x);
  const shift = 64 + bitLength(denominator) - bitLength(numerator); // leaves a quotient of 64 or 65 bits
  const [top, bottom] = shift < 0 ? [numerator, denominator << BigInt(-shift)] : [numerator << BigInt(shift), denominator];
  const quotient = (top / bottom) | (top % bottom === 0n ? 0n : 1n); // the last bit is sticky: 1 if any later bit is 1
  const half = Math.floor(shift / 2); // 2^-shift alone may be too small for a Number
  const magnitude = (Number(quotient) / 2 ** half) / 2 ** (shift - half);
  return x.numerator < 0n ? -magnitude : magnitude;
}
