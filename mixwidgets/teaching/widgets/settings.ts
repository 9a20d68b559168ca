// The settings of a network that trains in a page, as traits: read, checked and written. The twin of settings.py, which defines
// them.

import { formats, getFormat } from "#core/formats/catalogue.ts";
import { FloatFormat, usualBias } from "#core/formats/float_format.ts";
import { realIn } from "#core/formats/parse.ts";
import { HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { holdsTensors } from "#training/rounder.ts";
import { checkSettings, checkWhole, noLossScale, type Settings, SettingsError, startingSettings } from "#training/settings.ts";
import { listed, t } from "#ui/messages.ts";

/** The traits that both widgets with a network have. */
export interface Chosen {
  readonly task: string;
  readonly layers: readonly number[];
  readonly activation: string;
  readonly weight_format: string;
  readonly activation_format: string;
  readonly gradient_format: string;
  readonly master_weights: boolean;
  readonly accumulation: string;
  readonly weight_rounding: string;
  readonly optimizer: string;
  readonly learning_rate: number;
  readonly momentum: number;
  readonly eps: number;
  readonly optimizer_format: string;
  readonly loss_scale: string;
  readonly log2_loss_scale: number;
  readonly growth_interval: number;
  readonly loss_weight: number;
  readonly batch_size: number;
  readonly seed: number;
}

const FIELDS = Object.keys(startingSettings("circle"));
/** Traits that are lists of numbers, written "8-8". */
const LISTS: readonly string[] = ["layers", "weight", "earlier_scales"];
const NUMBERS: readonly string[] = ["learning_rate", "momentum", "eps", "loss_weight"];

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

/** The format that the trait of a field names. Throws SettingsError if tensors cannot be kept in it. */
function formatOf(field: string, name: unknown): FloatFormat {
  const widths = widthsIn(String(name));
  const format = widths ? ownFormat(widths.exponent, widths.fraction) : getFormat(name);
  if (format && format.bits <= MOST_BITS && holdsTensors(format)) return format;
  throw new SettingsError(field, { kind: "format" }, name);
}

/** The engine's settings for a choice. Throws SettingsError if it cannot be trained with. */
export function settingsOf(choice: Chosen): Settings {
  checkWhole("log2_loss_scale", choice.log2_loss_scale, LOWEST, HIGHEST);
  const scaled = { kind: choice.loss_scale, initScale: 2 ** choice.log2_loss_scale, growthInterval: choice.growth_interval } as Settings["lossScale"];
  const settings = Object.fromEntries(FIELDS.map((field) => {
    const value = choice[traitOf(field) as keyof Chosen];
    return [field, field.endsWith("Format") ? formatOf(field, value) : value];
  })) as unknown as Settings;
  Object.assign(settings, { lossScale: choice.loss_scale === "none" ? noLossScale : { ...noLossScale, ...scaled } });
  checkSettings(settings);
  return settings;
}

/** What "refused" says of settings that `check` throws SettingsError for; "" if it does not. */
function refusalOf(check: () => unknown): string {
  try {
    check();
    return "";
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return t("train.refused", { name: traitOf(error.field), accepted: accepted(error), came: error.came });
  }
}

function accepted({ accepted: wanted }: SettingsError): string {
  if (wanted.kind === "words") return wanted.words;
  const options = wanted.kind === "choice" ? listed(wanted.options.filter(Boolean)) : "";
  return t(`train.takes_${wanted.kind}`, { ...wanted, options, bits: MOST_BITS });
}

/** The trait for a field of the engine's settings: growth_interval for "lossScale.growthInterval". */
function traitOf(field: string): string {
  return field === "lossScale.kind" ? "loss_scale" : field.replace(/^.*\./, "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** How a page reads its choice, of these traits. `check` throws SettingsError for one that cannot be used. */
export function choiceReader<C>(traits: readonly (keyof C & string)[], check: (choice: C) => unknown) {
  const choiceOf = (get: (name: keyof C & string) => unknown) => Object.fromEntries(traits.map((name) => [name, get(name)])) as C;
  /** Why a choice is refused, in words; "" if it is not. */
  const refusal = (choice: C): string => refusalOf(() => check(choice));
  return {
    choiceOf, refusal,
    /** The state in an address, converted to the types of the traits; a text says why it is invalid. */
    accept(wanted: Record<keyof C, unknown>): C | string {
      const choice = choiceOf((name) => traitIn(name, wanted[name]));
      return refusal(choice) || choice;
    },
  };
}

/** A trait's value as the address writes it. */
export function stateValue(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.join("-");
  return NUMBERS.includes(name) ? (value as number).toExponential().replace("+", "") : value;
}

/** A trait's value from the text in an address; another value as it came, for `settingsOf` to refuse. */
export function traitIn(name: string, value: unknown): unknown {
  if (LISTS.includes(name)) return typeof value === "string" && /^(-?[0-9]{1,9}(--?[0-9]{1,9})*)?$/.test(value) ? (value.match(/(^-|(?<=-)-)?[0-9]+/g) ?? []).map(Number) : value;
  return NUMBERS.includes(name) ? (realIn(String(value), -Infinity, Infinity) ?? value) : value;
}
