// What the next launch runs, as it is typed and as it stands in an address. No DOM.

import { wholeIn } from "#core/formats/parse.ts";
import { t } from "#ui/messages.ts";
import { integer } from "#ui/digits.ts";
import { areSettings } from "./settings_text.ts";
import type { Choice, OneOrMore, TaskChoice } from "./state.ts";

/** What was typed, read: a value, or what is wrong with it in words. */
export type Read<T> = { value: T } | { problem: string };

const MAX_STEPS = 10_000_000;
const MAX_SEED = 2 ** 32 - 1;
const MAX_SEEDS = 100; // each is a process

export const listOf = <T>(value: OneOrMore<T>): T[] => (Array.isArray(value) ? value : [value]);
export const oneOrMore = <T>(values: T[]): OneOrMore<T> => (values.length === 1 ? values[0]! : values);

export function readSteps(text: string): Read<number> {
  const value = wholeIn(text, 1, MAX_STEPS);
  if (value !== null) return { value };
  return { problem: t("lab.steps_wrong", { low: integer(1), high: integer(MAX_STEPS), came: quoted(text) }) };
}

/** Seeds from "0", "0-4", "0, 3, 7" or a mixture; each once, in the order in which they stand. */
export function readSeeds(text: string): Read<number[]> {
  const seeds = new Set<number>();
  for (const part of text.split(",")) {
    const ends = part.split(/[-–]/).map((end) => wholeIn(end, 0, MAX_SEED));
    if (ends.length > 2 || ends.includes(null)) return { problem: t("lab.seeds_wrong", { high: integer(MAX_SEED), came: quoted(part) }) };
    const [from, to = from] = ends as [number, number?];
    if (to < from) return { problem: t("lab.seeds_backwards", { right: `${to}-${from}`, came: quoted(part) }) };
    if (seeds.size + (to - from) >= MAX_SEEDS) return { problem: t("lab.seeds_many", { most: MAX_SEEDS, came: quoted(text) }) };
    for (let seed = from; seed <= to; seed += 1) seeds.add(seed);
  }
  return { value: [...seeds] };
}

/** The shortest text that `readSeeds` reads back: three or more in a row are a range. */
export function seedsText(seeds: readonly number[]): string {
  const runs: number[][] = [];
  for (const seed of seeds) {
    if (runs.at(-1)?.at(-1) === seed - 1) runs.at(-1)!.push(seed);
    else runs.push([seed]);
  }
  return runs.map((run) => (run.length > 2 ? `${run[0]}-${run.at(-1)}` : run.join(", "))).join(", ");
}

/** What was typed, quoted and cut. */
export function quoted(text: string): string {
  const came = text.trim();
  if (came === "") return t("common.nothing");
  return `“${came.length > 24 ? `${came.slice(0, 24)}…` : came}”`;
}

/** What the address of a saved page may ask for, each value as it is read there; null for what does not fit. */
export function accept(
  wanted: Record<string, unknown>,
  known: { tasks: readonly TaskChoice[]; recipes: readonly string[]; devices: readonly string[] },
): Choice | null {
  const { recipe, steps, seed, device } = wanted;
  const task = known.tasks.find(({ name }) => name === wanted["task"]);
  const settings = String(wanted["settings"] ?? "");
  const recipes = String(recipe).split(",");
  const seeds = readSeeds(String(seed));
  const isKnown =
    task !== undefined && areSettings(settings, task) && known.devices.includes(device as string) &&
    recipes.every((name) => known.recipes.includes(name)) && new Set(recipes).size === recipes.length;
  const taken = readSteps(String(steps));
  if (!isKnown || "problem" in taken || "problem" in seeds) return null;
  return {
    task: task.name, recipe: oneOrMore(recipes), steps: taken.value, seed: oneOrMore(seeds.value), device: device as string, settings,
  };
}
