// The next step of a trainer, computed without taking it: all that it passes through, with any loss scale, beside the same step in
// float32. Neither the order of the batches, the random draws, the loss scale nor the optimiser's state advances.

import { Network, type LayerValues, type Pass } from "./network.ts";
import { roundAll, rounderOf } from "./rounder.ts";
import { checkSettings, inFloat32, keptFormat, type Settings } from "./settings.ts";
import type { Trainer, WeightTensor } from "./trainer.ts";
import { LossScale, Optimizer, unscaled, weightsAfter, type State } from "./update.ts";

/** Which weight: an index into `Trainer.tensors` and one into its arrays. */
export interface Place {
  readonly tensor: number;
  readonly index: number;
}

/** What a step makes of every weight. Each list has an array for each of `Trainer.tensors`, in their order. */
export interface Side {
  /** The loss scale; 1 of the twin. */
  readonly lossScale: number;
  /** The batch's mean loss, without loss weight and scale. */
  readonly loss: number;
  /** Whether a gradient is inf or NaN. */
  readonly foundInf: boolean;
  /** 1. The weights before the step, as they are kept. */
  readonly kept: readonly Float32Array[];
  /** 2. Their copies, which the passes read. */
  readonly read: readonly Float32Array[];
  /** 2–4. Everything in between. Its arrays have exactly the batch's rows. */
  readonly pass: Pass;
  /** 4. The gradients as they are stored: multiplied by the loss scale. */
  readonly gradient: readonly Float32Array[];
  /** 4. The same in float32, divided by the loss scale. */
  readonly unscaled: readonly Float32Array[];
  /** 5. The optimiser's state before the step and after it: the momentum, or Adam's two moments; zeros where it keeps none. */
  readonly before: readonly State[];
  readonly after: readonly State[];
  /** 5. What is subtracted from the weights; all 0 in a skipped step. */
  readonly update: readonly Float32Array[];
  /** 5. The weights after the step, as they are kept; the same as before in a skipped step. */
  readonly next: readonly Float32Array[];
}

export interface Look extends Side {
  readonly settings: Settings;
  /** Of the step that is looked at: 1 for the first. */
  readonly step: number;
  /** The network's weights and biases, for their names and shapes. */
  readonly tensors: readonly Pick<WeightTensor, "layer" | "kind" | "shape">[];
  /** The examples of its batch, as rows of `Trainer.data.training`. */
  readonly batch: Uint32Array;
  /** How many gradients are inf or NaN, of all weights. */
  readonly notFinite: number;
  /** Whether there is no update, because of these. */
  readonly skipped: boolean;
  /** The loss scale of the step after. */
  readonly nextScale: number;
  /** The same step in float32: from the same kept weights, on the same batch, with a float32 optimiser of the same state, without
   * a loss scale and without a check. */
  readonly twin: Side;
}

/** One weight's numbers at the stations of a step. */
export interface WeightStep {
  readonly kept: number;
  readonly read: number;
  /** As stored, multiplied by the loss scale. */
  readonly gradient: number;
  readonly unscaled: number;
  /** The momentum, or Adam's first moment; and Adam's second. */
  readonly before: { readonly first: number; readonly second: number };
  readonly after: { readonly first: number; readonly second: number };
  readonly update: number;
  readonly next: number;
}

/** The step that `trainer` would take next, with other settings if they are given: as after `Trainer.change`, for the same task,
 * seed and layers. `lossScale`: of this step, instead of the one that it would have, as if it were the first; without a loss scale
 * in the settings, another than 1 is a static one. Throws SettingsError, and RangeError for another network. */
export function look(trainer: Trainer, settings: Settings = trainer.settings, lossScale?: number): Look {
  const { at, lossScale: own } = looks(trainer, settings);
  return at(lossScale ?? own);
}

/** One weight's numbers, of a look or of its twin. */
export function weightStep({ kept, read, gradient, unscaled, before, after, update, next }: Side, { tensor, index }: Place): WeightStep {
  const of = (values: readonly Float32Array[]) => values[tensor]![index]!;
  const state = (states: readonly State[]) => ({ first: states[tensor]!.first[index]!, second: states[tensor]!.second[index]! });
  return { kept: of(kept), read: of(read), gradient: of(gradient), unscaled: of(unscaled), before: state(before), after: state(after), update: of(update), next: of(next) };
}

