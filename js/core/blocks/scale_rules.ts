// The scale rules of MX blocks. The twin of mixwidgets/floats/formats/block.py, which documents them.

import { compare, floorLog2, multiply, power, rational, subtract, type Rational } from "../formats/rational.ts";
import type { ElementFormat } from "./element.ts";

export const SCALE_RULES = ["FLOOR", "CEIL", "RCEIL", "EVEN"] as const;
export type ScaleRule = (typeof SCALE_RULES)[number];

/** log2 of the shared scale, not yet clamped to the range of the scale's format. `amax` is positive. */
export function scaleExponent(amax: Rational, element: ElementFormat, rule: ScaleRule): number {
  const exponent = floorLog2(amax);
  const emax = floorLog2(element.max);
  const significand = multiply(amax, power(2n, -exponent));
  const roundsUp = {
    FLOOR: () => false,
    CEIL: () => compare(significand, rational(1n)) > 0,
    RCEIL: () => compare(significand, multiply(element.max, power(2n, -emax))) > 0,
    EVEN: () => compare(significand, subtract(rational(2n), power(2n, -element.fractionBits - 1))) >= 0,
  }[rule]();
  return exponent - emax + Number(roundsUp);
}
