// What becomes of gradients at every position of the loss-scale slider, so that dragging only looks it up: totals are counted
// once per format, each tensor's counts when a scale is first shown. And the best scale, and an estimate of the rounding
// error.

import type { FloatFormat } from "../formats/float_format.ts";
import { BINADE, boundaries } from "./boundaries.ts";
import { GradientSummary } from "./summary.ts";

/** The slider's range of log2 of the loss scale, as in mixwidgets/floats/gradients/summary.py. */
export const LOWEST = -24;
export const HIGHEST = 40;

/** The best scale leaves room for gradients to grow by this many binades without overflow. */
export const HEADROOM = 4;

interface Best {
  readonly log2: number;
  /** By how many binades gradients may grow without overflow; Infinity if there are none. */
  readonly headroom: number;
}

export class Answers {
  /** The summary of all tensors together. */
  readonly total: GradientSummary;
  readonly best: Best;
  readonly #totals: Float64Array[];
  readonly #tensors: (Float64Array[] | undefined)[] = [];

  constructor(readonly summaries: readonly GradientSummary[], readonly format: FloatFormat) {
    this.total = GradientSummary.together(summaries);
    this.#totals = Array.from({ length: HIGHEST - LOWEST + 1 }, (_, i) => finite(this.total, format, i + LOWEST));
    this.best = this.#findBest();
  }

  /** The four counts of a tensor, in the order of CLASSES. */
  counts(tensor: number, log2: number): Float64Array {
    const counts = (this.#tensors[log2 - LOWEST] ??= this.summaries.map((summary) => finite(summary, this.format, log2)));
    return counts[tensor]!;
  }

  /** The four counts over all tensors. */
  totals(log2: number): Float64Array {
    return this.#totals[log2 - LOWEST]!;
  }

  /** As `best_loss_scale` in summary.py: fewest overflows `HEADROOM` binades higher, then fewest flushed, subnormal, nearest 1. */
  #findBest(): Best {
    const overflowAt = (log2: number) => this.total.counts(this.format, log2).finite[3]!;
    const cost = (log2: number) => {
      const [flushed, subnormal] = this.totals(log2);
      return [overflowAt(log2 + HEADROOM), flushed!, subnormal!, Math.abs(log2), log2];
    };
    let [log2, bestCost] = [LOWEST, cost(LOWEST)];
    for (let other = LOWEST + 1; other <= HIGHEST; other++) {
      const otherCost = cost(other);
      const differs = otherCost.findIndex((value, i) => value !== bestCost[i]);
      if (otherCost[differs]! < bestCost[differs]!) [log2, bestCost] = [other, otherCost];
    }
    const { emax } = this.format;
    const largest = this.total.exponents.at(-1);
    let headroom = largest === undefined ? Infinity : Math.max(0, emax - largest - log2 - 1);
    while (Number.isFinite(headroom) && overflowAt(log2 + headroom + 1) === 0) headroom++;
    return { log2, headroom: overflowAt(log2) > 0 ? 0 : headroom };
  }
}

function finite(summary: GradientSummary, format: FloatFormat, log2: number): Float64Array {
  return Float64Array.from(summary.counts(format, log2).finite);
}

/** Estimates ‖ĝ − g‖ / ‖g‖ after scaling, rounding and unscaling: Infinity if any gradient overflows; 0 if all are zero. The
 * twin of `estimated_error` in mixwidgets/floats/gradients/rounding_error.py, which documents the method and its accuracy. */
export function estimatedError(summary: GradientSummary, format: FloatFormat, log2LossScale: number): number {
  if (summary.counts(format, log2LossScale).finite[3]! > 0) return Infinity;
  const largest = summary.exponents.at(-1);
  if (largest === undefined) return 0;
  const [flushed] = boundaries(format);
  const { precision, least } = summary.grid;
  let [errors, squares] = [0, 0]; // sums of squares, as all below relative to the start of the binade
  summary.exponents.forEach((exponent, row) => {
    const aboveEmin = exponent + log2LossScale - format.emin;
    const g = 2 ** Math.min(Math.max(least - exponent, 1 - precision), 0); // between neighbours of the grid
    const q = 2 ** Math.min(Math.max(-aboveEmin, 0) - format.fractionBits, 2); // the ulp; from 4 on, all are flushed
    const edges = summary.edges.map((edge) => Math.ceil((1 + edge / BINADE) / g) * g);
    const aboveFlushed = exponent + log2LossScale - flushed.exponent;
    const weight = 4 ** (exponent - largest);
    for (let cell = 0; cell < edges.length - 1; cell++) {
      const count = summary.held(row, cell);
      if (count === 0) continue;
      const low = edges[cell]!;
      const width = Math.max(edges[cell + 1]! - low, g);
      const mean = low + (width - g) / 2;
      const square = mean ** 2 + (width ** 2 - g ** 2) / 12;
      const isFlushed = aboveFlushed < 0 || (aboveFlushed === 0 && summary.edges[cell]! < flushed.fraction);
      let error = isFlushed ? square : q > g ? meanSquare(low, width, q, g) : 0;
      if (!format.hasZero && aboveEmin < 0) error = (2 ** -aboveEmin - mean) ** 2 + square - mean ** 2;
      errors += weight * count * error;
      squares += weight * count * square;
    }
  });
  return Math.sqrt(errors / squares);
}

/** The mean squared error of rounding low, low + g, … below low + width to multiples of q > g. */
function meanSquare(low: number, width: number, q: number, g: number): number {
  const sum = (u: number) => {
    const [k, h] = [Math.round(u), g / q];
    const r = u - k;
    return (k * (1 + 2 * h * h)) / 12 + ((r - h) * r * (2 * r - h)) / 6;
  };
  return (q * q * (sum((low + width) / q) - sum(low / q))) / (width / q);
}
