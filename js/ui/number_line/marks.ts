// The marks on a number line: both neighbours and their parity, the midpoint, and the exact input. And the number that the
// pointer or a key selects there: a value of the format, a midpoint, or a number in between. No DOM.

import { classify, isFinite, isNegative, nextDown, nextUp } from "#core/formats/decode.ts";
import type { Options } from "#core/formats/encode.ts";
import { explain, type Explanation } from "#core/formats/explain.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { signed } from "#core/formats/parse.ts";
import {
  add, compare, divide, floorLog10, magnitudeOf, multiply, nearestMultiple, negate, power, rational, subtract, type Rational,
} from "#core/formats/rational.ts";
import { clamp } from "#core/range.ts";
import { cut, digitsToTellApart, figure, place, withMinus } from "#ui/digits.ts";
import { t } from "#ui/messages.ts";
import { pixelOf, unitOf, valueAt, viewportOf, type Row, type Viewport } from "./viewport.ts";

const DIGITS = 12; // of a label, unless more are needed to tell the marks apart
const LONGEST_INPUT = 24; // characters
const MAGNET = 5; // pixels: the pointer snaps to a value or a midpoint this near
const ROOM = 20; // pixels: it snaps if values are this far apart, to midpoints at twice that
const EDGE = 2; // pixels from the ends of the viewport, so that the number stays in it
const EIGHTHS = 8n; // a key moves by this fraction of the gap between two values
const EVERY_DIGIT = 1_200; // more than any midpoint has, so that texts are exact

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
  const codes = [nextDown(fmt, code), code, nextUp(fmt, code)].filter((other, i) => i === 1 || other !== code);
  const digits = digitsToTellApart(codes.map((other) => place(fmt, other)), DIGITS);
  const marks = codes.map((other) => {
    const role = other === code ? "input" : compare(place(fmt, other), place(fmt, code)) > 0 ? "above" : "below";
    return neighbour(fmt, role, other, digits, other === code);
  });
  return { marks, digits };
}

function ofRounding(number: Rounded, how: Explanation, midpoint: Rational): Labelled {
  const { fmt, code, input } = number;
  const { below, above, value, isEdge } = placesOf(fmt, how);
  const typed = input.length <= LONGEST_INPUT ? input : input.slice(0, LONGEST_INPUT - 1) + "…";
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
    { role: "input", value, label: withMinus(typed), ...bare },
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
  const end = fmt.infCode ?? (fmt.overflowsToNan ? fmt.nanCode : null);
  const code = end === null ? null : end | (negative ? fmt.signBit : 0n);
  const label = code === null ? cut(value, digits) : `${cut(value, digits)} → ${figure(fmt, code).text}`;
  return { role, value, label, code, even: fmt.tiesToLarger ? null : !fmt.overflowTieStays, taken, beyond: true };
}

/** The values of a finite input and its neighbours. Past the largest finite value, `isEdge`, the step that would follow
 * stands for whatever is there. */
export function placesOf(fmt: FloatFormat, { input, midpoint, below, above }: Explanation): { below: Rational; above: Rational; value: Rational; isEdge: boolean } {
  if (input.kind !== "finite") throw new RangeError(`${input.kind} has no place on the line`);
  const isEdge = midpoint !== null && compare(magnitudeOf(midpoint), fmt.overflowThreshold) === 0;
  const negative = midpoint !== null && midpoint.numerator < 0n;
  return {
    below: isEdge && negative ? negate(fmt.overflowStep) : place(fmt, below),
    above: isEdge && !negative ? fmt.overflowStep : place(fmt, above),
    value: signed(input),
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

/** A code of the format, or a text to be rounded to it. */
export type Target = { readonly code: bigint } | { readonly text: string };

/** The number at a pixel, with as few digits as distinguish it from the next pixel's. */
export function targetAt({ fmt, view, ticks: values, bands }: Row, pixel: number): Target {
  const x = clamp(pixel, EDGE, view.width - EDGE);
  const isNear = (at: number) => Math.abs(at - x) <= MAGNET;
  const beyond = (value: Rational) => ({ value, x: pixelOf(view, value), code: null }); // the step past the largest value
  const ticks = [
    ...(values[0]?.code === (fmt.signBit | fmt.maxCode) ? [beyond(negate(fmt.overflowStep))] : []),
    ...values,
    ...(values.at(-1)?.code === fmt.maxCode ? [beyond(fmt.overflowStep)] : []),
  ];
  for (const [i, tick] of ticks.entries()) {
    const next = ticks[i + 1];
    const [before, after] = [tick.x - (ticks[i - 1]?.x ?? -Infinity), (next?.x ?? Infinity) - tick.x];
    if (isNear(tick.x) && Math.min(before, after) >= ROOM) return tick.code === null ? textOf(tick.value) : { code: tick.code };
    const isBesideBand = bands.some(({ from, to }) => from < tick.x + after && to > tick.x);
    if (next && after >= 2 * ROOM && !isBesideBand && isNear(tick.x + after / 2)) {
      return textOf(divide(add(tick.value, next.value), rational(2n)));
    }
  }
  return textOf(nearestMultiple(valueAt(view, x), power(10n, floorLog10(unitOf(view.level)))));
}

/** The number an eighth of the gap away, which includes values and midpoints; null at the end of the line. */
export function targetBeside(marks: readonly Mark[], direction: 1 | -1): Target | null {
  const of = (role: Mark["role"]) => marks.find((mark) => mark.role === role);
  const input = of("input");
  const isExact = !of("midpoint");
  const low = isExact && direction > 0 ? input : of("below");
  const high = isExact && direction < 0 ? input : of("above");
  if (!input || !low || !high) return null;
  const eighth = divide(subtract(high.value, low.value), rational(EIGHTHS));
  const { numerator, denominator } = divide(subtract(input.value, low.value), eighth);
  if (numerator < 0n) return direction > 0 ? targetOf(low) : null;
  const count = direction > 0 ? numerator / denominator + 1n : (numerator + denominator - 1n) / denominator - 1n;
  if (count <= 0n) return targetOf(low);
  if (count < EIGHTHS) return textOf(add(low.value, multiply(rational(count), eighth)));
  return direction > 0 && compare(input.value, high.value) >= 0 ? null : targetOf(high);
}

/** The value at which a mark is drawn; beyond the largest finite value, the one that would come next. */
export function targetOf({ code, beyond, value }: Mark): Target {
  return code === null || beyond ? textOf(value) : { code };
}

function textOf(value: Rational): Target {
  return { text: cut(value, EVERY_DIGIT) };
}
