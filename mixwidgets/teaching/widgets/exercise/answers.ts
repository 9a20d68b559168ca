// Numbers as typed in answers, and their comparison. The twin of mixwidgets/teaching/exercises/answers.py.

import { decoded } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { checkWidth, InputError, signed, splitUnit, toExact, type Exact } from "#core/formats/parse.ts";
import { compare, magnitudeOf, multiply, type Rational } from "#core/formats/rational.ts";

/** What one of each unit is worth: {"bytes": "1", "bits": "1/8"}. */
export type Units = Readonly<Record<string, string>>;

/** The number in a text, which one of the units may follow; a bit pattern is a code of `fmt`. Throws InputError if it is not a
 * number. */
export function readNumber(text: string, fmt?: FloatFormat, units: Units = {}): Exact {
  const [plain, unit] = splitUnit(text);
  const name = [unit, unit.toLowerCase()].find((known) => Object.hasOwn(units, known));
  if (name !== undefined) {
    const many = readNumber(plain, fmt);
    return { ...many, magnitude: multiply(many.magnitude, readNumber(units[name]!).magnitude) };
  }
  const number = toExact(text, fmt !== undefined);
  if (number.kind !== "pattern") return number;
  if (!fmt) throw new InputError("parse.no_format", { text: `'${text.trim().slice(0, 40)}'`, candidate: String(number.code).slice(0, 40) });
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
