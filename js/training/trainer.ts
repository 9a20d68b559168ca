// The engine: mixed-precision training, step by step as in Micikevicius et al., "Mixed Precision Training", ICLR 2018,
// arXiv:1710.03740, section 3 (3.1 master weights, 3.2 loss scaling, 3.3 arithmetic precision). tests/playground/reference.py
// is its twin in NumPy, equal to the bit.

import { float32 } from "#core/formats/catalogue.ts";
import { dataSet } from "./data_sets.ts";
import { LossScale } from "./loss_scale.ts";
import { Network, type LayerValues } from "./network.ts";
import { Optimizer } from "./optimizer.ts";
import { Batches, Stream } from "./random.ts";
import { round, roundAll, rounderOf, roundStochastically, type Rounder } from "./rounder.ts";
import { checkSettings } from "./settings.ts";
import {
  EXTENT, type DataSet, type DigitRows, type Examples, type Settings, type StepReport, type WeightTensor,
} from "./types.ts";

/** Streams of random numbers, by what they are for; the weights of tensor i have WEIGHTS + i. */
const [DATA, ORDER, ROUNDING, WEIGHTS] = [1, 2, 3, 16];

const inFloat32 = rounderOf(float32);
const allFloat32 = { activation: inFloat32, gradient: inFloat32, accumulatesInFormat: false };

export class Trainer {
  settings: Settings;
  data!: DataSet;
  /** Steps since the start or reset. */
  steps = 0;
  /** Steps left out for inf or NaN gradients, in these. */
  skippedSteps = 0;
  /** Of the first layer to the last, weight and bias in turn. */
  tensors: readonly WeightTensor[] = [];
  /** The examples of the last step, as rows of `data.training`; empty before the first. */
  batch: Uint32Array = new Uint32Array();
  readonly #digits: DigitRows | undefined;
  #network!: Network;
  /** The same in float32, for referenceGradients. */
  #reference!: Network;
  /** The weights that the passes read, layer by layer: `read` of the tensors. */
  #layers: readonly LayerValues[] = [];
  /** What the last step read. */
  #readBefore: readonly LayerValues[] = [];
  #optimizer!: Optimizer;
  #lossScale!: LossScale;
  #order!: Batches;
  #draws!: Stream;

  /** `digits` is needed by the task of that name only. Throws SettingsError. */
  constructor(settings: Settings, digits?: DigitRows) {
    checkSettings(settings);
    this.settings = settings;
    this.#digits = digits;
    this.reset();
  }

  /** The loss scale of the next step. */
  get lossScale(): number {
    return this.#lossScale.scale;
  }

  /** How many weights there are, biases included. */
  get weightCount(): number {
    return this.tensors.reduce((sum, { kept }) => sum + kept.length, 0);
  }

