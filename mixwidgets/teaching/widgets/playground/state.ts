// The chosen settings: the page's traits, read and checked as a whole. The twin of settings.py, which defines them.

import { formats, getFormat } from "#core/formats/catalogue.ts";
import { FloatFormat, usualBias } from "#core/formats/float_format.ts";
import { realIn } from "#core/formats/parse.ts";
import { HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { listed, t } from "#ui/messages.ts";
import { holdsTensors } from "#training/rounder.ts";
import { checkChoice, checkSettings, checkWhole, noLossScale, type Settings, SettingsError } from "#training/settings.ts";
import { acts as actsInFile, other_guess as guessesInFile, stories as storiesInFile, usual as usualInFile } from "./stories.json"; // by name, so that the bundle omits the rest

export type Choice = typeof usualInFile & { story: string };

export interface State extends Choice {
  _digits: DataView;
  _history: DataView;
}

/** The default settings; Python reads the same file. */
export const usual: Choice = { story: "", ...usualInFile };
/** The settings of each story that differ from the usual ones, by its name. */
export const stories: Readonly<Record<string, Partial<Choice>>> = storiesInFile;

/** What the second act of each story changes. */
export const acts: Readonly<Record<string, Partial<Choice>>> = actsInFile;
/** The curve of the loss that the second guess of each story means; the first is that it learns. */
export const otherGuess: Readonly<Record<string, string>> = guessesInFile;

export const TRAITS = Object.keys(usual) as (keyof Choice)[];
const FORMAT_TRAITS = ["weight_format", "activation_format", "gradient_format", "optimizer_format"] as const;
type FormatTrait = (typeof FORMAT_TRAITS)[number];
const NUMBERS: readonly string[] = ["learning_rate", "momentum", "eps", "loss_weight"];

export const MOST_STEPS = 100_000;
const MOST_BITS = 32; // the page computes in float32

/** The formats that tensors can be kept in, the widest first. */
export const choices = formats.filter((format) => format.bits <= MOST_BITS && holdsTensors(format));

const own = new Map<string, FloatFormat>();

/** A format of one's own, with the conventions of IEEE 754; undefined if it cannot have these widths. */
export function ownFormat(exponentBits: number, fractionBits: number): FloatFormat | undefined {
  const isWithin = exponentBits >= 2 && exponentBits <= 8 && fractionBits >= 1 && fractionBits <= 23;
  if (!isWithin) return undefined;
  const name = `custom_e${exponentBits}m${fractionBits}`;
  if (!own.has(name)) {
    own.set(name, new FloatFormat({ name, exponentBits, fractionBits, bias: usualBias(exponentBits), signed: true, infinity: "ieee", nan: "ieee", hasZero: true }));
  }
  return own.get(name);
}

/** The widths in the name of a format of one's own; undefined for another name. */
export function widthsIn(name: string): { exponent: number; fraction: number } | undefined {
  const match = /^custom_e([1-9])m([1-9][0-9]?)$/.exec(name);
  return match ? { exponent: Number(match[1]), fraction: Number(match[2]) } : undefined;
}

/** The format that a trait names. Throws SettingsError if tensors cannot be kept in it. */
function formatOf(trait: FormatTrait, name: unknown): FloatFormat {
  const widths = widthsIn(String(name));
  const format = widths ? ownFormat(widths.exponent, widths.fraction) : getFormat(name);
  if (format && format.bits <= MOST_BITS && holdsTensors(format)) return format;
  throw new SettingsError(trait, { kind: "format" }, name);
}

/** The engine's settings for a choice. Throws SettingsError if it cannot be trained with. */
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

/** At which step Play pauses for a task: the float32 network has learned by then. */
export const stepsFor = (task: string): number => (task === "spiral" ? 5000 : usual.steps);

/** log2 of the scale that the first step has: 0 without a loss scale, whatever is kept for one. */
export const log2InForce = ({ loss_scale, log2_loss_scale }: Choice): number => (loss_scale === "none" ? 0 : log2_loss_scale);

export function choiceOf(get: (name: keyof Choice) => unknown): Choice {
  return Object.fromEntries(TRAITS.map((name) => [name, get(name)])) as unknown as Choice;
}

/** Why a choice cannot be trained with, in words; "" if it can. */
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

/** The trait for a field of the engine's settings: growth_interval for "lossScale.growthInterval". */
function traitOf(field: string): string {
  return field === "lossScale.kind" ? "loss_scale" : field.replace(/^.*\./, "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A trait's value as the address writes it. */
export function stateValue(name: string, value: unknown): unknown {
  if (name === "layers") return (value as number[]).join("-");
  return NUMBERS.includes(name) ? (value as number).toExponential().replace("+", "") : value;
}

/** The state in an address, converted to the types of the traits; a text says why it is invalid. */
export function accept(wanted: Record<keyof Choice, unknown>): Choice | string {
  const read = (name: keyof Choice): unknown => {
    const value = wanted[name];
    if (name === "layers") return typeof value === "string" && /^([0-9]{1,9}(-[0-9]{1,9})*)?$/.test(value) ? value.split("-").filter(Boolean).map(Number) : value;
    if (!NUMBERS.includes(name)) return value;
    return realIn(String(value), -Infinity, Infinity) ?? value;
  };
  const choice = choiceOf(read);
  return refusal(choice) || choice;
}
