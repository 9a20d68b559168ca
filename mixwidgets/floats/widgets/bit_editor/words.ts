// What happened to the number, in a sentence, and what it is, in a line: messages and their arguments.

import { classify, exact, fields, isFinite, isNegative, nextDown, nextUp, ulp } from "#core/formats/decode.ts";
import { OVERFLOWS, ROUNDINGS } from "#core/formats/encode.ts";
import { explain, type Explanation } from "#core/formats/explain.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import type { Exact } from "#core/formats/parse.ts";
import { compare, floorLog2, negate, type Rational } from "#core/formats/rational.ts";
import { emphasised } from "#ui/dom.ts";
import { pieces, t, type MessageKey } from "#ui/messages.ts";
import { cut, digitsToTellApart, figure, twoTo, withMinus } from "#ui/digits.ts";
import { placesOf } from "#ui/number_line/marks.ts";
import type { EditedNumber } from "./state.ts";

/** A sentence of the catalogue; `tone` is the class of what happened. */
interface Sentence {
  readonly key: MessageKey;
  readonly args: Record<string, string>;
  readonly tone: "exact" | "rounded" | "overflow" | "underflow";
}

const SENTENCE_DIGITS = 17;
const ERROR_DIGITS = 9;
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
  if (smallestNormal > 1n) named.push([1n, "bits.smallest_subnormal"]);
  if (smallestNormal > 2n) named.push([smallestNormal - 1n, "bits.largest_subnormal"]);
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
export function integerForm(fmt: FloatFormat, code: bigint): { significand: string; power: string } {
  const { biasedExponent, fraction } = fields(fmt, code);
  const sign = isNegative(fmt, code) ? "−" : "";
  const power = fmt.exponentOf(biasedExponent) - fmt.fractionBits;
  return { significand: `${sign}${fmt.significandOf(biasedExponent, fraction)}`, power: withMinus(String(power)) };
}

/** What was typed and how it was rounded, or, after an edit of bits, what the bits are. */
export function sentence(number: EditedNumber): Sentence {
  const { fmt, code, input } = number;
  const kind = classify(fmt, code);
  const args: Record<string, string> = {
    format: fmt.name,
    typed: withMinus(input.length <= TYPED ? input : input.slice(0, TYPED - 1) + "…"),
    value: figure(fmt, code).text,
    code: fmt.toHex(code),
    rounding: number.rounding ?? ROUNDINGS[0],
    policy: number.overflow ?? OVERFLOWS[0],
  };
  if (input === "") return { ...ofBits(number, args), tone: kind === "infinity" ? "overflow" : "exact" };
  const how = explain(fmt, input, number);
  const ieee = fmt.nan === "ieee";
  if (how.input.kind === "pattern") return { key: "bits.pattern", args, tone: "exact" };
  if (how.input.kind === "nan") return { key: ieee ? "bits.typed_nan" : "bits.typed_nan_code", args, tone: "exact" };
  if (how.input.kind === "infinity") {
    args.typed = figureOfInfinity(how.input.negative);
    if (kind !== "infinity") return { key: fmt.infCode === null ? "bits.no_infinity" : "bits.saturated", args, tone: "overflow" };
    return { key: ieee ? "bits.typed_infinity" : "bits.typed_infinity_code", args, tone: "overflow" };
  }
  if (how.rule === "exact") return { key: "bits.exact", args: { ...args, ...neighbours(fmt, code) }, tone: "exact" };
  if (!how.midpoint) return ofNoPlace(number, how.input, args);
  return ofRounding(number, how, how.midpoint, args);
}

/** A value below what an unsigned format, or one without zero, begins with. */
function ofNoPlace({ fmt }: EditedNumber, input: Exact, args: Record<string, string>): Sentence {
  args.smallest = cut(fmt.magnitude(0n), ERROR_DIGITS);
  const isZero = input.magnitude.numerator === 0n;
  const key = isZero ? "bits.no_zero" : input.negative ? "bits.no_negative" : "bits.too_small";
  return { key, args, tone: "underflow" };
}

