// Every answer that the slider can ask for. All tensors as one are worked out at every scale, once for a format;
// each tensor by itself at a scale when that is first asked for: then a drag only looks up.

import type { FloatFormat } from "../formats/float_format.ts";
import { GradientSummary } from "./summary.ts";

/** The slider's range of log2 of the loss scale; mixwidgets/gradients/best_scale.py has the same. */
export const LOWEST = -24;
export const HIGHEST = 40;

/** The next step's gradients may be this many binades larger before the scale has to go down. */
export const HEADROOM = 4;

export interface Best {
  readonly log2: number;
  /** By how many binades gradients may grow before one overflows; Infinity if there are none. */
  readonly headroom: number;
}

export class Answers {
  /** All tensors as one. */
  readonly total: GradientSummary;
  readonly best: Best;
  readonly #totals: Float64Array[];
  readonly #tensors: (Float64Array[] | undefined)[] = [];

  constructor(readonly summaries: readonly GradientSummary[], readonly format: FloatFormat) {
    this.total = GradientSummary.together(summaries);
    this.#totals = Array.from({ length: HIGHEST - LOWEST + 1 }, (_, i) => finite(this.total, format, i + LOWEST));
    this.best = this.#findBest();
  }

  /** A tensor's four counts, in the order of CLASSES. */
  counts(tensor: number, log2: number): Float64Array {
    const known = (this.#tensors[log2 - LOWEST] ??= this.summaries.map((one) => finite(one, this.format, log2)));
    return known[tensor]!;
  }

  /** The four counts over all tensors. */
  totals(log2: number): Float64Array {
    return this.#totals[log2 - LOWEST]!;
  }

  /** The rule of best_scale.py: safe `HEADROOM` binades higher, then fewest flushed, fewest subnormal, nearest 1. */
  #findBest(): Best {
    const overflowAt = (log2: number) => this.total.counts(this.format, log2).finite[3]!;
    const cost = (log2: number) => {
      const [flushed, subnormal] = this.totals(log2);
      return [overflowAt(log2 + HEADROOM), flushed!, subnormal!, Math.abs(log2), log2];
    };
    let [log2, least] = [LOWEST, cost(LOWEST)];
    for (let other = LOWEST + 1; other <= HIGHEST; other++) {
      const its = cost(other);
      const differs = its.findIndex((value, i) => value !== least[i]);
      if (its[differs]! < least[differs]!) [log2, least] = [other, its];
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
