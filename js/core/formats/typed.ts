// Numbers that are typed, in the grammar of all numbers: whole ones (a count, a place, the bits of a field), and others.

import { readOr, signed, toExact } from "./parse.ts";
import { type Rational, toNumber } from "./rational.ts";

/** The whole number that a text is; null for any other, and for one that is not in low … high. */
export function wholeIn(text: string, low: number | bigint, high: number | bigint): bigint | null {
  const exact = finite(text);
  if (!exact) return null;
  const value = exact.numerator / exact.denominator;
  return value * exact.denominator === exact.numerator && low <= value && value <= high ? value : null;
}

/** The number nearest to a text's value; null where it is not in low … high. */
export function realIn(text: string, low: number, high: number): number | null {
  const exact = finite(text);
  const value = exact ? toNumber(exact) : NaN;
  return low <= value && value <= high ? value : null;
}

function finite(text: string): Rational | null {
  const exact = readOr(() => toExact(text), null);
  return exact?.kind === "finite" ? signed(exact) : null;
}
