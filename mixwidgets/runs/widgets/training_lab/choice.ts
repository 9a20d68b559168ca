// What the next launch runs, as it is typed and as it stands in an address. Its settings are a text, "loss_weight=1e-05,
// eps=1e-12", which settings.py beside this file reads and writes too. No DOM.

import { realIn, wholeIn } from "#core/formats/parse.ts";
import { integer } from "#ui/digits.ts";
import { t } from "#ui/messages.ts";
import type { Choice, OneOrMore, Setting, TaskChoice } from "./state.ts";
import { spaced } from "./words.ts";

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

/** Seeds from "0", "0-4", "0, 3, 7" or a mixture, in the order in which they stand. */
export function readSeeds(text: string): Read<number[]> {
  const seeds = new Set<number>();
  const isOne = /^\s*\d{1,3}(,\d{3})*,0\d\d(,\d{3})*\s*$/.test(text); // "1,000": no seed begins with a 0
  for (const part of isOne ? [text] : text.split(",")) {
    const ends = part.split(/[-–]/).map((end) => wholeIn(end, 0, MAX_SEED));
    if (ends.length > 2 || ends.includes(null)) return { problem: t("lab.seeds_wrong", { high: integer(MAX_SEED), came: quoted(part) }) };
    const [from, to = from] = ends as [number, number?];
    if (to < from) return { problem: t("lab.seeds_backwards", { right: `${to}-${from}`, came: quoted(part) }) };
    if (seeds.size + (to - from) >= MAX_SEEDS) return { problem: t("lab.seeds_many", { most: MAX_SEEDS, came: quoted(text) }) };
    for (let seed = from; seed <= to; seed += 1) {
      if (seeds.has(seed)) return { problem: t("lab.seeds_twice", { seed, came: quoted(text) }) };
      seeds.add(seed);
    }
  }
  return { value: [...seeds] };
}

/** Changes of recipe in mid-run from "200: bf16, 250: fp32", in their canonical form; "" for none. */
export function readChanges(text: string, steps: number, known: readonly string[]): Read<string> {
  const changes: [number, string][] = [];
  for (const part of text.split(/[,，]/).filter((part) => part.trim() !== "")) {
    const [step = "", named = "", ...more] = part.split(/[:：]/).map((side) => side.trim());
    const after = wholeIn(step, 1, steps - 1);
    const name = known.find((one) => one === named || spaced(one) === named);
    if (more.length > 0 || after === null) return { problem: t("lab.changes_wrong", { high: integer(steps - 1), came: quoted(part) }) };
    if (name === undefined) return { problem: t("lab.changes_recipe", { came: quoted(named) }) };
    if (changes.some(([before]) => before >= after)) return { problem: t("lab.changes_order", { came: quoted(text) }) };
    changes.push([after, name]);
  }
  return { value: changes.map(([after, name]) => `${after}: ${name}`).join(", ") };
}

/** What a run of this recipe with these changes is called: "fp16_dynamic → bf16 (200)". */
export const withChanges = (recipe: string, changes: string): string =>
  recipe + changes.split(", ").filter(Boolean).map((change) => change.split(": ")).map(([after, name]) => ` → ${name} (${after})`).join("");

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
  const changes = readChanges(String(wanted["changes"] ?? ""), taken.value, known.recipes);
  if ("problem" in changes) return null;
  return {
    task: task.name, recipe: oneOrMore(recipes), changes: changes.value, steps: taken.value, seed: oneOrMore(seeds.value), device: device as string, settings,
  };
}

/** The settings that a text names. */
export function named(text: string): Map<string, string> {
  const parts = text.split(",").map((part) => part.split("=").map((side) => side.trim()));
  return new Map(parts.filter((part) => part.length === 2) as [string, string][]);
}

export const written = (settings: ReadonlyMap<string, string>): string =>
  [...settings].map(([name, value]) => `${name}=${value}`).join(", ");

/** Those of the settings that a task has. */
export function fitting(text: string, { settings }: TaskChoice): string {
  return written(new Map([...named(text)].filter(([name]) => settings.some((setting) => setting.name === name))));
}

/** Whether two texts mean the same settings. */
export function sameSettings(a: string, b: string): boolean {
  const [first, second] = [named(a), named(b)];
  const isSame = (name: string, value: string) => second.get(name) === value || Number(second.get(name)) === Number(value);
  return first.size === second.size && [...first].every(([name, value]) => isSame(name, value));
}

/** Whether a text names settings of a task, each with a value that it takes. */
export function areSettings(text: string, { settings }: TaskChoice): boolean {
  const values = named(text);
  if (written(values).replaceAll(" ", "") !== text.replaceAll(" ", "")) return false;
  return [...values].every(([name, value]) => {
    const setting = settings.find((candidate) => candidate.name === name);
    return setting?.choices ? Object.hasOwn(setting.choices, value) : setting !== undefined && numberIn(setting, value) !== null;
  });
}

/** The number nearest to a text's value; null where the setting does not take it. */
export function numberIn({ whole, low = -Infinity, high }: Pick<Setting, "whole" | "low" | "high">, text: string): number | null {
  return (whole ? wholeIn : realIn)(text, low, high ?? Number.MAX_VALUE);
}
