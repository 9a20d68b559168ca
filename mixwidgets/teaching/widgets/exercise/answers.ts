// Numbers that were typed, and how two of them compare. The twin of mixwidgets/teaching/exercises/answers.py.

import { decoded } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { checkWidth, InputError, signed, toExact, type Exact } from "#core/formats/parse.ts";
import { compare, magnitudeOf, type Rational } from "#core/formats/rational.ts";

/** The number that a text means; a bit pattern is a code of `fmt`. Throws InputError for what is none. */
export function readNumber(text: string, fmt?: FloatFormat): Exact {
  const found = toExact(text, fmt !== undefined);
  if (found.kind !== "pattern") return found;
  if (!fmt) throw new InputError("parse.hex_exponent", { text: `'${text.slice(0, 40)}'` });
  return decoded(fmt, checkWidth(found.code, fmt.bits, fmt.name));
}

export function finite(value: Rational): Exact {
  return { kind: "finite", negative: value.numerator < 0n, magnitude: magnitudeOf(value) };
}

/** Whether two answers mean the same: −0 is 0, and NaN is NaN. */
export function same(x: Exact, y: Exact): boolean {
  if (x.kind !== y.kind || x.kind === "nan") return x.kind === y.kind;
  return x.kind === "finite" ? compare(signed(x), signed(y)) === 0 : x.negative === y.negative;
}

/** Whether x ≤ y. A NaN is neither. */
export function atMost(x: Exact, y: Exact): boolean {
  if (x.kind === "nan" || y.kind === "nan") return false;
  if (x.kind === "finite" && y.kind === "finite") return compare(signed(x), signed(y)) <= 0;
  return same(x, y) || (x.kind === "infinity" ? x.negative : !y.negative);
}
