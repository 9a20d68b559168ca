// What happened to the number, in a sentence, and what it is, in a line. Pure: messages and their arguments.

import { classify, exact, fields, isFinite, nextDown, nextUp, toDecimal, ulp } from "../../formats/decode.ts";
import { explain, type Explanation } from "../../formats/explain.ts";
import type { FloatFormat } from "../../formats/float_format.ts";
import { compare, floorLog2, negate, type Rational } from "../../formats/rational.ts";
import { t, type MessageKey } from "../../ui/messages.ts";
import { cut, digitsToTellApart, figure, place, superscript, withMinus } from "./digits.ts";
import type { EditedNumber } from "./state.ts";

/** A sentence of the catalogue; `tone` is the class of what happened. */
export interface Sentence {
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
  const parts = [t(`bits.class_${kind}`)];
  if (kind === "nan") {
    const quiet = (code & fmt.nanCode) === fmt.nanCode;
    parts.push(t(quiet ? "bits.quiet" : "bits.signaling"));
  }
  const landmark = landmarkOf(fmt, code);
  if (landmark) parts.push(t(landmark, { format: fmt.name }));
  if (isFinite(fmt, code)) parts.push(t("bits.ulp", { ulp: powerOfTwo(floorLog2(ulp(fmt, code))) }));
  return parts.join(" · ");
}

function landmarkOf(fmt: FloatFormat, code: bigint): MessageKey | undefined {
  const smallestNormal = 1n << BigInt(fmt.fractionBits);
  const names = new Map<bigint, MessageKey>([
    [fmt.infCode - 1n, "bits.largest"],
    [fmt.signBit | (fmt.infCode - 1n), "bits.lowest"],
    [smallestNormal, "bits.smallest_normal"],
    [smallestNormal - 1n, "bits.largest_subnormal"],
    [1n, "bits.smallest_subnormal"],
    [fmt.signBit, "bits.negative_zero"],
  ]);
  return names.get(code);
}

/** 2^n as digits where they are few. */
function powerOfTwo(n: number): string {
  return n >= -4 && n <= 24 ? String(2 ** n) : `2${superscript(n)}`;
}

/** 2047 × 2^5: the integer significand and the exponent of its unit, of a finite code. */
export function integerForm(fmt: FloatFormat, code: bigint): { significand: string; power: string } {
  const { biasedExponent, fraction } = fields(fmt, code);
  const significand = biasedExponent === 0 ? fraction : fraction | (1n << BigInt(fmt.fractionBits));
  const sign = code & fmt.signBit ? "−" : "";
  const power = Math.max(biasedExponent, 1) - fmt.bias - fmt.fractionBits;
  return { significand: `${sign}${significand}`, power: withMinus(String(power)) };
}

/** The input, as a sentence repeats it. */
export function typedText({ input }: EditedNumber): string {
  return withMinus(input.length <= TYPED ? input : input.slice(0, TYPED - 1) + "…");
}

/** What was typed and how it was rounded, or, after an edit of bits, what the bits are. */
export function sentence(number: EditedNumber): Sentence {
  const { fmt, code, input } = number;
  const args: Record<string, string> = { format: fmt.name, typed: typedText(number), value: figure(fmt, code).text };
  const kind = classify(fmt, code);
  if (input === "") return { ...ofBits(number), tone: kind === "infinity" ? "overflow" : "exact" };
  const how = explain(fmt, input);
  if (how.given.kind === "pattern") return { key: "bits.pattern", args, tone: "exact" };
  if (how.given.kind === "nan") return { key: "bits.typed_nan", args: { ...args, code: fmt.toHex(code) }, tone: "exact" };
  if (how.given.kind === "infinity") return { key: "bits.typed_infinity", args, tone: "overflow" };
  if (how.rule === "exact") return { key: "bits.exact", args: { ...args, ...neighbours(fmt, code) }, tone: "exact" };
  return ofRounding(number, how, args);
}

function ofRounding({ fmt, code }: EditedNumber, how: Explanation, args: Record<string, string>): Sentence {
  const [below, above] = [place(fmt, how.below), place(fmt, how.above)];
  const midpoint = how.midpoint!;
  const value = exactOf(how);
  const tied = compare(value, midpoint) === 0;
  const digits = digitsToTellApart([below, above, midpoint, ...(tied ? [] : [value])], SENTENCE_DIGITS);
  const negative = how.given.kind === "finite" && how.given.negative;
  const [inner, outer] = negative ? [above, below] : [below, above]; // toward zero, away from it
  Object.assign(args, {
    below: cut(below, digits),
    above: cut(above, digits),
    inner: cut(inner, digits),
    outer: cut(outer, digits),
    midpoint: cut(midpoint, digits),
    infinity: negative ? "−∞" : "∞",
    value: cut(place(fmt, code), digits),
  });
  if (how.rule === "overflow") {
    return { key: tied ? "bits.overflow_tie" : "bits.overflow", args, tone: "overflow" };
  }
  args.error = signed(how.error!);
  if (how.rule === "tie") {
    const zero = classify(fmt, code) === "zero";
    return { key: zero ? "bits.tie_zero" : "bits.tie", args, tone: zero ? "underflow" : "rounded" };
  }
  if (!isFinite(fmt, how.below) || !isFinite(fmt, how.above)) return { key: "bits.nearest_edge", args, tone: "rounded" };
  if (classify(fmt, code) === "zero") return { key: "bits.underflow", args, tone: "underflow" };
  return { key: "bits.nearest", args, tone: "rounded" };
}

/** The value that was given, signed. */
export function exactOf({ given }: Explanation): Rational {
  if (given.kind !== "finite") throw new RangeError(`${given.kind} is no rational`);
  return given.negative ? negate(given.magnitude) : given.magnitude;
}

function signed(error: Rational): string {
  return (error.numerator > 0n ? "+" : "") + cut(error, ERROR_DIGITS);
}

function ofBits({ fmt, code }: EditedNumber): { key: MessageKey; args: Record<string, string> } {
  const args = { format: fmt.name, value: figure(fmt, code).text };
  const kind = classify(fmt, code);
  if (kind === "nan") return { key: "bits.is_nan", args };
  if (kind === "infinity") {
    const threshold = code & fmt.signBit ? negate(fmt.overflowThreshold) : fmt.overflowThreshold;
    return { key: "bits.is_infinity", args: { ...args, midpoint: cut(threshold, SENTENCE_DIGITS) } };
  }
  return { key: "bits.is_value", args: { ...args, ...neighbours(fmt, code) } };
}

function neighbours(fmt: FloatFormat, code: bigint): { previous: string; next: string } {
  const [previous, next] = [nextDown(fmt, code), nextUp(fmt, code)];
  const finite = [previous, code, next].filter((c) => isFinite(fmt, c)).map((c) => exact(fmt, c));
  const digits = digitsToTellApart(finite, SENTENCE_DIGITS);
  const say = (c: bigint) => (isFinite(fmt, c) ? cut(exact(fmt, c), digits) : withMinus(toDecimal(fmt, c).replace("inf", "∞")));
  return { previous: say(previous), next: say(next) };
}
