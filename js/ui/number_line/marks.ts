// The marks on a number line: both neighbours and their parity, the midpoint, and the exact input.

import { classify, isFinite, isNegative, nextDown, nextUp } from "#core/formats/decode.ts";
import type { Options } from "#core/formats/encode.ts";
import { explain, type Explanation } from "#core/formats/explain.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { signed } from "#core/formats/parse.ts";
import { compare, magnitudeOf, negate, rational, subtract, type Rational } from "#core/formats/rational.ts";
import { cut, digitsToTellApart, figure, place, withMinus } from "#ui/digits.ts";
import { t } from "#ui/messages.ts";
import { viewportOf, type Viewport } from "./viewport.ts";

const DIGITS = 12;
const LONGEST_INPUT = 24; // characters

/** A code, and the input that was rounded to it; "" for bits that were edited. */
export interface Rounded extends Options {
  readonly fmt: FloatFormat;
  readonly code: bigint;
  readonly input: string;
}

/** "far": the next value beyond a neighbour, drawn without a part in the decision. */
type Role = "below" | "above" | "midpoint" | "input" | "far";

/** A value marked on the line; beyond the largest finite value, the one that would come next. */
export interface Mark {
  readonly role: Role;
  readonly value: Rational;
  readonly label: string;
  /** The code of a neighbour, if it has one. */
  readonly code: bigint | null;
  /** Whether a neighbour is even, so that ties go to it; null if the format has another rule for ties. */
  readonly even: boolean | null;
  /** Whether it is the result of rounding. */
  readonly taken: boolean;
  /** Whether it is beyond the largest finite value. */
  readonly beyond: boolean;
}

/** In this order: below, midpoint, input, above. For an exact number, the input is its value. Empty for NaN. */
export function marksOf(number: Rounded): readonly Mark[] {
  return labelled(number).marks;
}

/** The marks and, around them, the next value on either side. */
export function marksAndFar(number: Rounded): readonly Mark[] {
  const { marks, digits } = labelled(number);
  const next = (mark: Mark | undefined, step: typeof nextUp) => {
    if (!mark || mark.code === null || mark.beyond) return [];
    const code = step(number.fmt, mark.code);
    return code === mark.code ? [] : [neighbour(number.fmt, "far", code, digits, false)];
  };
  return [...next(marks.at(0), nextDown), ...marks, ...next(marks.at(-1), nextUp)];
}

/** The marks, and the number of digits that distinguishes them. */
interface Labelled {
  readonly marks: readonly Mark[];
  readonly digits: number;
}

function labelled(number: Rounded): Labelled {
  const { fmt, code, input } = number;
  const how = input === "" ? null : explain(fmt, input, number);
  if (how?.midpoint) return ofRounding(number, how, how.midpoint);
  if (classify(fmt, code) === "nan") return { marks: [], digits: DIGITS };
  const beside = [nextDown(fmt, code), code, nextUp(fmt, code)].filter((one, i) => i === 1 || one !== code);
  const digits = digitsToTellApart(beside.map((one) => place(fmt, one)), DIGITS);
  const marks = beside.map((one) => {
    const role = one === code ? "input" : compare(place(fmt, one), place(fmt, code)) > 0 ? "above" : "below";
    return neighbour(fmt, role, one, digits, one === code);
  });
  return { marks, digits };
}

function ofRounding(number: Rounded, how: Explanation, midpoint: Rational): Labelled {
  const { fmt, code } = number;
  const { below, above, value, isEdge } = placesOf(fmt, how);
  const apart = compare(value, midpoint) === 0 ? [] : [value];
  const digits = digitsToTellApart([below, above, midpoint, ...apart], DIGITS);
  const negative = midpoint.numerator < 0n;
  const beside = (role: "below" | "above"): Mark =>
    isEdge && (role === "below") === negative
      ? beyond(fmt, role, negative, digits, !isFinite(fmt, code))
      : neighbour(fmt, role, how[role], digits, how[role] === code);
  const bare = { code: null, even: null, taken: false, beyond: false };
  const marks: Mark[] = [
    beside("below"),
    { role: "midpoint", value: midpoint, label: cut(midpoint, digits), ...bare },
    { role: "input", value, label: withMinus(number.input.slice(0, LONGEST_INPUT)), ...bare },
    beside("above"),
  ];
  return { marks, digits };
}

function neighbour(fmt: FloatFormat, role: Role, code: bigint, digits: number, taken: boolean): Mark {
  if (!isFinite(fmt, code)) return beyond(fmt, role, isNegative(fmt, code), digits, taken);
  const zero = figure(fmt, code).text === "−0";
  const value = place(fmt, code);
  const even = fmt.tiesToLarger ? null : (code & 1n) === 0n;
  return { role, value, label: zero ? "−0" : cut(value, digits), code, even, taken, beyond: false };
}

/** The value that would come after the largest finite one, and what is drawn there. */
function beyond(fmt: FloatFormat, role: Role, negative: boolean, digits: number, taken: boolean): Mark {
  const value = negative ? negate(fmt.overflowStep) : fmt.overflowStep;
  const end = fmt.infCode ?? fmt.nanCode;
  const code = end === null ? null : end | (negative ? fmt.signBit : 0n);
  const label = code === null ? cut(value, digits) : `${cut(value, digits)} → ${figure(fmt, code).text}`;
  return { role, value, label, code, even: fmt.tiesToLarger ? null : !fmt.overflowTieStays, taken, beyond: true };
}

/** The values of a finite input and its neighbours. Past the largest finite value, `isEdge`, the step that would follow
 * stands for whatever is there. */
export function placesOf(fmt: FloatFormat, { given, midpoint, below, above }: Explanation): { below: Rational; above: Rational; value: Rational; isEdge: boolean } {
  if (given.kind !== "finite") throw new RangeError(`${given.kind} has no place on the line`);
  const isEdge = midpoint !== null && compare(magnitudeOf(midpoint), fmt.overflowThreshold) === 0;
  const negative = midpoint !== null && midpoint.numerator < 0n;
  return {
    below: isEdge && negative ? negate(fmt.overflowStep) : place(fmt, below),
    above: isEdge && !negative ? fmt.overflowStep : place(fmt, above),
    value: signed(given),
    isEdge,
  };
}

/** The label of a mark, which is also read aloud. */
export function labelOf({ role, label }: Mark): string {
  return role === "midpoint" ? t("bits.midpoint", { midpoint: label }) : label;
}

/** Which share of the width lies between a midpoint, or else an exact number, and its farther neighbour. */
export interface Shares {
  readonly midpoint: number;
  readonly exact: number;
}

/** The view that shows the neighbours; around zero for NaN. */
export function fitted(marks: readonly Mark[], width: number, shares: Shares = { midpoint: 0.21, exact: 0.24 }): Viewport {
  const of = (role: Role) => marks.find((mark) => mark.role === role)?.value;
  const [midpoint, input, beside] = [of("midpoint"), of("input") ?? rational(0n), [of("below"), of("above")]];
  const centre = midpoint ?? input;
  const gaps = beside.flatMap((value) => (value ? [magnitudeOf(subtract(value, centre))] : []));
  const gap = gaps.reduce((a, b) => (compare(a, b) >= 0 ? a : b), rational(0n));
  return viewportOf(centre, gap.numerator ? gap : rational(1n), midpoint ? shares.midpoint : shares.exact, width);
}
