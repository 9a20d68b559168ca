// What happened to the number, in a sentence, and what it is, in a line: messages and their arguments.

import { classify, exact, fields, isFinite, isNegative, nextDown, nextUp, ulp } from "#core/formats/decode.ts";
import { OVERFLOWS, ROUNDINGS, saturates } from "#core/formats/encode.ts";
import { explain, type Explanation, type Rule } from "#core/formats/explain.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import type { Exact } from "#core/formats/parse.ts";
import { compare, floorLog2, negate, type Rational } from "#core/formats/rational.ts";
import { emphasised } from "#ui/dom.ts";
import { pieces, t, type MessageKey } from "#ui/messages.ts";
import { cut, digitsToTellApart, twoTo, valueIn, withMinus } from "#ui/digits.ts";
import { placesOf } from "#ui/number_line/marks.ts";
import type { EditedNumber } from "./state.ts";

/** A sentence of the catalogue; `tone` is the class of what happened. */
interface Sentence {
  readonly key: MessageKey;
  readonly args: Record<string, string>;
  readonly tone: Tone;
}

type Tone = "exact" | "rounded" | "overflow" | "underflow";

const SENTENCE_DIGITS = 17;
const FEW_DIGITS = 9; // of an error, or of one of many values
const TYPED = 40; // characters of the input that a sentence repeats

/** "normal · largest finite float16 · ulp 32" */
export function classLine(fmt: FloatFormat, code: bigint): string {
  const kind = classify(fmt, code);
  const parts = [t(`class.${kind}`)];
  if (kind === "nan" && fmt.nan === "ieee" && fmt.nanCode !== null) {
    const quiet = (code & fmt.nanCode) === fmt.nanCode;
    parts.push(t(quiet ? "bits.quiet" : "bits.signaling"));
  }
  const landmark = landmarks(fmt).find(([named]) => named === code);
  if (landmark) parts.push(t(landmark[1], { format: fmt.name }));
  if (isFinite(fmt, code)) parts.push(t("bits.ulp", { ulp: powerOfTwo(floorLog2(ulp(fmt, code))) }));
  return parts.join(" · ");
}

/** The codes of a format that have a name. */
export function landmarks(fmt: FloatFormat): readonly (readonly [code: bigint, key: MessageKey])[] {
  const smallestNormal = fmt.smallestNormalCode;
  const named: (readonly [bigint, MessageKey])[] = [];
  if (fmt.hasSubnormals) named.push([1n, "bits.smallest_subnormal"]);
  if (fmt.hasSubnormals && smallestNormal > 2n) named.push([smallestNormal - 1n, "bits.largest_subnormal"]);
  named.push([smallestNormal, "bits.smallest_normal"], [fmt.maxCode, "bits.largest"]);
  if (fmt.signed) named.push([fmt.signBit | fmt.maxCode, "bits.lowest"]);
  if (fmt.hasNegativeZero) named.push([fmt.signBit, "bits.negative_zero"]);
  return named;
}

/** 2^n as digits where they are few. */
function powerOfTwo(n: number): string {
  return n >= -4 && n <= 24 ? String(2 ** n) : twoTo(n);
}

/** 2047 × 2^5: the integer significand and the exponent of its unit, of a finite code. */
export function integerForm(fmt: FloatFormat, code: bigint): { significand: string; power: number } {
  const { biasedExponent, fraction } = fields(fmt, code);
  const sign = isNegative(fmt, code) ? "−" : "";
  const power = fmt.exponentOf(biasedExponent) - fmt.fractionBits;
  return { significand: `${sign}${fmt.significandOf(biasedExponent, fraction)}`, power };
}

/** What was typed and how it was rounded, or, after an edit of bits, what the bits are. The twin of floats/formats/explanation.py. */
export function sentence(number: EditedNumber): Sentence {
  const { fmt, code, input } = number;
  const args: Record<string, string> = {
    format: fmt.name,
    typed: withMinus(input.length <= TYPED ? input : input.slice(0, TYPED - 1) + "…"),
    value: valueIn(fmt, code, SENTENCE_DIGITS),
    code: fmt.toHex(code),
    rounding: number.rounding ?? ROUNDINGS[0],
    policy: number.overflow ?? OVERFLOWS[0],
  };
  const { key, tone, more } = input === "" ? ofBits(number) : ofInput(number);
  return { key, tone, args: { ...args, ...more } };
}

