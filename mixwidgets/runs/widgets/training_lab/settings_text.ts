// The settings of a launch as a text, "loss_weight=1e-05, eps=1e-12": the twin of settings.py beside this file. No DOM.

import { realIn, wholeIn } from "#core/formats/parse.ts";
import type { Setting, TaskChoice } from "./state.ts";

/** The settings that a text names. */
export function named(text: string): Map<string, string> {
  const parts = text.split(",").map((part) => part.split("=").map((one) => one.trim()));
  return new Map(parts.filter((part) => part.length === 2) as [string, string][]);
}

export const written = (settings: ReadonlyMap<string, string>): string =>
  [...settings].map(([name, value]) => `${name}=${value}`).join(", ");

/** Those of the settings that a task has. */
export function fitting(text: string, { settings }: TaskChoice): string {
  return written(new Map([...named(text)].filter(([name]) => settings.some((one) => one.name === name))));
}

/** Whether two texts mean the same settings. */
export function sameSettings(a: string, b: string): boolean {
  const [one, other] = [named(a), named(b)];
  const isSame = (name: string, value: string) => other.get(name) === value || Number(other.get(name)) === Number(value);
  return one.size === other.size && [...one].every(([name, value]) => isSame(name, value));
}

/** Whether a text names settings of a task, each with a value that it takes. */
export function areSettings(text: string, { settings }: TaskChoice): boolean {
  const found = named(text);
  if (written(found).replaceAll(" ", "") !== text.replaceAll(" ", "")) return false;
  return [...found].every(([name, value]) => {
    const setting = settings.find((one) => one.name === name);
    return setting?.choices ? setting.choices.includes(value) : setting !== undefined && numberIn(setting, value) !== null;
  });
}

/** The number nearest to a text's value; null where the setting does not take it. */
export function numberIn({ whole, low = -Infinity, high }: Pick<Setting, "whole" | "low" | "high">, text: string): number | null {
  return (whole ? wholeIn : realIn)(text, low, high ?? Number.MAX_VALUE);
}
