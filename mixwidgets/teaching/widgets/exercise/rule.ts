// Which answers are right. The twin of mixwidgets/teaching/exercises/rules.py, which says what each rule means.

import { getFormat } from "#core/formats/catalogue.ts";
import { classify, decoded, exact, isFinite, ulp } from "#core/formats/decode.ts";
import { encode, roundMagnitude } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { readOr, signed, type Exact } from "#core/formats/parse.ts";
import { add, compare, floorLog2, magnitudeOf, multiply, power, rational, subtract, type Rational } from "#core/formats/rational.ts";
import { atMost, finite, readNumber, same } from "./answers.ts";

export interface Rule {
  readonly format?: string;
  readonly is?: string;
  readonly round?: string;
  readonly ulp?: string;
  readonly sum?: string;
  readonly times?: number;
  readonly scale?: "least" | "greatest";
  readonly of?: string;
  readonly value?: string;
  readonly within?: string;
  readonly becomes?: string;
  readonly class?: string;
  readonly between?: readonly [string, string];
  readonly option?: string;
}

const CONSTANTS: Record<string, (fmt: FloatFormat) => Rational> = {
  max: (fmt) => fmt.magnitude(fmt.maxCode),
  smallest_normal: (fmt) => power(2n, fmt.emin),
  smallest_subnormal: (fmt) => power(2n, fmt.emin - fmt.fractionBits),
  eps: (fmt) => power(2n, -fmt.fractionBits),
  overflow_threshold: (fmt) => fmt.overflowThreshold,
  bias: (fmt) => rational(BigInt(fmt.bias)),
  emax: (fmt) => rational(BigInt(fmt.emax)),
  emin: (fmt) => rational(BigInt(fmt.emin)),
  normal_binades: (fmt) => rational(BigInt(fmt.emax - fmt.emin + 1)),
  steps_in_a_binade: (fmt) => power(2n, fmt.fractionBits),
  first_missing_integer: (fmt) => rational(2n ** BigInt(fmt.precision) + 1n),
};

/** The rule's format, if it has one. */
export function formatOf(rule: Rule): FloatFormat | undefined {
  return getFormat(rule.format);
}

const targets = new WeakMap<Rule, Exact | undefined>(); // so that a long sum is computed once

/** The right answer; undefined if the rule accepts many. */
export function target(rule: Rule): Exact | undefined {
  if (!targets.has(rule)) targets.set(rule, computed(rule));
  return targets.get(rule);
}

function computed(rule: Rule): Exact | undefined {
  if (rule.value !== undefined) return readNumber(rule.value);
  const fmt = formatOf(rule);
  if (!fmt) return undefined;
  if (rule.is !== undefined) return finite(CONSTANTS[rule.is]!(fmt));
  if (rule.round !== undefined) return decoded(fmt, encode(fmt, readNumber(rule.round)));
  if (rule.ulp !== undefined) return finite(ulp(fmt, encode(fmt, readNumber(rule.ulp))));
  if (rule.sum !== undefined) return sumOf(fmt, readNumber(rule.sum), rule.times!);
  if (rule.scale !== undefined) return scaleOf(fmt, readNumber(rule.of!).magnitude, rule.scale === "least" ? -1 : 1);
  return undefined;
}

/** Whether a number is a right answer. `exactly`: without the tolerance of `within`. */
export function accepts(rule: Rule, answer: Exact, exactly = false): boolean {
  if (rule.between) {
    const [low, high] = rule.between.map((text) => readNumber(text)) as [Exact, Exact];
    return atMost(low, answer) && atMost(answer, high);
  }
  if (rule.class !== undefined) return classOf(formatOf(rule)!, answer) === rule.class;
  if (rule.becomes !== undefined) {
    const isOrdinary = answer.kind === "finite" && answer.magnitude.numerator !== 0n; // what is zero or infinite already does not become it
    return isOrdinary && classOf(formatOf(rule)!, answer) === rule.becomes;
  }
  const right = target(rule);
  if (!right) return false;
  if (rule.within !== undefined && !exactly && right.kind === "finite" && answer.kind === "finite") {
    const error = magnitudeOf(subtract(signed(answer), signed(right)));
    return compare(error, multiply(signed(readNumber(rule.within)), right.magnitude)) <= 0;
  }
  return same(right, answer);
}

/** The class of the value that a number is rounded to; undefined if the format cannot represent it, such as a NaN. */
function classOf(fmt: FloatFormat, answer: Exact): string | undefined {
  return readOr(() => classify(fmt, encode(fmt, answer)), undefined);
}

/** The result of adding a number `times` times, as `total = total + x` does in the format. */
function sumOf(fmt: FloatFormat, number: Exact, times: number): Exact {
  const x = exact(fmt, encode(fmt, number));
  let total = rational(0n);
  for (let i = 0; i < times; i += 1) {
    const code = encode(fmt, finite(add(total, x)));
    if (!isFinite(fmt, code)) return decoded(fmt, code);
    const next = exact(fmt, code);
    if (compare(next, total) === 0) break; // the total no longer changes
    total = next;
  }
  return finite(total);
}

/** The least (`step` −1) or the greatest (1) power of two by which the number can be scaled without becoming zero or overflowing. */
function scaleOf(fmt: FloatFormat, magnitude: Rational, step: 1 | -1): Exact {
  const survives = (exponent: number) => {
    const code = roundMagnitude(fmt, multiply(magnitude, power(2n, exponent)));
    return code > 0n && code <= fmt.maxCode;
  };
  let exponent = -floorLog2(magnitude); // the scaled number is in 1 … 2, which every format has
  while (survives(exponent + step)) exponent += step;
  return finite(power(2n, exponent));
}
