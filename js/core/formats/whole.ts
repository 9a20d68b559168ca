// Whole numbers that are typed: a count, a place, the bits of a field.

import { readOr, signed, toExact } from "./parse.ts";

/** The whole number that a text is, in the grammar of all numbers; null for any other, and for one that is not in low … high. */
export function wholeIn(text: string, low: number | bigint, high: number | bigint): bigint | null {
  const exact = readOr(() => toExact(text), null);
  if (exact?.kind !== "finite") return null;
  const { numerator, denominator } = signed(exact);
  const value = numerator / denominator;
  return value * denominator === numerator && low <= value && value <= high ? value : null;
}
