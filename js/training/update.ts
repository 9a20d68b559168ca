// From a step's gradients to its update: the loss scale decides whether there is one and what the next gradients are scaled
// by, the optimiser how far each weight moves.

import type { Stream } from "./data.ts";
import { round, roundAll, rounderOf, roundStochastically, type Rounder } from "./rounder.ts";
import { keptFormat, type LossScaleSettings, type Settings } from "./settings.ts";

/** Python ends a run whose scale falls to 0. A page goes on, so here the scale does not fall below this. */
const SMALLEST = 2 ** -126;

const BETA_1 = 0.9;
const BETA_2 = 0.999;

/** The loss scale from step to step (Micikevicius et al., 3.2), by the rules of mixwidgets/runs/experiments/loss_scale.py. */
export class LossScale {
  readonly #rule: LossScaleSettings;
  #scale: number;
  #goodSteps: number;

  /** Goes on as `before` did if the rule is the same, else starts with its first scale. */
  constructor(rule: LossScaleSettings, before?: LossScale) {
    const old = before && Object.entries(rule).every(([name, value]) => before.#rule[name as keyof LossScaleSettings] === value) ? before : undefined;
    this.#rule = rule;
    this.#scale = old?.scale ?? (rule.kind === "none" ? 1 : Math.fround(rule.initScale));
    this.#goodSteps = old ? old.#goodSteps : 0;
  }

  /** The factor for the next step; a float32 value. */
  get scale(): number {
    return this.#scale;
  }

  /** Whether a step is skipped: `foundInf` says that its gradients contain inf or NaN. */
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

/** A tensor's momentum, or Adam's first and second moment. */
export interface State {
  readonly first: Float32Array;
  readonly second: Float32Array;
}

/** SGD, SGD with momentum and Adam: float32 arithmetic on a state that is kept in a format. */
export class Optimizer {
  readonly #rule: Settings["optimizer"];
  readonly #rounder: Rounder;
  readonly states: readonly State[];
  /** β1^t and β2^t. */
  #powers: readonly [number, number] = [1, 1];

  /** The states of `before` carry over if the rule is the same, for each tensor of the same size. */
  constructor(rule: Settings["optimizer"], rounder: Rounder, sizes: readonly number[], before?: Optimizer) {
    this.#rule = rule;
    this.#rounder = rounder;
    const same = before && before.#rule === rule ? before : undefined;
    this.states = sizes.map((size, i) => {
      const old = same ? same.states[i] : undefined;
      if (old?.first.length === size) return { first: old.first.slice(), second: old.second.slice() };
      return { first: new Float32Array(size), second: new Float32Array(size) };
    });
    for (const { first, second } of this.states) [first, second].forEach((values) => roundAll(rounder, values));
    if (same) this.#powers = same.#powers;
  }

  /** To be called before the updates of a step. */
  startStep(): void {
    const [power1, power2] = this.#powers;
    this.#powers = [power1 * BETA_1, power2 * BETA_2];
  }

  /** Replaces a tensor's unscaled gradients by the updates that are to be subtracted from its weights. Adam (Kingma and Ba,
   * 2015) reads its moments as they are kept, and rounds its denominator √v + ε to their format too, as torch's Adam does
   * with narrow weights: in float16 an ε of 1e-8 is 0. */
  updates(tensor: number, gradients: Float32Array, { learningRate, momentum, eps }: Settings): void {
    const rounder = this.#rounder;
    const { first, second } = this.states[tensor]!;
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

/** Stored gradients divided by the loss scale, in float32 (3.2). */
export function unscaled(gradients: Float32Array, scale: number): Float32Array {
  const inverse = Math.fround(1 / scale);
  const result = new Float32Array(gradients.length);
  for (let i = 0; i < gradients.length; i++) result[i] = gradients[i]! * inverse;
  return result;
}

/** The weights after an update, rounded as they are kept (3.1). Only stochastic rounding takes numbers from `draws`. */
export function weightsAfter(kept: Float32Array, updates: Float32Array, settings: Settings, draws: Stream): Float32Array {
  const keptIn = rounderOf(keptFormat(settings));
  const next = new Float32Array(kept.length);
  const isDrawn = roundsByDraws(settings);
  for (let i = 0; i < kept.length; i++) {
    const after = kept[i]! - updates[i]!;
    next[i] = isDrawn ? roundStochastically(keptIn, after, draws.next()) : round(keptIn, after);
  }
  return next;
}

/** Whether updated weights are rounded stochastically. */
export const roundsByDraws = ({ weightRounding, masterWeights }: Settings): boolean => weightRounding === "stochastic" && !masterWeights;
