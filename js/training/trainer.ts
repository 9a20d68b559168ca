// The engine: mixed-precision training, step by step as in Micikevicius et al., "Mixed Precision Training", ICLR 2018,
// arXiv:1710.03740, section 3 (3.1 master weights, 3.2 loss scaling, 3.3 arithmetic precision). tests/playground/reference.py
// is its twin in NumPy, equal to the bit.

import { Batches, dataSet, EXTENT, Stream, type DataSet, type DigitRows, type Examples } from "./data.ts";
import { Network, type LayerValues } from "./network.ts";
import { round, roundAll, rounderOf, type Rounder } from "./rounder.ts";
import { checkSettings, inFloat32, keptFormat, type Settings } from "./settings.ts";
import { LossScale, Optimizer, unscaled, weightsAfter } from "./update.ts";

/** What one step did. */
export interface StepReport {
  /** 1 for the first step since the start or reset. */
  readonly step: number;
  /** The batch's mean loss before the update, without loss weight and scale. */
  readonly loss: number;
  /** The loss scale that the step used. */
  readonly lossScale: number;
  /** Whether a gradient was inf or NaN. */
  readonly foundInf: boolean;
  /** Whether there was no update, because of these. */
  readonly skipped: boolean;
  /** Weights whose update is not 0, but too small to change them: it is lost in rounding. */
  readonly unchanged: number;
  /** Weights whose gradient is stored as 0. */
  readonly zeroGradients: number;
}

/** One layer's weights or biases. The arrays are the trainer's own: read them before the next step, and do not write. */
export interface WeightTensor {
  /** From 0. */
  readonly layer: number;
  readonly kind: "weight" | "bias";
  /** (inputs, outputs) of the layer; a bias has 1 row. Values are row by row: a weight from input i to output j is at i × outputs + j. */
  readonly shape: readonly [number, number];
  /** What is kept between steps: float32 master weights, or weights in the weight format. */
  readonly kept: Float32Array;
  /** What the passes read: values of the weight format. */
  readonly read: Float32Array;
  /** The last step's gradient as it was stored: in the gradient format, multiplied by the loss scale. */
  readonly gradient: Float32Array;
}

/** The names of the streams of random numbers; that of the first weights of tensor i is WEIGHTS + i. */
const [DATA, ORDER, ROUNDING, WEIGHTS] = [1, 2, 3, 16];

export class Trainer {
  settings: Settings;
  data!: DataSet;
  /** Steps since the start or reset. */
  steps = 0;
  /** How many of these were skipped for inf or NaN gradients. */
  skippedSteps = 0;
  /** From the first layer to the last, weight and bias in turn. */
  tensors: readonly WeightTensor[] = [];
  /** The examples of the last step, as rows of `data.training`; empty before the first. */
  batch: Uint32Array = new Uint32Array();
  readonly #digits: DigitRows | undefined;
  #network!: Network;
  /** A network of the same shape in float32, for referenceGradients. */
  #reference!: Network;
  /** The weights that the passes read, layer by layer: `read` of the tensors. */
  #layers: readonly LayerValues[] = [];
  /** The same, as the last step read them. */
  #readBefore: readonly LayerValues[] = [];
  /** What the next step uses beside the weights; a look copies it. */
  optimizer!: Optimizer;
  scaling!: LossScale;
  order!: Batches;
  /** Of stochastic rounding. */
  draws!: Stream;

  /** Only the task "digits" needs `digits`. Throws SettingsError. */
  constructor(settings: Settings, digits?: DigitRows) {
    checkSettings(settings);
    this.settings = settings;
    this.#digits = digits;
    this.reset();
  }

  /** The loss scale of the next step. */
  get lossScale(): number {
    return this.scaling.scale;
  }

  /** How many weights there are, biases included. */
  get weightCount(): number {
    return this.tensors.reduce((sum, { kept }) => sum + kept.length, 0);
  }

