// Settings to start from, and which settings can be trained with.

import { float32 } from "#core/formats/catalogue.ts";
import { holdsTensors } from "./rounder.ts";
import {
  ACCUMULATIONS, ACTIVATIONS, LOSS_SCALES, OPTIMIZERS, TASKS, WEIGHT_ROUNDINGS, type LossScaleSettings, type Settings, type Task,
} from "./types.ts";

export const LIMITS = { hiddenLayers: 3, units: 32, batchSize: 64, seed: 2 ** 32 - 1 } as const;

export const FORMAT_FIELDS = ["weightFormat", "activationFormat", "gradientFormat", "optimizerFormat"] as const;

/** The largest finite float32. */
const LARGEST = (2 - 2 ** -23) * 2 ** 127;

/** What a field takes: a page says it in its own language. "format": one with a sign and a zero, whose values are all float32
 * values. */
type Accepted =
  | { readonly kind: "choice"; readonly options: readonly string[] }
  | { readonly kind: "whole" | "real"; readonly low: number; readonly high: number }
  | { readonly kind: "layers"; readonly most: number; readonly units: number }
  | { readonly kind: "format" };

/** One field of the settings that cannot be trained with. */
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
