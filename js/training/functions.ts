// exp, log and tanh with the same bits in every browser: float64, with + − × ÷ and exact scaling by powers of two only.
// ECMA-262 (21.3.2) does not define the last bits of Math.exp, Math.log and Math.tanh, and browsers differ in them.
// Relative errors are below 1e-11: rounded to float32, results are correctly rounded except for rare near-ties.

import { powerOfTwo } from "./rounder.ts";

const LOG2_E = 1.4426950408889634;
/** ln 2 in two parts; the first is short enough for its product with a small integer to be exact (Cody and Waite, 1980). */
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const SQRT_2 = 1.4142135623730951;

/** e^x as a float64: e^x = 2^k e^r with |r| ≤ ln(2)/2, and a Taylor polynomial for e^r. */
export function exp(x: number): number {
  if (x < -110) return 0;
  if (x > 110) return Infinity;
  if (x !== x) return NaN;
  const k = Math.floor(x * LOG2_E + 0.5);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  let sum = 1 / 39916800; // 1/11!
  sum = sum * r + 1 / 3628800;
  sum = sum * r + 1 / 362880;
  sum = sum * r + 1 / 40320;
  sum = sum * r + 1 / 5040;
  sum = sum * r + 1 / 720;
  sum = sum * r + 1 / 120;
  sum = sum * r + 1 / 24;
  sum = sum * r + 1 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1;
  sum = sum * r + 1;
  return sum * powerOfTwo(k);
}

/** log s as a float64, for s ≥ 1, such as a sum of exponentials of which one is 1: s = 2^k f, and
 * log f = 2 (t + t³/3 + …) with t = (f − 1)/(f + 1). */
export function log(s: number): number {
  if (!(s < Infinity)) return s;
  let [f, k] = [s, 0];
  while (f > SQRT_2) {
    f /= 2;
    k += 1;
  }
  const t = (f - 1) / (f + 1);
  const u = t * t;
  let sum = 1 / 13;
  sum = sum * u + 1 / 11;
  sum = sum * u + 1 / 9;
  sum = sum * u + 1 / 7;
  sum = sum * u + 1 / 5;
  sum = sum * u + 1 / 3;
  sum = sum * u + 1;
  return 2 * t * sum + k * LN2_LOW + k * LN2_HIGH;
}

/** tanh x as a float64: (1 − e^−2|x|) / (1 + e^−2|x|), and x − x³/3 where that would cancel. */
export function tanh(x: number): number {
  const magnitude = Math.abs(x);
  if (magnitude < 0.0009765625) return x * (1 - (x * x) / 3);
  const e = exp(-2 * magnitude);
  const y = (1 - e) / (1 + e);
  return x < 0 ? -y : y;
}
