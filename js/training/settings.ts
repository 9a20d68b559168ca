// All that decides a run: its settings, those to start from, and which can be trained with.

import { float32 } from "#core/formats/catalogue.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { holdsTensors } from "./rounder.ts";

/** Four tasks on two features, which a plane shows, and scikit-learn's handwritten digits. */
export const TASKS = ["circle", "xor", "gaussians", "spiral", "digits"] as const;
export const ACTIVATIONS = ["tanh", "relu"] as const;
export const ACCUMULATIONS = ["float32", "format"] as const;
export const OPTIMIZERS = ["sgd", "momentum", "adam"] as const;
export const LOSS_SCALES = ["none", "static", "dynamic"] as const;
export const WEIGHT_ROUNDINGS = ["nearest", "stochastic"] as const;
export const LIMITS = { hiddenLayers: 3, units: 32, batchSize: 64, seed: 2 ** 32 - 1 } as const;

export const FORMAT_FIELDS = ["weightFormat", "activationFormat", "gradientFormat", "optimizerFormat"] as const;

/** The largest finite float32. */
const LARGEST = (2 - 2 ** -23) * 2 ** 127;

export type Task = (typeof TASKS)[number];

/** What the loss is multiplied by before the backward pass; the fields have the names of mixwidgets' LossScale. */
export interface LossScaleSettings {
  /** "none": no scale and no check; "static": always `initScale`, and steps with inf or NaN are skipped; "dynamic": such a step
   * also lowers the scale, and it grows after enough good steps. */
  readonly kind: (typeof LOSS_SCALES)[number];
  /** The scale of the first step; 1 for "none". */
  readonly initScale: number;
  /** "dynamic": good steps in a row before the scale grows. */
  readonly growthInterval: number;
  readonly growthFactor: number;
  readonly backoffFactor: number;
}

/** A format must have a sign and a zero, and values that are all float32 values. */
export interface Settings {
  readonly task: Task;
  /** Units of each hidden layer; without any, the network is a linear classifier. */
  readonly layers: readonly number[];
  readonly activation: (typeof ACTIVATIONS)[number];
  /** Of the weights that the forward and backward pass read and, without master weights, of those kept. */
  readonly weightFormat: FloatFormat;
  /** Of inputs, sums and activations. */
  readonly activationFormat: FloatFormat;
  /** Of every gradient, of activations and of weights, multiplied by the loss scale. */
  readonly gradientFormat: FloatFormat;
  /** Whether the weights that are kept and updated are float32 and the passes read copies of them. */
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
  /** A constant factor in the loss itself: it makes gradients as small as those of a large model. */
  readonly lossWeight: number;
  readonly batchSize: number;
  /** Decides the data of a plane task, the first weights, the order of the examples and stochastic rounding; 0 … 2^32 − 1. */
  readonly seed: number;
}

/** What a field accepts, for a page to say in its own language. "format": see Settings. */
type Accepted =
  | { readonly kind: "choice"; readonly options: readonly string[] }
  | { readonly kind: "whole" | "real"; readonly low: number; readonly high: number }
  | { readonly kind: "layers"; readonly most: number; readonly units: number }
  | { readonly kind: "words"; readonly words: string }
  | { readonly kind: "format" };

/** The value of a field cannot be trained with. */
export class SettingsError extends RangeError {
  /** The field, such as "learningRate" or "lossScale.initScale". */
  readonly field: string;
  readonly accepted: Accepted;
  readonly came: string;

  constructor(field: string, accepted: Accepted, came: unknown) {
    super(`${field} cannot be ${String(came)}`);
    this.field = field;
    this.accepted = accepted;
    this.came = String(came);
  }
}

export const noLossScale: LossScaleSettings = {
  kind: "none", initScale: 1, growthInterval: 2000, growthFactor: 2, backoffFactor: 0.5,
};