  /** Start anew; the same settings give the same numbers. */
  reset(): void {
    const { task, seed, lossScale } = this.settings;
    this.data = dataSet(task, new Stream(seed, DATA), this.#digits);
    this.#order = new Batches(this.data.training.count, new Stream(seed, ORDER));
    this.#draws = new Stream(seed, ROUNDING);
    this.#lossScale = new LossScale(lossScale);
    this.tensors = [];
    this.#build();
    this.steps = this.skippedSteps = 0;
    this.batch = new Uint32Array();
  }

  /** Go on with other settings. Weights and the optimiser's state carry over, rounded to their new formats, where shapes
   * allow; a changed optimiser starts with an empty state, changed loss-scale settings with the first scale. Another task or
   * seed is a new start. Throws SettingsError for what checkSettings refuses; the trainer then stays as it was. */
  change(settings: Settings): void {
    checkSettings(settings);
    const before = this.settings;
    this.settings = settings;
    if (settings.task !== before.task || settings.seed !== before.seed) return this.reset();
    const [old, now] = [Object.values(before.lossScale), Object.values(settings.lossScale)];
    if (now.some((value, i) => value !== old[i])) this.#lossScale = new LossScale(settings.lossScale);
    this.#build(this.#optimizer);
  }

  step(): StepReport {
    const { settings } = this;
    const [layers, network, scale] = [this.#layers, this.#network, this.lossScale];
    const { training } = this.data;
    this.batch = this.#order.next(settings.batchSize);
    const rows = this.batch.length;
    this.#readBefore = layers.map(({ weight, bias }) => ({ weight: weight.slice(), bias: bias.slice() }));
    // 1. Forward on the weights' copies (3.1), in the activation format.
    network.read(training, this.batch);
    network.forward(layers, rows);
    // 2. The loss in float32 (3.3), times the loss scale (3.2).
    const labels = this.#labels();
    const loss = network.loss(labels, settings.lossWeight * scale);
    // 3. Backward, in the gradient format: by the chain rule every gradient is scaled.
    network.backward(layers, rows);
    // 4. A gradient that is inf or NaN decides on this update and on the next scale (3.2).
    const foundInf = this.tensors.some(({ gradient }) => !areFinite(gradient));
    const skipped = this.#lossScale.skips(foundInf);
    this.#lossScale.finishStep(foundInf);
    // 5. Unscale in float32 (3.2), and update the weights that are kept (3.1).
    const unchanged = skipped ? 0 : this.#update(scale);
    this.steps += 1;
    this.skippedSteps += Number(skipped);
    const zeroGradients = this.tensors.reduce((sum, { gradient }) => sum + countZeros(gradient), 0);
    return { step: this.steps, loss, lossScale: scale, foundInf, skipped, unchanged, zeroGradients };
  }

  /** The loss and accuracy (0 … 1) of the first `count` rows, in the precision of the settings. */
  evaluate(examples: Examples, count = examples.count): { loss: number; accuracy: number } {
    const network = this.#network;
    let [loss, right] = [0, 0];
    this.#each(examples, count, (row, place) => {
      const probabilities = new Float32Array(this.data.classes);
      const label = examples.labels[row]!;
      loss += network.softmax(place, label, probabilities);
      right += Number(probabilities.every((one, j) => j === label || one < probabilities[label]!));
    });
    return { loss: loss / count, accuracy: right / count };
  }

