// SGD, SGD with momentum and Adam: float32 arithmetic on a state that is kept in a format.

import { round, roundAll, type Rounder } from "./rounder.ts";
import type { Settings } from "./types.ts";

const BETA_1 = 0.9;
const BETA_2 = 0.999;

/** A tensor's momentum, or Adam's first and second moment. */
interface State {
  readonly first: Float32Array;
  readonly second: Float32Array;
}

export class Optimizer {
  readonly #rule: Settings["optimizer"];
  readonly #rounder: Rounder;
  readonly #states: readonly State[];
  /** β1^t and β2^t. */
  #powers: readonly [number, number] = [1, 1];

  /** `before` hands over its states where the rule and the sizes of tensors are the same. */
  constructor(rule: Settings["optimizer"], rounder: Rounder, sizes: readonly number[], before?: Optimizer) {
    this.#rule = rule;
    this.#rounder = rounder;
    const same = before && before.#rule === rule ? before : undefined;
    this.#states = sizes.map((size, i) => {
      const old = same ? same.#states[i] : undefined;
      if (old?.first.length === size) return { first: old.first.slice(), second: old.second.slice() };
      return { first: new Float32Array(size), second: new Float32Array(size) };
    });
    for (const { first, second } of this.#states) [first, second].forEach((values) => roundAll(rounder, values));
    if (same) this.#powers = same.#powers;
  }

  /** Before the updates of a step. */
  startStep(): void {
    const [one, two] = this.#powers;
    this.#powers = [one * BETA_1, two * BETA_2];
  }

  /** The updates of one tensor, to be subtracted from its weights, in place of its unscaled gradients. Adam (Kingma and Ba,
   * 2015) reads the moments as they are kept, and its denominator √v + ε is a number of the state's format too, as it is
   * where torch's Adam works on narrow weights: in float16 an ε of 1e-8 is 0. */
  updates(tensor: number, gradients: Float32Array, { learningRate, momentum, eps }: Settings): void {
    const rounder = this.#rounder;
    const { first, second } = this.#states[tensor]!;
    const [correction1, correction2] = [1 - this.#powers[0], 1 - this.#powers[1]];
    for (let i = 0; i < gradients.length; i++) {
      const gradient = gradients[i]!;
      if (this.#rule === "sgd") {
        gradients[i] = learningRate * gradient;
      } else if (this.#rule === "momentum") {
        const kept = (first[i] = round(rounder, momentum * first[i]! + gradient));
        gradients[i] = learningRate * kept;
      } else {
        const mean = (first[i] = round(rounder, BETA_1 * first[i]! + (1 - BETA_1) * gradient));
        const square = (second[i] = round(rounder, BETA_2 * second[i]! + (1 - BETA_2) * gradient * gradient));
        const denominator = round(rounder, Math.sqrt(square / correction2) + eps);
        gradients[i] = (learningRate * (mean / correction1)) / denominator;
      }
    }
  }
}