  /** Start anew; the same settings give the same numbers. */
  reset(): void {
    const { task, seed, lossScale } = this.settings;
    this.data = dataSet(task, new Stream(seed, DATA), this.#digits);
    this.order = new Batches(this.data.training.count, new Stream(seed, ORDER));
    this.draws = new Stream(seed, ROUNDING);
    this.scaling = new LossScale(lossScale);
    this.tensors = [];
    this.#build();
    this.steps = this.skippedSteps = 0;
    this.batch = new Uint32Array();
  }

  /** Continue with other settings. Weights and the optimiser's state carry over where their shapes allow, rounded to their new
   * formats; another optimiser starts with an empty state, other loss-scale settings with their initial scale, and another
   * task or seed from the start. Throws SettingsError, and changes nothing, for what checkSettings refuses. */
  change(settings: Settings): void {
    checkSettings(settings);
    const before = this.settings;
    this.settings = settings;
    if (settings.task !== before.task || settings.seed !== before.seed) return this.reset();
    this.scaling = new LossScale(settings.lossScale, this.scaling);
    this.#build(this.optimizer);
  }

  step(): StepReport {
    const { settings } = this;
    const [layers, network, scale] = [this.#layers, this.#network, this.lossScale];
    this.batch = this.order.next(settings.batchSize);
    this.#readBefore = layers.map(({ weight, bias }) => ({ weight: weight.slice(), bias: bias.slice() }));
    // 1. Forward on the weights' copies (3.1), in the activation format.
    // 2. The loss in float32 (3.3).
    const loss = network.loss(layers, this.data.training, this.batch);
    // 3. Backward from the loss times the loss scale (3.2), in the gradient format: by the chain rule every gradient is scaled.
    network.backward(layers, settings.lossWeight * scale);
    // 4. Whether a gradient is inf or NaN decides on this update and on the next scale (3.2).
    const foundInf = this.tensors.some(({ gradient }) => !areFinite(gradient));
    const skipped = this.scaling.skips(foundInf);
    this.scaling.finishStep(foundInf);
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
      right += Number(probabilities.every((probability, j) => j === label || probability < probabilities[label]!));
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

  /** The probability of class 1 minus that of class 0 in the middle of each of size × size cells of the plane, row by row
   * from the lower left corner. Plane tasks only. */
  decision(size: number): Float32Array {
    const inputs = new Float32Array(2 * size * size);
    for (let i = 0; i < size * size; i++) {
      inputs[2 * i] = EXTENT * ((2 * (i % size) + 1) / size - 1);
      inputs[2 * i + 1] = EXTENT * ((2 * Math.floor(i / size) + 1) / size - 1);
    }
    const probabilities = this.predict(inputs);
    return Float32Array.from({ length: size * size }, (_, i) => probabilities[2 * i + 1]! - probabilities[2 * i]!);
  }

  /** The gradients that float32 arithmetic gives for the last step's batch and the weights that it read, with the loss weight
   * but no loss scale, in the order of `tensors`; all 0 before the first step. Takes as long as a float32 step. */
  referenceGradients(): readonly Float32Array[] {
    const network = this.#reference;
    if (this.batch.length > 0) {
      network.loss(this.#readBefore, this.data.training, this.batch);
      network.backward(this.#readBefore, this.settings.lossWeight);
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
    return rounderOf(keptFormat(this.settings));
  }

  /** Make everything that depends on the settings; weights and the state of `optimizer` carry over where their shapes fit. */
  #build(optimizer?: Optimizer): void {
    const { settings, data } = this;
    const widths = [data.features, ...settings.layers, data.classes];
    const before = this.tensors;
    const isSame = before.length > 0 && String(this.#network.widths) === String(widths);
    const rows = Math.max(settings.batchSize, this.batch.length);
    this.#network = new Network(widths, settings, rows);
    this.#reference = new Network(widths, inFloat32(settings), rows);
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
    this.optimizer = new Optimizer(settings.optimizer, rounderOf(settings.optimizerFormat), sizes, optimizer);
  }

  /** One step of the optimiser. Returns how many weights an update that is not 0 left unchanged. */
  #update(scale: number): number {
    const { settings } = this;
    let unchanged = 0;
    this.optimizer.startStep();
    this.tensors.forEach(({ kept, gradient }, tensor) => {
      const updates = unscaled(gradient, scale);
      this.optimizer.updates(tensor, updates, settings);
      const next = weightsAfter(kept, updates, settings, this.draws);
      for (let i = 0; i < kept.length; i++) if (updates[i] !== 0 && next[i] === kept[i]) unchanged++;
      kept.set(next);
    });
    this.#copy();
    return unchanged;
  }

  /** Round the weights that are kept to the copies that the passes read (3.1). */
  #copy(): void {
    const rounder = rounderOf(this.settings.weightFormat);
    for (const { kept, read } of this.tensors) {
      read.set(kept);
      roundAll(rounder, read);
    }
  }

  /** Compute the logits of the first `count` rows, a batch at a time, and call `visit` for each row with its place in the batch. */
  #each(examples: Pick<Examples, "inputs">, count: number, visit: (row: number, place: number) => void): void {
    for (let from = 0; from < count; from += this.settings.batchSize) {
      const rows = Array.from({ length: Math.min(this.settings.batchSize, count - from) }, (_, i) => from + i);
      this.#network.read(examples, rows);
      this.#network.forward(this.#layers, rows.length);
      rows.forEach(visit);
    }
  }
}

/** The first weights, uniform in ±1/√inputs like those of torch.nn.Linear. */
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