  /** The classes' probabilities (rows × classes) of inputs (rows × features), in the precision of the settings. */
  predict(inputs: Float32Array): Float32Array {
    const { features, classes } = this.data;
    const result = new Float32Array((inputs.length / features) * classes);
    this.#each({ inputs }, inputs.length / features, (row, place) => {
      this.#network.softmax(place, 0, result.subarray(row * classes, (row + 1) * classes));
    });
    return result;
  }

  /** The probability of class 1 less that of class 0 at size × size points of the plane, from the lower left corner row by
   * row (x grows fastest); each is the middle of its cell. Plane tasks only. */
  decision(size: number): Float32Array {
    const inputs = new Float32Array(2 * size * size);
    for (let i = 0; i < size * size; i++) {
      inputs[2 * i] = EXTENT * ((2 * (i % size) + 1) / size - 1);
      inputs[2 * i + 1] = EXTENT * ((2 * Math.floor(i / size) + 1) / size - 1);
    }
    const probabilities = this.predict(inputs);
    return Float32Array.from({ length: size * size }, (_, i) => probabilities[2 * i + 1]! - probabilities[2 * i]!);
  }

  /** The last step's gradients by float32 arithmetic alone, on the weights that the step read and its batch: without a loss
   * scale, with the loss weight; in the order of `tensors`. Costs a float32 step; before the first step all 0. */
  referenceGradients(): readonly Float32Array[] {
    const [network, labels] = [this.#reference, this.#labels()];
    if (labels.length > 0) {
      network.read(this.data.training, this.batch);
      network.forward(this.#readBefore, labels.length);
      network.loss(labels, this.settings.lossWeight);
      network.backward(this.#readBefore, labels.length);
    }
    return network.gradients.flatMap(({ weight, bias }) => [weight, bias]);
  }

  /** Set one weight of `tensors[tensor].kept`, rounded to the format in which it is kept. */
  setWeight(tensor: number, index: number, value: number): void {
    const { kept, read } = this.tensors[tensor]!;
    kept[index] = round(this.#keptIn, value);
    read[index] = round(rounderOf(this.settings.weightFormat), kept[index]!);
  }

  get #keptIn(): Rounder {
    return this.settings.masterWeights ? inFloat32 : rounderOf(this.settings.weightFormat);
  }

  /** Everything that the settings shape; weights and the optimiser's state are taken over where they fit. */
  #build(optimizer?: Optimizer): void {
    const { settings, data } = this;
    const widths = [data.features, ...settings.layers, data.classes];
    const precision = {
      activation: rounderOf(settings.activationFormat),
      gradient: rounderOf(settings.gradientFormat),
      accumulatesInFormat: settings.accumulation === "format",
    };
    const before = this.tensors;
    const isSame = before.length > 0 && String(this.#network.widths) === String(widths);
    const rows = Math.max(settings.batchSize, this.batch.length);
    this.#network = new Network(widths, settings.activation, precision, rows);
    this.#reference = new Network(widths, settings.activation, allFloat32, rows);
    this.tensors = this.#network.gradients.flatMap((gradients, layer) =>
      (["weight", "bias"] as const).map((kind, i) => {
        const [inputs, outputs] = [widths[layer]!, widths[layer + 1]!];
        const shape = [kind === "weight" ? inputs : 1, outputs] as const;
        const [gradient, place] = [gradients[kind], 2 * layer + i];
        const old = before[place];
        const fits = old?.kind === kind && old.shape.every((length, axis) => length === shape[axis]);
        const kept = fits ? old.kept.slice() : firstWeights(gradient.length, inputs, new Stream(settings.seed, WEIGHTS + place));
        if (fits) gradient.set(old.gradient);
        return { layer, kind, shape, kept, read: kept.slice(), gradient };
      }),
    );
    for (const { kept } of this.tensors) roundAll(this.#keptIn, kept);
    this.#copy();
    this.#layers = widths.slice(1).map((_, layer) => {
      const [weight, bias] = this.tensors.slice(2 * layer);
      return { weight: weight!.read, bias: bias!.read };
    });
    if (!isSame) this.#readBefore = this.#layers;
    const sizes = this.tensors.map(({ kept }) => kept.length);
    this.#optimizer = new Optimizer(settings.optimizer, rounderOf(settings.optimizerFormat), sizes, optimizer);
  }

  /** One step of the optimiser. Returns how many updates that are not 0 left their weight as it was. */
  #update(scale: number): number {
    const { settings } = this;
    const stochastic = settings.weightRounding === "stochastic" && !settings.masterWeights;
    const [keptIn, inverse] = [this.#keptIn, Math.fround(1 / scale)];
    let unchanged = 0;
    this.#optimizer.startStep();
    this.tensors.forEach(({ kept, gradient }, tensor) => {
      const updates = new Float32Array(gradient.length);
      for (let i = 0; i < gradient.length; i++) updates[i] = gradient[i]! * inverse;
      this.#optimizer.updates(tensor, updates, settings);
      for (let i = 0; i < kept.length; i++) {
        const [before, after] = [kept[i]!, kept[i]! - updates[i]!];
        kept[i] = stochastic ? roundStochastically(keptIn, after, this.#draws.next()) : round(keptIn, after);
        if (updates[i] !== 0 && kept[i] === before) unchanged++;
      }
    });
    this.#copy();
    return unchanged;
  }

  /** Round the weights that are kept to those that the passes read (3.1). */
  #copy(): void {
    const rounder = rounderOf(this.settings.weightFormat);
    for (const { kept, read } of this.tensors) {
      read.set(kept);
      roundAll(rounder, read);
    }
  }

  /** Of the last step's batch. */
  #labels(): Uint32Array {
    return this.batch.map((row) => this.data.training.labels[row]!);
  }

  /** Computes the logits of `count` rows, as many at once as the network has room for, and calls for each row with its place there. */
  #each(examples: Pick<Examples, "inputs">, count: number, visit: (row: number, place: number) => void): void {
    for (let from = 0; from < count; from += this.settings.batchSize) {
      const rows = Array.from({ length: Math.min(this.settings.batchSize, count - from) }, (_, i) => from + i);
      this.#network.read(examples, rows);
      this.#network.forward(this.#layers, rows.length);
      rows.forEach(visit);
    }
  }
}

/** As torch.nn.Linear starts: uniform in ±1/√inputs. */
function firstWeights(count: number, inputs: number, stream: Stream): Float32Array {
  return Float32Array.from({ length: count }, () => (2 * stream.next() - 1) / Math.sqrt(inputs));
}

function areFinite(values: Float32Array): boolean {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]! * 0; // 0, but NaN for inf and NaN
  return sum === 0;
}

function countZeros(values: Float32Array): number {
  let count = 0;
  for (let i = 0; i < values.length; i++) if (values[i] === 0) count++;
  return count;
}
