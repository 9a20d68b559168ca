// How a value is rounded, in full: what stands below and above it, the midpoint, and which rule decided.

import { classify, exact as exactValue, isFinite, nextDown, nextUp } from "./decode.ts";
import { encodeExact } from "./encode.ts";
import type { FloatFormat } from "./float_format.ts";
import { toExact, type BitPattern, type Exact } from "./parse.ts";
import { add, compare, divide, negate, rational, subtract, type Rational } from "./rational.ts";

/** The rounding of one value to one format, ties to even. */
export interface Explanation {
  /** What was given, read exactly. */
  readonly given: Exact | BitPattern;
  /** The result. */
  readonly code: bigint;
  /**
   * "exact": the value is representable. "nearest": one neighbour was nearer. "tie": the even one of two equally
   * near was taken. "overflow": at or beyond the threshold, so the result is infinite.
   */
  readonly rule: "exact" | "nearest" | "tie" | "overflow";
  /** Code of the greatest representable value ≤ the input; the code itself when exact. */
  readonly below: bigint;
  /** Code of the least representable value ≥ the input. */
  readonly above: bigint;
  /** Halfway between the neighbours; beside infinity, the overflow threshold. Null when exact. */
  readonly midpoint: Rational | null;
  /** Result − input, exactly. Null where the result or the input is not finite. */
  readonly error: Rational | null;
  /** error / |input|. Null where that is undefined. */
  readonly relativeError: Rational | null;
}

/** Explain the rounding of a text. Throws InputError. */
export function explain(fmt: FloatFormat, text: string): Explanation {
  const given = toExact(text);
  const code = encodeExact(fmt, given);
  const nothing = { midpoint: null, error: null, relativeError: null };
  if (given.kind !== "finite") return { given, code, rule: "exact", below: code, above: code, ...nothing };
  const threshold = given.negative ? negate(fmt.overflowThreshold) : fmt.overflowThreshold;
  if (classify(fmt, code) === "infinity") {
    const largest = code - 1n; // toward zero, on either side
    const [below, above] = given.negative ? [code, largest] : [largest, code];
    return { given, code, rule: "overflow", below, above, ...nothing, midpoint: threshold };
  }
  const value = given.negative ? negate(given.magnitude) : given.magnitude;
  const result = exactValue(fmt, code);
  const error = subtract(result, value);
  if (error.numerator === 0n) {
    const relativeError = given.magnitude.numerator ? error : null;
    return { given, code, rule: "exact", below: code, above: code, midpoint: null, error, relativeError };
  }
  const up = error.numerator < 0n; // the other neighbour lies above
  const other = up ? nextUp(fmt, code) : nextDown(fmt, code);
  const [below, above] = up ? [code, other] : [other, code];
  const midpoint = isFinite(fmt, other) ? divide(add(exactValue(fmt, other), result), rational(2n)) : threshold;
  const rule = compare(midpoint, value) === 0 ? "tie" : "nearest";
  return { given, code, rule, below, above, midpoint, error, relativeError: divide(error, given.magnitude) };
}
