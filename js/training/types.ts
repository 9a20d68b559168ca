// What goes into a Trainer (trainer.ts) and what it tells. startingSettings and checkSettings (settings.ts) make and check its
// Settings. Nothing here touches a document.

import type { FloatFormat } from "#core/formats/float_format.ts";

/** Those on two features, which a plane shows, and scikit-learn's handwritten digits. */
export const TASKS = ["circle", "xor", "gaussians", "spiral", "digits"] as const;
export const ACTIVATIONS = ["tanh", "relu"] as const;
export const ACCUMULATIONS = ["float32", "format"] as const;
export const OPTIMIZERS = ["sgd", "momentum", "adam"] as const;
export const LOSS_SCALES = ["none", "static", "dynamic"] as const;
export const WEIGHT_ROUNDINGS = ["nearest", "stochastic"] as const;
/** The plane tasks' points lie in −EXTENT … EXTENT. */
export const EXTENT = 3;

export type Task = (typeof TASKS)[number];

/** What the loss is multiplied by before the backward pass; the fields have the names of mixwidgets' LossScale. */
export interface LossScaleSettings {
  /** "none": no scale and no check; "static": `initScale` throughout, steps with inf or NaN are skipped; "dynamic": it follows. */
  readonly kind: (typeof LOSS_SCALES)[number];
  /** The scale of the first step; 1 for "none". */
  readonly initScale: number;
  /** "dynamic": good steps in a row before the scale grows. */
  readonly growthInterval: number;
  readonly growthFactor: number;
  readonly backoffFactor: number;
}

/** All that decides a run. A format must have a sign and a zero, and values that are all float32 values. */
export interface Settings {
  readonly task: Task;
  /** Units of each hidden layer; none: a linear classifier. */
  readonly layers: readonly number[];
  readonly activation: (typeof ACTIVATIONS)[number];
  /** Of the weights that the forward and backward pass read, and, without master weights, of those kept. */
  readonly weightFormat: FloatFormat;
  /** Of inputs, sums and activations. */
  readonly activationFormat: FloatFormat;
  /** Of every gradient, of activations and of weights, with the loss scale in it. */
  readonly gradientFormat: FloatFormat;
  /** Whether float32 weights are kept and updated, of which the passes read copies. */
  readonly masterWeights: boolean;
  /** Whether sums of products are kept in float32, or rounded after each term: to the activation format in the forward pass, to the gradient format in the backward pass. */
  readonly accumulation: (typeof ACCUMULATIONS)[number];
  readonly optimizer: (typeof OPTIMIZERS)[number];
  readonly learningRate: number;
  /** "momentum": 0 to below 1. */
  readonly momentum: number;
  /** "adam". */
  readonly eps: number;
  /** Of the momentum, or of Adam's two moments and the denominator of its update. */
  readonly optimizerFormat: FloatFormat;
  /** How updated weights are rounded to the weight format, without master weights. */
  readonly weightRounding: (typeof WEIGHT_ROUNDINGS)[number];
  readonly lossScale: LossScaleSettings;
  /** A constant factor in the loss itself: it makes gradients small as a model at scale does. */
  readonly lossWeight: number;
  readonly batchSize: number;
  /** Decides the data of a plane task, the first weights, the order of the examples and stochastic rounding; 0 … 2^32 − 1. */
  readonly seed: number;
}

/** Rows of examples; inputs (count × features), row by row, labels 0 … classes − 1. */
export interface Examples {
  readonly count: number;
  readonly inputs: Float32Array;
  readonly labels: Uint8Array;
}

export interface DataSet {
  readonly features: number;
  readonly classes: number;
  readonly training: Examples;
  readonly test: Examples;
}

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
  /** Whether the update was left out for it. */
  readonly skipped: boolean;
  /** Weights whose update is not 0 and which are the same after it: it is lost in rounding. */
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
  /** The last step's gradient as it was stored: in the gradient format, times the loss scale. */
  readonly gradient: Float32Array;
}

/** scikit-learn's digits as bytes, 65 for each of 1,797 rows: 64 pixels of 0 … 16, then the label; the first 360 rows are the
 * test set. Python's mixwidgets.runs.task.digit_rows writes them; a page gets them as a bytes trait, so that they are in no
 * bundle. */
export type DigitRows = Uint8Array;