function ofRounding(number: EditedNumber, how: Explanation, midpoint: Rational, args: Record<string, string>): Sentence {
  const { fmt, code } = number;
  const { below, above, value, isEdge } = placesOf(fmt, how);
  const tied = compare(value, midpoint) === 0;
  const least = how.rule === "overflow" ? ERROR_DIGITS : SENTENCE_DIGITS; // of three numbers at once
  const digits = digitsToTellApart([below, above, midpoint, ...(tied ? [] : [value])], least);
  const negative = value.numerator < 0n;
  const [inner, outer] = negative ? [above, below] : [below, above]; // toward zero, away from it
  Object.assign(args, {
    below: cut(below, digits),
    above: cut(above, digits),
    inner: cut(inner, digits),
    outer: cut(outer, digits),
    midpoint: cut(midpoint, digits),
    infinity: figureOfInfinity(negative),
  });
  if (isFinite(fmt, code)) args.value = cut(exact(fmt, code), digits);
  if (how.error) args.error = signed(how.error);
  if (isEdge) args.outside = t(fmt.infCode !== null ? "bits.would_be_infinity" : fmt.nanCode !== null ? "bits.would_be_nan" : "bits.would_be_outside");
  if (how.rule === "overflow") return { key: overflowKey(number, tied), args, tone: "overflow" };
  const zero = classify(fmt, code) === "zero";
  const tone = zero ? "underflow" : "rounded";
  if (how.rule === "direction") return { key: isEdge ? "bits.direction_edge" : "bits.direction", args, tone };
  if (how.rule === "odd") return { key: "bits.odd", args, tone };
  if (how.rule === "tie") {
    if (number.rounding === "ties-to-away") return { key: "bits.tie_away", args, tone };
    if (fmt.tiesToLarger) return { key: "bits.tie_larger", args, tone };
    return { key: zero ? "bits.tie_zero" : "bits.tie", args, tone };
  }
  if (isEdge) return { key: midpointStays(number) ? "bits.nearest_edge_tie" : "bits.nearest_edge", args, tone };
  return { key: zero ? "bits.underflow" : "bits.nearest", args, tone };
}

/** Whether the overflow threshold itself, a tie, is rounded to the largest finite value. */
function midpointStays({ fmt, rounding }: EditedNumber): boolean {
  return fmt.overflowTieStays && rounding !== "ties-to-away";
}

/** Out of range: which rule led there, and what the overflow policy made of it. */
function overflowKey(number: EditedNumber, tied: boolean): MessageKey {
  const { fmt, code, rounding = ROUNDINGS[0] } = number;
  const kind = classify(fmt, code);
  if (!rounding.startsWith("ties")) return kind === "infinity" || kind === "nan" ? "bits.overflow_directed" : "bits.overflow_inward";
  if (kind === "infinity" && tied) return rounding === "ties-to-away" ? "bits.overflow_tie_away" : "bits.overflow_tie";
  if (kind === "infinity") return midpointStays(number) ? "bits.overflow_past" : "bits.overflow";
  return kind === "nan" ? "bits.overflow_nan" : "bits.overflow_stays";
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
  return (error.numerator > 0n ? "+" : "") + cut(error, ERROR_DIGITS);
}

function figureOfInfinity(negative: boolean): string {
  return negative ? "−∞" : "∞";
}

function ofBits({ fmt, code }: EditedNumber, args: Record<string, string>): { key: MessageKey; args: Record<string, string> } {
  const kind = classify(fmt, code);
  const ieee = fmt.nan === "ieee";
  if (kind === "nan") return { key: ieee ? "bits.is_nan" : "bits.is_nan_code", args };
  if (kind === "infinity") {
    const threshold = isNegative(fmt, code) ? negate(fmt.overflowThreshold) : fmt.overflowThreshold;
    return { key: ieee ? "bits.is_infinity" : "bits.is_infinity_code", args: { ...args, midpoint: cut(threshold, SENTENCE_DIGITS) } };
  }
  const value = args.value === "−0" ? args.value : cut(exact(fmt, code), SENTENCE_DIGITS);
  return { key: "bits.is_value", args: { ...args, value, ...neighbours(fmt, code) } };
}

/** The values on either side of a finite code, in digits that tell them apart. */
export function neighbours(fmt: FloatFormat, code: bigint): { previous: string; next: string } {
  const [previous, next] = [nextDown(fmt, code), nextUp(fmt, code)];
  const finite = [previous, code, next].filter((c, i) => (i === 1 || c !== code) && isFinite(fmt, c)).map((c) => exact(fmt, c));
  const digits = digitsToTellApart(finite, SENTENCE_DIGITS);
  const say = (c: bigint) => (isFinite(fmt, c) ? cut(exact(fmt, c), digits) : figure(fmt, c).text);
  return {
    previous: previous === code ? t("bits.nothing_below") : say(previous),
    next: next === code ? t("bits.nothing_above") : say(next),
  };
}
