// The counts at every position of the loss-scale slider, so that dragging only looks them up. Totals are computed once
// per format, each tensor's counts when a scale is first shown.

import type { FloatFormat } from "../formats/float_format.ts";
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
    const known = (this.#tensors[log2 - LOWEST] ??= this.summaries.map((one) => finite(one, this.format, log2)));
    return known[tensor]!;
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
