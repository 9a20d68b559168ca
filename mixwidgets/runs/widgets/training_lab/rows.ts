// The runs of the folder: their order, their names, their line styles. No DOM.

import { listOf } from "./choice.ts";
import { sameSettings } from "./settings_text.ts";
import { type Choice, isAlive, type Row } from "./state.ts";
import { spaced } from "./words.ts";

/** All runs, newest first: ids begin with the time of the launch. Of a run in both lists, the live row counts. */
export function merged(over: readonly Row[], live: readonly Row[]): Row[] {
  const byId = new Map([...over, ...live].map((row) => [row.id, row]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** The run that progress and Stop are about: of the selected ones, else of all, the newest that runs, else the next in line; if
 * none is alive, the newest selected one. */
export function runAtHand(rows: readonly Row[], selected: readonly string[]): Row | undefined {
  const shown = rows.filter(({ id }) => selected.includes(id));
  return goingOn(shown) ?? goingOn(rows) ?? shown[0];
}

function goingOn(rows: readonly Row[]): Row | undefined {
  const alive = rows.filter(isAlive);
  return alive.find(({ status }) => status === "running") ?? alive.sort((a, b) => (a.position ?? 0) - (b.position ?? 0))[0];
}

/** Each run's short name: its recipe, numbered from the oldest where several share one. */
export function runNames(rows: readonly Row[]): Map<string, string> {
  const count = new Map<string, number>();
  for (const row of rows) count.set(row.recipe, (count.get(row.recipe) ?? 0) + 1);
  const seen = new Map<string, number>();
  const names = new Map<string, string>();
  for (const row of [...rows].reverse()) {
    const number = (seen.get(row.recipe) ?? 0) + 1;
    seen.set(row.recipe, number);
    const plain = spaced(row.recipe);
    names.set(row.id, count.get(row.recipe) === 1 ? plain : `${plain} #${number}`);
  }
  return names;
}

/** The line style of each shown run: a run keeps its own while it is shown, and a new one takes the first that is free. */
export function assignStyles(before: ReadonlyMap<string, number>, shown: readonly string[]): Map<string, number> {
  const after = new Map(shown.filter((id) => before.has(id)).map((id) => [id, before.get(id)!]));
  for (const id of shown) {
    if (after.has(id)) continue;
    const taken = new Set(after.values());
    let style = 0;
    while (taken.has(style)) style += 1;
    after.set(id, style);
  }
  return after;
}

/** The runs that a launch would repeat, in its order, the newest of each; none where one of them is missing. */
export function repeated(rows: readonly Row[], { task, recipe, steps, seed, settings }: Omit<Choice, "device">): Row[] {
  const alike = rows.filter((row) =>
    row.task === task && row.steps === steps && row.settings !== null && sameSettings(row.settings, settings) &&
    (isAlive(row) || row.status === "completed" || row.status === "diverged"));
  const found = listOf(recipe).flatMap((name) => listOf(seed).map((one) => alike.find((row) => row.recipe === name && row.seed === one)));
  return found.every((row) => row !== undefined) ? found : [];
}
