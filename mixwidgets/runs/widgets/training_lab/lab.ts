// The runs of the folder, in order, with their names and line styles, and what the parts of the page share of them and of the
// next launch, as signals. No DOM.

import { computed } from "@preact/signals-core";
import { kernelLink } from "#ui/kernel.ts";
import { t } from "#ui/messages.ts";
import { kept, type View } from "#ui/view.ts";
import { listOf, sameSettings, withChanges } from "./choice.ts";
import { lineOf } from "./lines.ts";
import { type Choice, type Curves, curvesIn, isAlive, noCurves, type Row, type ShownRun, type State } from "./state.ts";
import { spaced } from "./words.ts";

const SLOW = {
  launch: "lab.slow_launch", stop: "lab.slow_stop", stop_all: "lab.slow_stop", compare: "lab.slow", gradients: "lab.slow",
  keep_recipe: "lab.slow", drop_recipe: "lab.slow", label: "lab.slow", throw_away: "lab.slow", code: "lab.slow",
} as const;

export type Lab = ReturnType<typeof labOf>;

export function labOf(view: View<State>) {
  const [over, alive, shown] = [view.trait("_rows"), view.trait("_live_rows"), view.trait("_shown")];
  const [settled, live] = [view.trait("_settled"), view.trait("_live")];
  const [settledCurves, liveCurves] = [computed(() => curvesIn(settled.value)), computed(() => curvesIn(live.value))];
  const curvesOf = (id: string): Curves | undefined => liveCurves.value.get(id) ?? settledCurves.value.get(id);

  const rows = computed(() => merged(over.value, alive.value)); // newest first
  const byId = computed(() => new Map(rows.value.map((row) => [row.id, row])));
  const names = computed(() => runNames(rows.value)); // by id
  const selected = computed(() => shown.value.map((id) => byId.value.get(id)).filter((row) => row !== undefined)); // in the order of their selection
  const ids = computed(() => selected.value.map(({ id }) => id));
  const together = computed(() => selected.value.filter(({ task }) => task === selected.value.at(-1)?.task)); // on one axis
  const lines = kept(new Map<string, number>(), (last) => assignStyles(last, [...new Set(together.value.map(lineOf))]));
  const styles = computed(() => new Map(together.value.map((row) => [row.id, lines.value.get(lineOf(row))!]))); // by id
  const drawn = computed(() => together.value.map((row): ShownRun =>
    ({ row, name: names.value.get(row.id)!, style: styles.value.get(row.id)!, curves: curvesOf(row.id) ?? noCurves })));

  const [task, recipe, changes, steps] = [view.trait("task"), view.trait("recipe"), view.trait("changes"), view.trait("steps")];
  const [seed, device, settings] = [view.trait("seed"), view.trait("device"), view.trait("settings")];
  const { ask, said, hasKernel, waiting } = kernelLink(view, SLOW);
  const refusal = computed(() => (hasKernel.value ? "" : t("lab.no_kernel")));
  return {
    view, rows, names, selected, ids, styles, drawn, ask, said, hasKernel,
    /** The run that progress is about. */
    atHand: computed(() => runAtHand(rows.value, ids.value)),
    /** Names of the runs that are drawn without curves. */
    missing: computed(() => drawn.value.filter(({ row }) => !curvesOf(row.id)).map(({ name }) => name)),
    select(id: string, isSelected: boolean) {
      const others = shown.value.filter((other) => other !== id);
      view.send("_shown", isSelected ? [...others, id] : others);
    },
    /** What the next launch runs. */
    chosen: computed((): Choice => ({
      task: task.value, recipe: recipe.value, changes: changes.value, steps: steps.value, seed: seed.value, device: device.value, settings: settings.value,
    })),
    choose(changes: Partial<State>) {
      view.set(changes);
      view.model.save_changes();
    },
    /** Why the kernel cannot be asked for anything; "" if it can. */
    refusal,
    /** The same for a kind of request, which may also wait for its answer. */
    asking: (kind: keyof typeof SLOW) => refusal.value || (waiting.value.has(kind) ? t("lab.asking") : ""),
  };
}

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

/** Each run's short name: its own or, without one, its recipe, numbered from the oldest where several share one. */
export function runNames(rows: readonly Row[]): Map<string, string> {
  const count = new Map<string, number>();
  for (const row of rows) count.set(row.recipe, (count.get(row.recipe) ?? 0) + 1);
  const seen = new Map<string, number>();
  const names = new Map<string, string>();
  for (const row of [...rows].reverse()) {
    const number = (seen.get(row.recipe) ?? 0) + 1;
    seen.set(row.recipe, number);
    const plain = spaced(row.recipe);
    names.set(row.id, row.name || (count.get(row.recipe) === 1 ? plain : `${plain} #${number}`));
  }
  return names;
}

/** The style of each line: a line keeps its own while it is shown, and a new one takes the first that is free. */
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
export function repeated(rows: readonly Row[], { task, recipe, changes = "", steps, seed, settings }: Omit<Choice, "device" | "changes"> & { changes?: string }): Row[] {
  const alike = rows.filter((row) =>
    row.task === task && row.steps === steps && row.settings !== null && sameSettings(row.settings, settings) &&
    (isAlive(row) || row.status === "completed" || row.status === "diverged"));
  const wanted = listOf(recipe).flatMap((name) => listOf(seed).map((number) => alike.find((row) => row.recipe === withChanges(name, changes) && row.seed === number)));
  return wanted.every((row) => row !== undefined) ? wanted : [];
}
