// How the shared scale of a block follows from amax, its largest magnitude. The twin of
// mixwidgets/floats/formats/scale_rules.py, which states the rules and their sources.

import { exact } from "../formats/decode.ts";
import { encode } from "../formats/encode.ts";
import type { FloatFormat } from "../formats/float_format.ts";
import { compare, divide, floorLog2, multiply, power, rational, subtract, type Rational } from "../formats/rational.ts";
import { clamp } from "../range.ts";
import type { ElementFormat } from "./elements.ts";

/** What a rule needs of a block format. */
interface Formats {
  readonly element: ElementFormat;
  readonly scale: FloatFormat;
  readonly tensorScale: FloatFormat | null;
}

const POWERS_OF_TWO = ["FLOOR", "CEIL", "RCEIL", "EVEN"] as const;
const QUOTIENTS = ["TE", "TORCHAO", "AMAX", "FOUR_OVER_SIX"] as const;
export type ScaleRule = (typeof POWERS_OF_TWO | typeof QUOTIENTS)[number];

export interface Scale {
  readonly code: number;
  readonly value: Rational;
}

const ONE = rational(1n);
const ON_SIX_AND_FOUR = [rational(6n), rational(4n)];
const FOUR_OVER_SIX_BOUND = rational(256n); // 1.5 × 256 is an E4M3 value

/** The rules of a format, the default first. */
export function rulesOf(element: ElementFormat, byPowersOfTwo: boolean, hasTensorScale: boolean): [ScaleRule, ...ScaleRule[]] {
  if (byPowersOfTwo) return element.fractionBits === null ? ["FLOOR", "CEIL", "RCEIL"] : [...POWERS_OF_TWO];
  const rules: [ScaleRule, ...ScaleRule[]] = hasTensorScale ? ["TE", "TORCHAO"] : ["AMAX"];
  return element.name === "float4_e2m1fn" ? [...rules, "FOUR_OVER_SIX"] : rules;
}

/** The scale that all blocks share, at least the smallest positive value of its format; 1 in formats without one. */
export function tensorScaleOf(fmt: Formats, amax: Rational, rule: ScaleRule): Rational {
  if (!fmt.tensorScale) return ONE;
  const largest = rule === "FOUR_OVER_SIX" ? FOUR_OVER_SIX_BOUND : fmt.scale.magnitude(fmt.scale.maxCode);
  return rounded(fmt.tensorScale, divide(amax, multiply(largest, fmt.element.max)), 1n).value;
}

/** The scale of a block; of two, the one that leaves the smaller error, or else the first. */
export function scalesOf(fmt: Formats, amax: Rational, tensorScale: Rational, rule: ScaleRule): Scale[] {
  const quotient = (element: Rational, least = 0n) => rounded(fmt.scale, divide(amax, multiply(element, tensorScale)), least);
  switch (rule) {
    case "TE":
    case "AMAX":
      return [quotient(fmt.element.max)];
    case "TORCHAO":
      return [quotient(fmt.element.max, fmt.scale.smallestNormalCode)];
    case "FOUR_OVER_SIX":
      return ON_SIX_AND_FOUR.map((element) => quotient(element));
    default: {
      const { emin, emax } = fmt.scale;
      const wanted = amax.numerator === 0n ? emin : scaleExponent(amax, fmt.element, rule);
      return [rounded(fmt.scale, power(2n, clamp(wanted, emin, emax)))];
    }
  }
}

/** log2 of a scale that is a power of two, not yet clamped to the range of its format. `amax` is positive. */
function scaleExponent(amax: Rational, element: ElementFormat, rule: (typeof POWERS_OF_TWO)[number]): number {
  const exponent = floorLog2(amax);
  const emax = floorLog2(element.max);
  const significand = multiply(amax, power(2n, -exponent));
  const roundsUp = {
    FLOOR: () => false,
    CEIL: () => compare(significand, ONE) > 0,
    RCEIL: () => compare(significand, multiply(element.max, power(2n, -emax))) > 0,
    EVEN: () => compare(significand, subtract(rational(2n), power(2n, -element.fractionBits! - 1))) >= 0,
  }[rule]();
  return exponent - emax + Number(roundsUp);
}

/** A scale rounded to its format, at most its largest value and at least that of a code. */
function rounded(format: FloatFormat, magnitude: Rational, least = 0n): Scale {
  const nearest = encode(format, { kind: "finite", negative: false, magnitude }, { overflow: "saturate" });
  const code = nearest < least ? least : nearest;
  return { code: Number(code), value: exact(format, code) };
}