/** The forward passes of a step and of its twin; `at` goes on with a loss scale. The passes of one start share the arrays of its
 * network: a look is over when the next begins. */
export function looks(trainer: Trainer, settings: Settings) {
  checkSettings(settings);
  const { data, tensors } = trainer;
  const widths = [data.features, ...settings.layers, data.classes];
  const { task, seed, layers } = trainer.settings;
  if (settings.task !== task || settings.seed !== seed || String(settings.layers) !== String(layers)) {
    throw new RangeError("a look is at the trainer's own network: start another trainer for another task, seed or layers");
  }
  const { order } = trainer;
  const batch = Object.assign(copyOf(order), { order: order.order.slice(), stream: copyOf(order.stream) }).next(settings.batchSize);
  const kept = rounded(tensors.map((tensor) => tensor.kept), rounderOf(keptFormat(settings)));
  const sizes = kept.map(({ length }) => length);
  const state = new Optimizer(settings.optimizer, rounderOf(settings.optimizerFormat), sizes, trainer.optimizer);
  const scale = new LossScale(settings.lossScale, trainer.scaling);

  /** The passes of some settings, and what follows from them at a scale. */
  const side = (of: Settings) => {
    const read = rounded(kept, rounderOf(of.weightFormat));
    const weights: LayerValues[] = settings.layers.concat(data.classes).map((_, layer) => ({ weight: read[2 * layer]!, bias: read[2 * layer + 1]! }));
    const network = new Network(widths, of, batch.length);
    const optimizer = () => new Optimizer(of.optimizer, rounderOf(of.optimizerFormat), sizes, state);
    const before = optimizer().states;
    const loss = network.loss(weights, data.training, batch);
    return (lossScale: number, skips: (foundInf: boolean) => boolean): Side & { readonly skipped: boolean } => {
      network.backward(weights, of.lossWeight * lossScale);
      const gradient = network.gradients.flatMap(({ weight, bias }) => [weight, bias]);
      const foundInf = gradient.some((values) => !values.every(Number.isFinite));
      const skipped = skips(foundInf);
      const divided = gradient.map((values) => unscaled(values, lossScale));
      const common = { lossScale, loss, foundInf, skipped, kept, read, pass: network, gradient, unscaled: divided, before };
      if (skipped) return { ...common, after: before, update: kept.map(({ length }) => new Float32Array(length)), next: kept };
      const moved = optimizer();
      moved.startStep();
      const update = divided.map((values, tensor) => {
        const updates = values.slice();
        moved.updates(tensor, updates, of);
        return updates;
      });
      const draws = copyOf(trainer.draws);
      return { ...common, after: moved.states, update, next: update.map((updates, tensor) => weightsAfter(kept[tensor]!, updates, of, draws)) };
    };
  };

  const twin = side(inFloat32(settings))(1, () => false);
  const chosen = side(settings);
  const at = (lossScale: number): Look => {
    const { kind } = settings.lossScale;
    const rule = { ...settings.lossScale, kind: kind === "none" ? "static" as const : kind, initScale: lossScale };
    const policy = lossScale === scale.scale ? new LossScale(settings.lossScale, scale) : new LossScale(rule);
    const own = chosen(policy.scale, (foundInf) => policy.skips(foundInf));
    policy.finishStep(own.foundInf);
    const notFinite = own.gradient.reduce((sum, values) => sum + values.filter((value) => !Number.isFinite(value)).length, 0);
    return { ...own, settings, step: trainer.steps + 1, tensors, batch, notFinite, nextScale: policy.scale, twin };
  };
  return { at, lossScale: scale.scale };
}

/** A copy of an object, whose arrays it shares. */
const copyOf = <T extends object>(one: T): T => Object.assign(Object.create(Object.getPrototypeOf(one)), one);

function rounded(arrays: readonly Float32Array[], rounder: ReturnType<typeof rounderOf>): Float32Array[] {
  return arrays.map((values) => {
    const copy = values.slice();
    roundAll(rounder, copy);
    return copy;
  });
}