interface Chosen {
  readonly key: MessageKey;
  readonly tone: Tone;
  readonly more?: Record<string, string>;
}

function ofInput(number: EditedNumber): Chosen {
  const { fmt, code } = number;
  const how = explain(fmt, number.input, number);
  const { input, rule, midpoint } = how;
  const ieee = fmt.nan === "ieee"; // whose special values have many codes; others have one
  if (input.kind === "pattern") return { key: "bits.pattern", tone: "exact" };
  if (input.kind === "nan") return { key: ieee ? "bits.typed_nan" : "bits.typed_nan_code", tone: "exact" };
  if (input.kind === "infinity" && rule === "exact") return { key: ieee ? "bits.typed_infinity" : "bits.typed_infinity_code", tone: "overflow" };
  if (input.kind === "infinity") return lostInfinity(fmt, input.negative);
  if (rule === "exact") return { key: isLast(fmt, code) ? "bits.exact_edge" : "bits.exact", tone: "exact", more: neighbours(fmt, code) };
  return midpoint ? between(number, how, midpoint) : besideNothing(number, how, input);
}

function lostInfinity(fmt: FloatFormat, negative: boolean): Chosen {
  const lost = { tone: "overflow", more: { typed: infinity(negative) } } as const;
  if (negative && !fmt.signed) return { key: "bits.no_negative", ...lost };
  return { key: fmt.infCode === null ? "bits.no_infinity" : "bits.saturated", ...lost };
}

/** A value that has numbers on one side at most: below zero in an unsigned format, near zero in one without it. */
function besideNothing(number: EditedNumber, { rule, error }: Explanation, { magnitude }: Exact): Chosen {
  const { fmt, code } = number;
  const smallest = cut(fmt.magnitude(fmt.smallestCode), FEW_DIGITS);
  const more = { value: valueIn(fmt, code, FEW_DIGITS), smallest, ...(error && { error: signed(error) }) };
  const chosen = (key: MessageKey): Chosen => ({ key, tone: "underflow", more });
  if (magnitude.numerator === 0n) return chosen("bits.no_zero");
  if (rule === "underflow") return chosen("bits.too_small");
  if (rule === "overflow") return chosen(classify(fmt, code) === "zero" && !clamps(number) ? "bits.no_negative_inward" : "bits.no_negative");
  return chosen("bits.negative_to_zero");
}

/** A value between two numbers, or between the largest and the step that would follow it. */
function between(number: EditedNumber, how: Explanation, midpoint: Rational): Chosen {
  const { fmt, code } = number;
  const { below, above, value, isEdge } = placesOf(fmt, how);
  const overflows = how.rule === "overflow";
  const digits = digitsToTellApart([below, above, midpoint, value], overflows ? FEW_DIGITS : SENTENCE_DIGITS);
  const negative = value.numerator < 0n;
  const [inner, outer] = negative ? [above, below] : [below, above]; // toward zero, away from it
  const more: Record<string, string> = {
    below: cut(below, digits),
    above: cut(above, digits),
    inner: cut(inner, digits),
    outer: cut(outer, digits),
    midpoint: cut(midpoint, digits),
    value: valueIn(fmt, code, digits),
    infinity: infinity(negative),
    ...(how.error && { error: signed(how.error) }),
    ...(isEdge && { outside: t(fmt.infCode !== null ? "bits.would_be_infinity" : fmt.nan === "top" ? "bits.would_be_nan" : "bits.would_be_outside") }),
  };
  if (overflows) return { key: overflowKey(number, compare(value, midpoint) === 0), tone: "overflow", more };
  return { key: roundedKey(number, how.rule, isEdge), tone: classify(fmt, code) === "zero" ? "underflow" : "rounded", more };
}