/** Float32 throughout, with a network and a learning rate that suit the task. */
export function startingSettings(task: Task): Settings {
  return {
    task,
    layers: task === "digits" ? [32] : task === "spiral" ? [8, 8] : [8],
    activation: "tanh",
    weightFormat: float32,
    activationFormat: float32,
    gradientFormat: float32,
    masterWeights: true,
    accumulation: "float32",
    optimizer: "adam",
    learningRate: task === "digits" ? 0.003 : 0.01,
    momentum: 0.9,
    eps: 1e-8,
    optimizerFormat: float32,
    weightRounding: "nearest",
    lossScale: noLossScale,
    lossWeight: 1,
    batchSize: 32,
    seed: 0,
  };
}

/** The same settings in float32 alone. There is no loss scale, because a power of two would not change a bit of the result. */
export function inFloat32(settings: Settings): Settings {
  return {
    ...settings, weightFormat: float32, activationFormat: float32, gradientFormat: float32, optimizerFormat: float32,
    masterWeights: true, accumulation: "float32", weightRounding: "nearest", lossScale: noLossScale,
  };
}

/** The format of the weights that are kept between steps. */
export const keptFormat = ({ masterWeights, weightFormat }: Settings): FloatFormat => (masterWeights ? float32 : weightFormat);

/** Throws SettingsError for the first field that cannot be trained with. */
export function checkSettings(settings: Settings): void {
  const { lossScale, layers } = settings;
  checkChoice("task", settings.task, TASKS);
  const areLayers = Array.isArray(layers) && layers.length <= LIMITS.hiddenLayers && layers.every((units) => isWhole(units, 1, LIMITS.units));
  if (!areLayers) {
    throw new SettingsError("layers", { kind: "layers", most: LIMITS.hiddenLayers, units: LIMITS.units }, Array.isArray(layers) ? layers.join("-") : layers);
  }
  checkChoice("activation", settings.activation, ACTIVATIONS);
  for (const field of FORMAT_FIELDS) {
    const format = settings[field];
    if (!holdsTensors(format)) throw new SettingsError(field, { kind: "format" }, format.name);
  }
  checkChoice("masterWeights", settings.masterWeights, [true, false]);
  checkChoice("accumulation", settings.accumulation, ACCUMULATIONS);
  checkChoice("optimizer", settings.optimizer, OPTIMIZERS);
  checkReal("learningRate", settings.learningRate, 0, LARGEST);
  checkReal("momentum", settings.momentum, 0, 1 - 2 ** -53);
  checkReal("eps", settings.eps, 0, LARGEST);
  checkChoice("weightRounding", settings.weightRounding, WEIGHT_ROUNDINGS);
  checkChoice("lossScale.kind", lossScale.kind, LOSS_SCALES);
  checkReal("lossScale.initScale", lossScale.initScale, 2 ** -126, LARGEST);
  checkWhole("lossScale.growthInterval", lossScale.growthInterval, 1, 1e9);
  checkReal("lossScale.growthFactor", lossScale.growthFactor, 1, 2 ** 64);
  checkReal("lossScale.backoffFactor", lossScale.backoffFactor, 2 ** -64, 1);
  checkReal("lossWeight", settings.lossWeight, 0, LARGEST);
  checkWhole("batchSize", settings.batchSize, 1, LIMITS.batchSize);
  checkWhole("seed", settings.seed, 0, LIMITS.seed);
}

/** Throws SettingsError unless `came` is one of the options. */
export function checkChoice(field: string, came: unknown, options: readonly unknown[]): void {
  if (!options.includes(came)) throw new SettingsError(field, { kind: "choice", options: options.map(String) }, came);
}

function checkReal(field: string, came: number, low: number, high: number): void {
  if (!(typeof came === "number" && came >= low && came <= high)) throw new SettingsError(field, { kind: "real", low, high }, came);
}

/** The same for whole numbers. */
export function checkWhole(field: string, came: number, low: number, high: number): void {
  if (!isWhole(came, low, high)) throw new SettingsError(field, { kind: "whole", low, high }, came);
}

const isWhole = (value: number, low: number, high: number): boolean => Number.isInteger(value) && value >= low && value <= high;
