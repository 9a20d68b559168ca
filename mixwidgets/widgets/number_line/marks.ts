// What the line points at: the two neighbours and their parity, the midpoint, and the exact input.

import { classify, isFinite, isNegative, nextDown, nextUp } from "#core/formats/decode.ts";
import { explain, type Explanation } from "#core/formats/explain.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { compare, magnitudeOf, negate, rational, subtract, type Rational } from "#core/formats/rational.ts";
import { cut, digitsToTellApart, figure, place } from "#ui/digits.ts";
import type { EditedNumber } from "#widgets/bit_editor/state.ts";
import { exactOf, places, typedText } from "#widgets/bit_editor/words.ts";
import { viewOf, type View } from "./view.ts";

const DIGITS = 12;

/** A value that stands on the line; past the range's end, the step at which what is beyond it would stand. */
export interface Mark {
  readonly role: "below" | "above" | "midpoint" | "input";
  readonly value: Rational;
  readonly label: string;
  /** Of neighbours that have one. */
  readonly code: bigint | null;
  /** Whether a neighbour is even, so that a tie goes to it; null where the format has another rule for ties. */
  readonly even: boolean | null;
  /** Whether rounding gave this one. */
  readonly taken: boolean;
  /** Whether it lies past the largest finite value. */
  readonly beyond: boolean;
}

/** In this order: below, midpoint, input, above. An exact number is its own input. None for NaN. */
export function marksOf(number: EditedNumber): readonly Mark[] {
  const { fmt, code, input } = number;
  const how = input === "" ? null : explain(fmt, input, number);
  if (how?.midpoint) return ofRounding(number, how, how.midpoint);
  if (classify(fmt, code) === "nan") return [];
  const beside = [nextDown(fmt, code), code, nextUp(fmt, code)].filter((one, i) => i === 1 || one !== code);
  const digits = digitsToTellApart(beside.map((one) => place(fmt, one)), DIGITS);
  return beside.map((one) => {
    const role = one === code ? "input" : compare(place(fmt, one), place(fmt, code)) > 0 ? "above" : "below";
    return neighbour(fmt, role, one, digits, one === code);
  });
}

function ofRounding(number: EditedNumber, how: Explanation, midpoint: Rational): readonly Mark[] {
  const { fmt, code } = number;
  const { below, above, isEdge } = places(fmt, how);
  const value = exactOf(how);
  const apart = compare(value, midpoint) === 0 ? [] : [value];
  const digits = digitsToTellApart([below, above, midpoint, ...apart], DIGITS);
  const negative = midpoint.numerator < 0n;
  const beside = (role: "below" | "above"): Mark =>
    isEdge && (role === "below") === negative
      ? beyond(fmt, role, negative, digits, !isFinite(fmt, code))
      : neighbour(fmt, role, how[role], digits, how[role] === code);
  const bare = { code: null, even: null, taken: false, beyond: false };
  return [
    beside("below"),
    { role: "midpoint", value: midpoint, label: cut(midpoint, digits), ...bare },
    { role: "input", value, label: typedText(number).slice(0, 24), ...bare },
    beside("above"),
  ];
}

function neighbour(fmt: FloatFormat, role: Mark["role"], code: bigint, digits: number, taken: boolean): Mark {
  if (!isFinite(fmt, code)) return beyond(fmt, role, isNegative(fmt, code), digits, taken);
  const zero = figure(fmt, code).text === "−0";
  const value = place(fmt, code);
  return { role, value, label: zero ? "−0" : cut(value, digits), code, even: isEven(fmt, code), taken, beyond: false };
}

/** Whether a tie goes to this code: its last bit is 0. Null where the format takes the larger of two instead. */
export function isEven(fmt: FloatFormat, code: bigint): boolean | null {
  return fmt.tiesToLarger ? null : (code & 1n) === 0n;
}

/** The step past the largest finite value, and what stands there. */
function beyond(fmt: FloatFormat, role: Mark["role"], negative: boolean, digits: number, taken: boolean): Mark {
  const value = negative ? negate(fmt.overflowStep) : fmt.overflowStep;
  const end = fmt.infCode ?? fmt.nanCode;
  const code = end === null ? null : end | (negative ? fmt.signBit : 0n);
  const label = code === null ? cut(value, digits) : `${cut(value, digits)} → ${figure(fmt, code).text}`;
  return { role, value, label, code, even: fmt.tiesToLarger ? null : !fmt.overflowTieStays, taken, beyond: true };
}

/** The view in which the marks tell their story; around zero for NaN. */
export function fitted(marks: readonly Mark[], width: number): View {
  const of = (role: Mark["role"]) => marks.find((mark) => mark.role === role)?.value;
  const [midpoint, input, beside] = [of("midpoint"), of("input") ?? rational(0n), [of("below"), of("above")]];
  const centre = midpoint ?? input;
  const gaps = beside.flatMap((value) => (value ? [magnitudeOf(subtract(value, centre))] : []));
  const gap = gaps.reduce((a, b) => (compare(a, b) >= 0 ? a : b), rational(0n));
  return viewOf(centre, gap.numerator ? gap : rational(1n), midpoint ? 0.21 : 0.24, width);
}