function roundedKey(number: EditedNumber, rule: Rule, isEdge: boolean): MessageKey {
  const { fmt, code } = number;
  const zero = classify(fmt, code) === "zero";
  switch (rule) {
    case "direction":
      return isEdge ? "bits.direction_edge" : "bits.direction";
    case "odd":
      return isEdge ? "bits.odd_edge" : "bits.odd";
    case "tie":
      if (number.rounding === "ties-to-away") return "bits.tie_away";
      if (fmt.tiesToLarger) return "bits.tie_larger";
      return zero ? "bits.tie_zero" : isEdge ? "bits.tie_edge" : "bits.tie";
    case "nearest":
      if (isEdge) return midpointStays(number) ? "bits.nearest_edge_tie" : "bits.nearest_edge";
      return zero ? "bits.underflow" : "bits.nearest";
    default:
      return "bits.flushed";
  }
}

/** Out of range: which rule led there, and what the overflow policy made of it. */
function overflowKey(number: EditedNumber, tied: boolean): MessageKey {
  const { fmt, code, rounding = ROUNDINGS[0] } = number;
  const kind = classify(fmt, code);
  if (!rounding.startsWith("ties")) return kind === "infinity" || kind === "nan" ? "bits.overflow_directed" : "bits.overflow_inward";
  if (kind === "infinity" && tied) {
    if (rounding === "ties-to-away") return "bits.overflow_tie_away";
    return fmt.tiesToLarger ? "bits.overflow_tie_larger" : "bits.overflow_tie";
  }
  if (kind === "infinity") return midpointStays(number) ? "bits.overflow_past" : "bits.overflow";
  if (kind === "nan") return "bits.overflow_nan";
  return clamps(number) ? "bits.overflow_stays" : "bits.overflow_finite";
}

/** Whether the overflow threshold itself, a tie, is rounded to the largest finite value. */
function midpointStays({ fmt, rounding }: EditedNumber): boolean {
  return fmt.overflowTieStays && rounding !== "ties-to-away";
}

/** Whether the overflow policy gives the largest finite value whatever else the format has. */
function clamps({ fmt, overflow = OVERFLOWS[0] }: EditedNumber): boolean {
  return overflow === "propagate" || saturates(fmt, overflow);
}

/** Show the sentence in a callout; gives its text. */
export function showSentence(callout: HTMLElement, number: EditedNumber): string {
  const { key, args, tone } = sentence(number);
  callout.dataset.tone = tone;
  callout.replaceChildren(...emphasised(pieces(key, args)));
  return callout.textContent;
}

/** An error as it is read: with its sign. */
export function signed(error: Rational): string {
  return (error.numerator > 0n ? "+" : "") + cut(error, FEW_DIGITS);
}

const infinity = (negative: boolean): string => (negative ? "−∞" : "∞");

function ofBits({ fmt, code }: EditedNumber): Chosen {
  const kind = classify(fmt, code);
  const ieee = fmt.nan === "ieee";
  if (kind === "nan") return { key: ieee ? "bits.is_nan" : "bits.is_nan_code", tone: "exact" };
  if (kind === "infinity") {
    const threshold = isNegative(fmt, code) ? negate(fmt.overflowThreshold) : fmt.overflowThreshold;
    const more = { midpoint: cut(threshold, SENTENCE_DIGITS) };
    return { key: ieee ? "bits.is_infinity" : "bits.is_infinity_code", tone: "overflow", more };
  }
  return { key: isLast(fmt, code) ? "bits.is_value_edge" : "bits.is_value", tone: "exact", more: neighbours(fmt, code) };
}

/** Whether a finite code has no number above or none below. */
function isLast(fmt: FloatFormat, code: bigint): boolean {
  return nextDown(fmt, code) === code || nextUp(fmt, code) === code;
}

/** The values on either side of a finite code, in digits that tell them apart. */
export function neighbours(fmt: FloatFormat, code: bigint): { previous: string; next: string } {
  const [previous, next] = [nextDown(fmt, code), nextUp(fmt, code)];
  const finite = [previous, code, next].filter((c, i) => (i === 1 || c !== code) && isFinite(fmt, c)).map((c) => exact(fmt, c));
  const digits = digitsToTellApart(finite, SENTENCE_DIGITS);
  const onlyNaN = fmt.nan === "top" && (code & fmt.allOnes) === fmt.maxCode;
  const say = (c: bigint) => (c === code ? t(onlyNaN ? "bits.only_nan" : "bits.no_number") : valueIn(fmt, c, digits));
  return { previous: say(previous), next: say(next) };
}
