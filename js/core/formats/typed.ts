// Numbers typed into fields, in the grammar of all numbers.

import { readOr, signed, toExact } from "./parse.ts";
import { type Rational, toNumber } from "./rational.ts";

/** A text's value if it is a whole number in low … high, else null; of the type of these. */
export function wholeIn(text: string, low: number, high: number): number | null;
export function wholeIn(text: string, low: bigint, high: bigint): bigint | null;
export function wholeIn(text: string, low: number | bigint, high: number | bigint): number | bigint | null {
  const exact = finite(text);
  if (!exact) return null;
  const value = exact.numerator / exact.denominator;
  if (value * exact.denominator !== exact.numerator || value < low || value > high) return null;
  return typeof low === "bigint" ? value : Number(value);
}

/** A text's value, rounded to a Number, if it is in low … high, else null. */
export function realIn(text: string, low: number, high: number): number | null {
  const exact = finite(text);
  const value = exact ? toNumber(exact) : NaN;
  return low <= value && value <= high ? value : null;
}

function finite(text: string): Rational | null {
  const exact = readOr(() => toExact(text), null);
  return exact?.kind === "finite" ? signed(exact) : null;
}
