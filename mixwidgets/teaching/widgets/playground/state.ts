// The chosen settings: the page's traits, read and checked as a whole. The twin of settings.py, which defines them.

import { checkChoice, checkWhole, type Settings } from "#training/settings.ts";
import * as network from "../settings.ts";
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
export const MOST_STEPS = 100_000;

/** The engine's settings for a choice. Throws SettingsError if it cannot be trained with. */
export function settingsOf(choice: Choice): Settings {
  checkWhole("steps", choice.steps, 1, MOST_STEPS);
  checkChoice("story", choice.story, ["", ...Object.keys(stories)]);
  return network.settingsOf(choice);
}

/** At which step Play pauses for a task: the float32 network has learned by then. */
export const stepsFor = (task: string): number => (task === "spiral" ? 5000 : usual.steps);

/** log2 of the scale that the first step has: 0 without a loss scale, whatever is kept for one. */
export const log2InForce = ({ loss_scale, log2_loss_scale }: Choice): number => (loss_scale === "none" ? 0 : log2_loss_scale);

export const { choiceOf, refusal, accept } = network.choiceReader(TRAITS, settingsOf);
