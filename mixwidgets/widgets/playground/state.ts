// What decides a run: the page's traits, read and checked as a whole; the twin of settings.py, which states them.

import { formats, getFormat } from "#core/formats/catalogue.ts";
import { FloatFormat } from "#core/formats/float_format.ts";
import { HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { holdsTensors } from "#training/rounder.ts";
import { checkSettings, noLossScale } from "#training/settings.ts";
import type { Settings } from "#training/types.ts";
import { stories as told, usual as base } from "./stories.json"; // by name: the bundle leaves the rest out

export type Choice = typeof base & { story: string };

export interface State extends Choice {
  _digits: DataView;
  _history: DataView;
}

/** What a run is where nothing else is said; Python reads the same file. */
export const usual: Choice = { story: "", ...base };
/** The settings that each story departs with from the usual ones, by its name. */
export const stories: Readonly<Record<string, Partial<Choice>>> = told;

export const TRAITS = Object.keys(usual) as (keyof Choice)[];
const NUMBERS: readonly string[] = ["learning_rate", "momentum", "eps", "loss_weight"];

export const MOST_STEPS = 100_000;
const MOST_BITS = 32; // the page computes in float32

/** The formats that tensors may be kept in, the widest first. */
export const choices = formats.filter((format) => format.bits <= MOST_BITS && holdsTensors(format));

const own = new Map<string, FloatFormat>();

/** A format of one's own, as IEEE formats are; undefined where there is none of such widths. */
export function ownFormat(exponentBits: number, fractionBits: number): FloatFormat | undefined {
  const isWithin = exponentBits >= 2 && exponentBits <= 8 && fractionBits >= 1 && fractionBits <= 23;
  if (!isWithin) return undefined;
  const name = `custom_e${exponentBits}m${fractionBits}`;
  if (!own.has(name)) {
    own.set(name, new FloatFormat({ name, exponentBits, fractionBits, bias: 2 ** (exponentBits - 1) - 1, signed: true, infinity: "ieee", nan: "ieee", hasZero: true }));
  }
  return own.get(name);
}

/** The format of a name; undefined for any that a tensor cannot be kept in. */
function formatOf(name: string): FloatFormat | undefined {
  const widths = /^custom_e([1-9])m([1-9][0-9]?)$/.exec(name);
  const format = widths ? ownFormat(Number(widths[1]), Number(widths[2])) : getFormat(name);
  return format && format.bits <= MOST_BITS && holdsTensors(format) ? format : undefined;
}

/** The settings that the traits mean; null where they cannot be trained with. */
export function settingsOf(choice: Choice): Settings | null {
  const alike = TRAITS.every((name) => typeof choice[name] === typeof usual[name]) && Array.isArray(choice.layers);
  const { log2_loss_scale: log2, steps } = choice;
  if (!alike || !isWhole(log2, LOWEST, HIGHEST) || !isWhole(steps, 1, MOST_STEPS)) return null;
  if (choice.story !== "" && !Object.hasOwn(stories, choice.story)) return null;
  const kept = [choice.weight_format, choice.activation_format, choice.gradient_format, choice.optimizer_format].map(formatOf);
  const [weightFormat, activationFormat, gradientFormat, optimizerFormat] = kept;
  if (!weightFormat || !activationFormat || !gradientFormat || !optimizerFormat) return null;
  const scaled = { kind: choice.loss_scale, initScale: 2 ** log2, growthInterval: choice.growth_interval } as Settings["lossScale"];
  const settings = {
    task: choice.task, layers: choice.layers, activation: choice.activation,
    weightFormat, activationFormat, gradientFormat, optimizerFormat,
    masterWeights: choice.master_weights, accumulation: choice.accumulation, weightRounding: choice.weight_rounding,
    optimizer: choice.optimizer, learningRate: choice.learning_rate, momentum: choice.momentum, eps: choice.eps,
    lossScale: choice.loss_scale === "none" ? noLossScale : { ...noLossScale, ...scaled },
    lossWeight: choice.loss_weight, batchSize: choice.batch_size, seed: choice.seed,
  } as Settings;
  try {
    checkSettings(settings);
    return settings;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const isWhole = (value: number, low: number, high: number): boolean => Number.isInteger(value) && value >= low && value <= high;

export function choiceOf(get: (name: keyof Choice) => unknown): Choice {
  return Object.fromEntries(TRAITS.map((name) => [name, get(name)])) as unknown as Choice;
}

/** What a state text says of a trait. */
export function stateValue(name: string, value: unknown): unknown {
  if (name === "layers") return (value as number[]).join("-");
  return NUMBERS.includes(name) ? (value as number).toExponential().replace("+", "") : value;
}

/** A state from an address, in the traits' own form. */
export function accept(wanted: Record<keyof Choice, unknown>): Choice | null {
  const read = (name: keyof Choice): unknown => {
    const said = wanted[name];
    if (name === "layers") return typeof said === "string" && /^([0-9]{1,9}(-[0-9]{1,9})*)?$/.test(said) ? said.split("-").filter(Boolean).map(Number) : said;
    if (!NUMBERS.includes(name)) return said;
    return typeof said === "string" && /^[0-9](\.[0-9]{1,20})?e-?[0-9]{1,3}$/.test(said) ? Number(said) : said;
  };
  const choice = choiceOf(read);
  return settingsOf(choice) && choice;
}
