// The chosen step: the page's traits, read and checked as a whole. The twin of widget.py, which defines them.

import { type DigitRows, shapeOf } from "#training/data.ts";
import type { Look, Place } from "#training/look.ts";
import { checkChoice, checkWhole, inFloat32, type Settings, SettingsError, type Task } from "#training/settings.ts";
import { Trainer } from "#training/trainer.ts";
import { t } from "#ui/messages.ts";
import * as network from "../settings.ts";
import { usual as usualInFile } from "./usual.json"; // by name, so that the bundle omits the rest

export type Choice = typeof usualInFile;

export interface State extends Choice {
  _digits: DataView;
  _stations: DataView;
}

/** The default settings; Python reads the same file. */
export const usual: Choice = usualInFile;
export const TRAITS = Object.keys(usual) as (keyof Choice)[];

/** The most steps before the one that is shown, of either kind: they are taken whenever a setting changes. */
export const MOST_STEPS = 1000;

/** The engine's settings for a choice. Throws SettingsError if it cannot be shown. */
export function settingsOf(choice: Choice): Settings {
  const settings = network.settingsOf(choice);
  checkWhole("float32_steps", choice.float32_steps, 0, MOST_STEPS);
  checkWhole("steps", choice.steps, 0, MOST_STEPS);
  checkChoice("all_weights", choice.all_weights, [true, false]);
  if (!isInNetwork(choice)) throw new SettingsError("weight", { kind: "words", words: t("step.takes_weight") }, network.stateValue("weight", choice.weight));
  return settings;
}

/** Units of each layer, from the features to the classes. */
export function widthsOf({ task, layers }: Pick<Choice, "task" | "layers">): number[] {
  const { features, classes } = shapeOf(task as Task);
  return [features, ...layers, classes];
}

/** Whether there is such a weight: [layer, input, unit], from 1; input 0 is the bias. */
function isInNetwork({ weight, ...choice }: Choice): boolean {
  if (!Array.isArray(weight) || weight.length !== 3 || !weight.every(Number.isInteger)) return false;
  const widths = widthsOf(choice);
  const [layer, input, unit] = weight as [number, number, number];
  return layer >= 1 && layer < widths.length && input >= 0 && input <= widths[layer - 1]! && unit >= 1 && unit <= widths[layer]!;
}

/** Where the chosen weight is among the tensors. */
export function placeOf({ weight, ...choice }: Choice): Place {
  const [layer, input, unit] = weight as [number, number, number];
  if (input === 0) return { tensor: 2 * layer - 1, index: unit - 1 };
  return { tensor: 2 * layer - 2, index: (input - 1) * widthsOf(choice)[layer]! + unit - 1 };
}

/** The trait for a weight of a network. */
export function weightOf({ tensors }: Pick<Look, "tensors">, { tensor, index }: Place): number[] {
  const { layer, kind, shape: [, outputs] } = tensors[tensor]!;
  return [layer + 1, kind === "bias" ? 0 : Math.floor(index / outputs) + 1, (index % outputs) + 1];
}

/** The trainer before the step that is shown: `float32_steps` in float32, then `steps` with the settings. Throws SettingsError. */
export function trainerOf(choice: Choice, digits: DigitRows): Trainer {
  const settings = settingsOf(choice);
  const trainer = new Trainer(inFloat32(settings), digits);
  for (let i = 0; i < choice.float32_steps; i++) trainer.step();
  trainer.change(settings);
  for (let i = 0; i < choice.steps; i++) trainer.step();
  return trainer;
}

export function choiceOf(get: (name: keyof Choice) => unknown): Choice {
  return Object.fromEntries(TRAITS.map((name) => [name, get(name)])) as unknown as Choice;
}

/** Why a choice cannot be shown, in words; "" if it can. */
export const refusal = (choice: Choice): string => network.refusalOf(() => settingsOf(choice));

export { stateValue } from "../settings.ts";

/** The state in an address, converted to the types of the traits; a text says why it is invalid. */
export function accept(wanted: Record<keyof Choice, unknown>): Choice | string {
  const choice = choiceOf((name) => network.traitIn(name, wanted[name]));
  return refusal(choice) || choice;
}
