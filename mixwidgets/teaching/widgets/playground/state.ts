// What decides a run: the page's traits, read and checked as a whole; the twin of settings.py, which states them.

import { formats, getFormat } from "#core/formats/catalogue.ts";
import { FloatFormat, usualBias } from "#core/formats/float_format.ts";
import { realIn } from "#core/formats/parse.ts";
import { HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { listed, t } from "#ui/messages.ts";
import { holdsTensors } from "#training/rounder.ts";
import { checkChoice, checkSettings, checkWhole, noLossScale, SettingsError } from "#training/settings.ts";
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
const FORMAT_TRAITS = ["weight_format", "activation_format", "gradient_format", "optimizer_format"] as const;
type FormatTrait = (typeof FORMAT_TRAITS)[number];
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
    own.set(name, new FloatFormat({ name, exponentBits, fractionBits, bias: usualBias(exponentBits), signed: true, infinity: "ieee", nan: "ieee", hasZero: true }));
  }
  return own.get(name);
}

/** The widths that the name of a format of one's own says. */
export function widthsIn(name: string): { exponent: number; fraction: number } | undefined {
  const found = /^custom_e([1-9])m([1-9][0-9]?)$/.exec(name);
  return found ? { exponent: Number(found[1]), fraction: Number(found[2]) } : undefined;
}

/** The format that a trait names. Throws SettingsError for any that a tensor cannot be kept in. */
function formatOf(trait: FormatTrait, name: unknown): FloatFormat {
  const widths = widthsIn(String(name));
  const format = widths ? ownFormat(widths.exponent, widths.fraction) : getFormat(name);
  if (format && format.bits <= MOST_BITS && holdsTensors(format)) return format;
  throw new SettingsError(trait, { kind: "format" }, name);
}

/** The settings that the traits mean. Throws SettingsError where they cannot be trained with. */
export function settingsOf(choice: Choice): Settings {
  checkWhole("log2_loss_scale", choice.log2_loss_scale, LOWEST, HIGHEST);
  checkWhole("steps", choice.steps, 1, MOST_STEPS);
  checkChoice("story", choice.story, ["", ...Object.keys(stories)]);
  const [weightFormat, activationFormat, gradientFormat, optimizerFormat] =
    FORMAT_TRAITS.map((name) => formatOf(name, choice[name]));
  const scaled = { kind: choice.loss_scale, initScale: 2 ** choice.log2_loss_scale, growthInterval: choice.growth_interval } as Settings["lossScale"];
  const settings = {
    task: choice.task, layers: choice.layers, activation: choice.activation,
    weightFormat, activationFormat, gradientFormat, optimizerFormat,
    masterWeights: choice.master_weights, accumulation: choice.accumulation, weightRounding: choice.weight_rounding,
    optimizer: choice.optimizer, learningRate: choice.learning_rate, momentum: choice.momentum, eps: choice.eps,
    lossScale: choice.loss_scale === "none" ? noLossScale : { ...noLossScale, ...scaled },
    lossWeight: choice.loss_weight, batchSize: choice.batch_size, seed: choice.seed,
  } as Settings;
  checkSettings(settings);
  return settings;
}

export function choiceOf(get: (name: keyof Choice) => unknown): Choice {
  return Object.fromEntries(TRAITS.map((name) => [name, get(name)])) as unknown as Choice;
}

/** Why a choice cannot be trained with, in words; "" for one that can. */
export function refusal(choice: Choice): string {
  try {
    settingsOf(choice);
    return "";
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return t("play.refused", { name: traitOf(error.field), accepted: accepted(error), came: error.came });
  }
}

function accepted({ accepted: wanted }: SettingsError): string {
  switch (wanted.kind) {
    case "choice": return t("play.takes_choice", { options: listed(wanted.options.filter(Boolean)) });
    case "whole": return t("play.takes_whole", wanted);
    case "real": return t("play.takes_number", wanted);
    case "layers": return t("play.takes_layers", wanted);
    case "format": return t("play.takes_format", { bits: MOST_BITS });
  }
}

/** The trait of an engine's field: "lossScale.growthInterval" is growth_interval. */
function traitOf(field: string): string {
  return field === "lossScale.kind" ? "loss_scale" : field.replace(/^.*\./, "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What a state text says of a trait. */
export function stateValue(name: string, value: unknown): unknown {
  if (name === "layers") return (value as number[]).join("-");
  return NUMBERS.includes(name) ? (value as number).toExponential().replace("+", "") : value;
}

/** A state from an address, in the traits' own form; a text says why it is none. */
export function accept(wanted: Record<keyof Choice, unknown>): Choice | string {
  const read = (name: keyof Choice): unknown => {
    const said = wanted[name];
    if (name === "layers") return typeof said === "string" && /^([0-9]{1,9}(-[0-9]{1,9})*)?$/.test(said) ? said.split("-").filter(Boolean).map(Number) : said;
    if (!NUMBERS.includes(name)) return said;
    return realIn(String(said), -Infinity, Infinity) ?? said;
  };
  const choice = choiceOf(read);
  return refusal(choice) || choice;
}
