// Explains a rounding: both neighbours, the midpoint, and the rule that decided.

import { classify, exact } from "./decode.ts";
import { encode, past, roundMagnitude, withSign, type Options, type Rounding } from "./encode.ts";
import type { FloatFormat } from "./float_format.ts";
import { signed, toExact, type BitPattern, type Exact } from "./parse.ts";
import { add, compare, divide, negate, rational, subtract, type Rational } from "./rational.ts";

/** What decided. "exact": the value is representable. "nearest": one neighbour was nearer. "tie": both were equally near, and
 * the mode's tie rule decided. "direction": the mode rounds up, down or toward zero. "odd": the neighbour with the odd code
 * was taken. "flushed": the format has no subnormals, so a result below its smallest normal value became 0. "underflow": the
 * format has no zero, and the value is nearer to zero than any of its numbers, so it became the nearest. "overflow": the value is
 * out of the format's range, as is an infinity or a zero that the format does not have, and the overflow policy decided. */
export type Rule = "exact" | "nearest" | "tie" | "direction" | "odd" | "flushed" | "underflow" | "overflow";

/** The rounding of one value to one format. */
export interface Explanation {
  /** The exact input. */
  readonly input: Exact | BitPattern;
  /** The result. */
  readonly code: bigint;
  readonly rule: Rule;
  /** Code of the greatest representable value ≤ the input; past the lowest, what `past` gives. The result if `midpoint` is null. */
  readonly below: bigint;
  /** Code of the least representable value ≥ the input; likewise past the largest. */
  readonly above: bigint;
  /** Halfway between the neighbours; past the largest finite value, the overflow threshold. Null if exact, and where the format
   * has no numbers on one side: below zero in an unsigned one, near zero in one without it. */
  readonly midpoint: Rational | null;
  /** Result − input, exactly. Null if either is not finite. */
  readonly error: Rational | null;
  /** error / |input|. Null if undefined. */
  readonly relativeError: Rational | null;
}

/** Explain the rounding of a text, which is read exactly. Throws InputError. */
export function explain(fmt: FloatFormat, text: string, options: Options = {}): Explanation {
  const input = toExact(text);
  const code = encode(fmt, input, options);
  const kind = classify(fmt, code);
  const unrounded = { input, code, below: code, above: code, midpoint: null, error: null, relativeError: null };
  if (input.kind === "pattern" || input.kind === "nan") return { ...unrounded, rule: "exact" };
  if (input.kind === "infinity") return { ...unrounded, rule: kind === "infinity" ? "exact" : "overflow" };

  const { negative, magnitude } = input;
  const isZero = magnitude.numerator === 0n;
  const error = kind === "infinity" || kind === "nan" ? null : subtract(exact(fmt, code), signed(input));
  const relativeError = error && !isZero ? divide(error, magnitude) : null;
  const result = { ...unrounded, error, relativeError };
  if (error?.numerator === 0n) return { ...result, rule: "exact" };

  const rounded = roundMagnitude(fmt, magnitude, options.rounding, negative);
  const lacksSign = negative && !fmt.signed;
  if (isZero || (lacksSign && (rounded > 0n || !fmt.hasZero))) return { ...result, rule: "overflow" };
  const floor = roundMagnitude(fmt, magnitude, "toward-zero");
  const low = floor < fmt.maxCode ? floor : fmt.maxCode;
  if (compare(fmt.magnitude(low), magnitude) > 0) return { ...result, rule: "underflow" };
  const next = low + 1n > fmt.smallestCode ? low + 1n : fmt.smallestCode;
  const middle = divide(add(fmt.magnitude(low), fmt.magnitude(next)), rational(2n));
  const rule = ruleOf(fmt, magnitude, middle, options.rounding, rounded);
  if (lacksSign) return { ...result, rule };
  const inner = withSign(fmt, low, negative);
  const outer = low < fmt.maxCode ? withSign(fmt, next, negative) : past(fmt, negative);
  if (negative) return { ...result, rule, below: outer, above: inner, midpoint: negate(middle) };
  return { ...result, rule, below: inner, above: outer, midpoint: middle };
}

function ruleOf(fmt: FloatFormat, magnitude: Rational, middle: Rational, rounding: Rounding = "ties-to-even", rounded: bigint): Rule {
  if (rounded > fmt.maxCode) return "overflow";
  if (rounded === 0n && fmt.subnormals !== "gradual") return "flushed";
  if (rounding.startsWith("ties")) return compare(magnitude, middle) === 0 ? "tie" : "nearest";
  return rounding === "to-odd" ? "odd" : "direction";
}
