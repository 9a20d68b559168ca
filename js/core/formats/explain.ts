// Explains a rounding: both neighbours, the midpoint, and the rule that decided.

import { exact, isFinite } from "./decode.ts";
import { encode, past, roundMagnitude, withSign, type Options, type Rounding } from "./encode.ts";
import type { FloatFormat } from "./float_format.ts";
import { signed, toExact, type BitPattern, type Exact } from "./parse.ts";
import { add, compare, divide, negate, rational, subtract, type Rational } from "./rational.ts";

/** What decided. "exact": the value is representable. "nearest": one neighbour was nearer. "tie": both were equally near, and
 * the mode's tie rule decided. "direction": the mode rounds up, down or toward zero. "odd": the neighbour with the odd code
 * was taken. "flushed": the format has no subnormals, so a result below its smallest normal value became 0. "overflow": the value
 * is out of the format's range, and the overflow policy decided. */
export type Rule = "exact" | "nearest" | "tie" | "direction" | "odd" | "flushed" | "overflow";

/** The rounding of one value to one format. */
export interface Explanation {
  /** The exact input. */
  readonly input: Exact | BitPattern;
  /** The result. */
  readonly code: bigint;
  readonly rule: Rule;
  /** Code of the greatest representable value ≤ the input, or of `past` if no finite one is. It is `code` if the input is
   * exact, or too small for a format that is unsigned or has no zero. */
  readonly below: bigint;
  /** Code of the least representable value ≥ the input, with the same exceptions. */
  readonly above: bigint;
  /** Halfway between the neighbours; beyond the largest finite value, the overflow threshold. Null if exact. */
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
  const unrounded = { input, code, below: code, above: code, midpoint: null };
  if (input.kind !== "finite") return { ...unrounded, rule: "exact", error: null, relativeError: null };

  const { negative, magnitude } = input;
  const error = isFinite(fmt, code) ? subtract(exact(fmt, code), signed(input)) : null;
  const relativeError = error && magnitude.numerator ? divide(error, magnitude) : null;
  const result = { ...unrounded, error, relativeError };
  if (error?.numerator === 0n) return { ...result, rule: "exact" };

  const floor = roundMagnitude(fmt, magnitude, "toward-zero");
  const tooSmall = compare(fmt.magnitude(floor), magnitude) > 0; // in a format without zero
  if (tooSmall || (negative && !fmt.signed)) return { ...result, rule: "overflow" };
  const low = floor < fmt.maxCode ? floor : fmt.maxCode;
  const inner = withSign(fmt, low, negative);
  const next = low + 1n > fmt.smallestCode ? low + 1n : fmt.smallestCode;
  const outer = low < fmt.maxCode ? withSign(fmt, next, negative) : past(fmt, negative);
  const [below, above] = negative ? [outer, inner] : [inner, outer];
  const middle = divide(add(fmt.magnitude(low), fmt.magnitude(next)), rational(2n));
  const midpoint = negative ? negate(middle) : middle;
  return { ...result, below, above, midpoint, rule: ruleOf(fmt, input, middle, options.rounding) };
}

function ruleOf(fmt: FloatFormat, input: Exact, middle: Rational, rounding: Rounding = "ties-to-even"): Rule {
  const { magnitude, negative } = input;
  const rounded = roundMagnitude(fmt, magnitude, rounding, negative);
  if (rounded > fmt.maxCode) return "overflow";
  if (rounded === 0n && fmt.subnormals !== "gradual") return "flushed";
  if (rounding === "to-odd") return "odd";
  if (!rounding.startsWith("ties")) return "direction";
  return compare(magnitude, middle) === 0 ? "tie" : "nearest";
}
