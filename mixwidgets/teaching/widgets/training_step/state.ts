// The chosen step: the page's traits, read and checked as a whole. The twin of widget.py, which defines them.

import { HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { type DigitRows, shapeOf } from "#training/data.ts";
import type { Look, Place } from "#training/look.ts";
import { checkChoice, checkWhole, inFloat32, type Settings, SettingsError, type Task } from "#training/settings.ts";
import { Trainer } from "#training/trainer.ts";
import { LossScale } from "#training/update.ts";
import { t } from "#ui/messages.ts";
import * as network from "../settings.ts";
import { usual as usualInFile } from "./usual.json"; // by name, so that the bundle omits the rest

export type Choice = Omit<typeof usualInFile, "earlier_scales"> & { earlier_scales: readonly number[] };

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
  const check = (name: "earlier_scales" | "weight", isRight: boolean, words: string) => {
    if (!isRight) throw new SettingsError(name, { kind: "words", words }, network.stateValue(name, choice[name]));
  };
  check("earlier_scales", areScales(choice.earlier_scales), t("step.takes_scales", { most: MOST_STEPS }));
  checkChoice("all_weights", choice.all_weights, [true, false]);
  check("weight", isInNetwork(choice), t("step.takes_weight"));
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

/** Whether these are scales of earlier steps: log2 of one, and how many steps had it, in turn. */
function areScales(scales: readonly number[]): boolean {
  let steps = 0;
  const isEvery = Array.isArray(scales) && scales.every((value, at) => {
    steps += (at % 2) * value;
    return Number.isInteger(value) && (at % 2 ? value >= 1 : value >= LOWEST && value <= HIGHEST);
  });
  return isEvery && scales.length % 2 === 0 && steps <= MOST_STEPS;
}

/** Steps in turn with the same loss scale; a dynamic one begins with it. */
interface Run {
  readonly log2: number;
  readonly count: number;
}

/** Those of the steps before the one that is shown that were taken with scales of their own. */
function earlierRuns({ steps, earlier_scales }: Choice): Run[] {
  const runs: Run[] = [];
  for (let at = 0, left = steps; at < earlier_scales.length && left > 0; at += 2) {
    const count = Math.min(earlier_scales[at + 1]!, left);
    runs.push({ log2: earlier_scales[at]!, count });
    left -= count;
  }
  return runs;
}

const countOf = (runs: readonly Run[]): number => runs.reduce((sum, { count }) => sum + count, 0);
const flat = (runs: readonly Run[]): number[] => runs.flatMap(({ log2, count }) => [log2, count]);

/** All steps before the one that is shown: the others have its loss scale. */
export function runsOf(choice: Choice): Run[] {
  const runs = earlierRuns(choice);
  const others = choice.steps - countOf(runs);
  return others > 0 ? [...runs, { log2: choice.log2_loss_scale, count: others }] : runs;
}

/** Whether the step that is shown is the first with its loss scale. */
export const isRescaled = (choice: Choice): boolean => countOf(earlierRuns(choice)) === choice.steps;

/** The changes that give the step that is shown, and those after it, another loss scale. The steps before it keep theirs: 1 if
 * they had none. */
export function rescaled(choice: Choice, log2: number): Partial<Choice> {
  const scaled = choice.loss_scale === "none" ? { ...choice, loss_scale: "static", log2_loss_scale: 0, earlier_scales: [] } : choice;
  return { loss_scale: scaled.loss_scale, log2_loss_scale: log2, earlier_scales: flat(runsOf(scaled)) };
}

/** The changes that lead to the next step, and to the one before, which has the loss scale that it was taken with. */
export const onward = (choice: Choice): Partial<Choice> => ({ steps: choice.steps + 1, earlier_scales: flat(earlierRuns(choice)) });
export function backward(choice: Choice): Partial<Choice> {
  const runs = runsOf(choice);
  const { log2 } = runs.pop()!;
  return isRescaled(choice) ? { steps: choice.steps - 1, log2_loss_scale: log2, earlier_scales: flat(runs) } : { steps: choice.steps - 1 };
}

/** The trainer before the step that is shown: `float32_steps` in float32, then `steps` with the settings, each with the loss scale
 * that it had. Throws SettingsError. */
export function trainerOf(choice: Choice, digits: DigitRows): Trainer {
  const settings = settingsOf(choice);
  const trainer = new Trainer(inFloat32(settings), digits);
  for (let i = 0; i < choice.float32_steps; i++) trainer.step();
  for (const { log2, count } of runsOf(choice)) {
    startWith(trainer, settingsOf({ ...choice, log2_loss_scale: log2 }));
    for (let i = 0; i < count; i++) trainer.step();
  }
  if (isRescaled(choice)) startWith(trainer, settings);
  return trainer;
}

/** Go on with the settings, and with their first loss scale. */
function startWith(trainer: Trainer, settings: Settings): void {
  trainer.change(settings);
  trainer.scaling = new LossScale(settings.lossScale);
}

export const { choiceOf, refusal, accept } = network.choiceReader(TRAITS, settingsOf);

export { stateValue } from "../settings.ts";
