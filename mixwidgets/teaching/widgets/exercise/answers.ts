// Numbers as typed in answers, and their comparison. The twin of mixwidgets/teaching/exercises/answers.py.

import { decoded } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { checkWidth, InputError, signed, toExact, type Exact } from "#core/formats/parse.ts";
import { compare, magnitudeOf, type Rational } from "#core/formats/rational.ts";

/** The number in a text; a bit pattern is a code of `fmt`. Throws InputError if it is not a number. */
export function readNumber(text: string, fmt?: FloatFormat): Exact {
  const number = toExact(text, fmt !== undefined);
  if (number.kind !== "pattern") return number;
  if (!fmt) throw new InputError("parse.hex_exponent", { text: `'${text.slice(0, 40)}'` });
  return decoded(fmt, checkWidth(number.code, fmt.bits, fmt.name));
}

export function finite(value: Rational): Exact {
  return { kind: "finite", negative: value.numerator < 0n, magnitude: magnitudeOf(value) };
}

/** Whether two answers are equal: −0 equals 0, and NaN equals NaN. */
export function same(x: Exact, y: Exact): boolean {
  if (x.kind !== y.kind || x.kind === "nan") return x.kind === y.kind;
  return x.kind === "finite" ? compare(signed(x), signed(y)) === 0 : x.negative === y.negative;
}

/** Whether x ≤ y; false for NaN. */
export function atMost(x: Exact, y: Exact): boolean {
  if (x.kind === "nan" || y.kind === "nan") return false;
  if (x.kind === "finite" && y.kind === "finite") return compare(signed(x), signed(y)) <= 0;
  return same(x, y) || (x.kind === "infinity" ? x.negative : !y.negative);
}
