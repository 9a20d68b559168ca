// The loss scale from step to step (Micikevicius et al., 3.2), as mixwidgets/runs/experiments/loss_scale.py states it.

import type { LossScaleSettings } from "./types.ts";

/** Python ends a run whose scale falls to 0; a page goes on, so here it stops falling. */
const SMALLEST = 2 ** -126;

export class LossScale {
  readonly #rule: LossScaleSettings;
  #scale: number;
  #goodSteps = 0;

  constructor(rule: LossScaleSettings) {
    this.#rule = rule;
    this.#scale = rule.kind === "none" ? 1 : Math.fround(rule.initScale);
  }

  /** The factor for the step at hand; a float32 value. */
  get scale(): number {
    return this.#scale;
  }

  /** Whether a step whose gradients hold inf or NaN leaves the weights alone. */
  skips(foundInf: boolean): boolean {
    return foundInf && this.#rule.kind !== "none";
  }

  finishStep(foundInf: boolean): void {
    const { kind, backoffFactor, growthFactor, growthInterval } = this.#rule;
    if (kind !== "dynamic") return;
    if (foundInf) {
      this.#scale = Math.max(Math.fround(this.#scale * backoffFactor), SMALLEST);
      this.#goodSteps = 0;
    } else if (++this.#goodSteps >= growthInterval) {
      const grown = Math.fround(this.#scale * growthFactor);
      if (grown < Infinity) this.#scale = grown;
      this.#goodSteps = 0;
    }
  }
}
