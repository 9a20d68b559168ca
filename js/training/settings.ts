// Settings to start from, and which settings can be trained with.

import { getFormat } from "#core/formats/catalogue.ts";
import { holdsTensors } from "./rounder.ts";
import {
  ACCUMULATIONS, ACTIVATIONS, LOSS_SCALES, OPTIMIZERS, TASKS, WEIGHT_ROUNDINGS, type LossScaleSettings, type Settings, type Task,
} from "./types.ts";

export const LIMITS = { hiddenLayers: 3, units: 32, batchSize: 64, seed: 2 ** 32 - 1 } as const;

/** The largest finite float32. */
const LARGEST = (2 - 2 ** -23) * 2 ** 127;

/** One field of the settings that cannot be trained with. */
export class SettingsError extends RangeError {
  /** The field, such as "learningRate" or "lossScale.initScale". */
  readonly field: string;

  constructor(field: string, accepted: string, came: unknown) {
    super(`${field} takes ${accepted}; got ${String(came)}`);
    this.field = field;
  }
}

const float32 = getFormat("float32")!;

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
  choice("task", settings.task, TASKS);
  if (!(layers.length <= LIMITS.hiddenLayers)) {
    throw new SettingsError("layers", `at most ${LIMITS.hiddenLayers} hidden layers`, layers.length);
  }
  for (const units of layers) whole("layers", units, 1, LIMITS.units);
  choice("activation", settings.activation, ACTIVATIONS);
  for (const field of ["weightFormat", "activationFormat", "gradientFormat", "optimizerFormat"] as const) {
    const format = settings[field];
    if (!holdsTensors(format)) {
      throw new SettingsError(field, "a format with a sign and a zero, whose values are all float32 values", format.name);
    }
  }
  choice("accumulation", settings.accumulation, ACCUMULATIONS);
  choice("optimizer", settings.optimizer, OPTIMIZERS);
  real("learningRate", settings.learningRate, 0, LARGEST);
  real("momentum", settings.momentum, 0, 1 - 2 ** -53);
  real("eps", settings.eps, 0, LARGEST);
  choice("weightRounding", settings.weightRounding, WEIGHT_ROUNDINGS);
  choice("lossScale.kind", lossScale.kind, LOSS_SCALES);
  real("lossScale.initScale", lossScale.initScale, 2 ** -126, LARGEST);
  whole("lossScale.growthInterval", lossScale.growthInterval, 1, 1e9);
  real("lossScale.growthFactor", lossScale.growthFactor, 1, 2 ** 64);
  real("lossScale.backoffFactor", lossScale.backoffFactor, 2 ** -64, 1);
  real("lossWeight", settings.lossWeight, 0, LARGEST);
  whole("batchSize", settings.batchSize, 1, LIMITS.batchSize);
  whole("seed", settings.seed, 0, LIMITS.seed);
}

function choice(field: string, came: unknown, accepted: readonly unknown[]): void {
  if (!accepted.includes(came)) throw new SettingsError(field, accepted.join(", "), came);
}

function real(field: string, came: number, low: number, high: number): void {
  if (!(came >= low && came <= high)) throw new SettingsError(field, `a number from ${low} to ${high}`, came);
}

function whole(field: string, came: number, low: number, high: number): void {
  if (!(Number.isInteger(came) && came >= low && came <= high)) {
    throw new SettingsError(field, `a whole number from ${low} to ${high}`, came);
  }
}
