// Estimates ‖ĝ − g‖ / ‖g‖ after scaling, rounding and unscaling from the counts of a summary. The twin of
// `estimated_error` in mixwidgets/floats/gradients/rounding_error.py, which documents the method and its accuracy.

import type { FloatFormat } from "../formats/float_format.ts";
import { BINADE } from "./boundaries.ts";
import type { GradientSummary } from "./summary.ts";

/** Infinity if any gradient overflows; 0 if all are zero. */
export function estimatedError(summary: GradientSummary, format: FloatFormat, log2LossScale: number): number {
  if (summary.counts(format, log2LossScale).finite[3]! > 0) return Infinity;
  const largest = summary.exponents.at(-1);
  if (largest === undefined) return 0;
  const edges = summary.edges.map((edge) => 1 + edge / BINADE); // relative to the start of the binade
  let [errors, squares] = [0, 0]; // sums of squares
  summary.exponents.forEach((exponent, row) => {
    const log2Ulp = Math.max(exponent + log2LossScale, format.emin) - format.fractionBits - log2LossScale - exponent;
    const weight = 4 ** (exponent - largest);
    for (let cell = 0; cell < edges.length - 1; cell++) {
      const count = summary.held(row, cell);
      if (count === 0) continue;
      const [low, high] = [edges[cell]!, edges[cell + 1]!];
      const square = cell === 0 ? 1 : (low * low + low * high + high * high) / 3; // the first cell has only the start itself
      errors += weight * count * (cell === 0 ? Number(log2Ulp > 0) : log2Ulp >= 2 ? square : meanSquare(low, high, log2Ulp));
      squares += weight * count * square;
    }
  });
  return Math.sqrt(errors / squares);
}

/** The mean squared error of rounding values that are uniform from `low` to `high` to multiples of 2^log2Ulp. */
function meanSquare(low: number, high: number, log2Ulp: number): number {
  const ulp = 2 ** log2Ulp;
  return (ulp * ulp * (integral(high / ulp) - integral(low / ulp))) / (high / ulp - low / ulp);
}

/** The integral of (x − round(x))² from 0 to u. */
function integral(u: number): number {
  const k = Math.round(u);
  return k / 12 + (u - k) ** 3 / 3;
}
