// What the parts of the page share, as signals: the folder's runs, what the next launch runs, and the kernel. No DOM.

import { computed } from "@preact/signals-core";
import { kernelLink } from "#ui/kernel.ts";
import { t } from "#ui/messages.ts";
import { kept, type View } from "#ui/view.ts";
import { assignStyles, merged, runAtHand, runNames } from "./rows.ts";
import { type Choice, type Curves, curvesIn, noCurves, type ShownRun, type State } from "./state.ts";

const SLOW = {
  launch: "lab.slow_launch", stop: "lab.slow_stop", stop_all: "lab.slow_stop", compare: "lab.slow", gradients: "lab.slow",
  keep_recipe: "lab.slow", drop_recipe: "lab.slow",
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
  const styles = kept(new Map<string, number>(), (last) => assignStyles(last, ids.value)); // of the selected ones, by id
  const drawn = computed(() => [...styles.value].map(([id, style]): ShownRun =>
    ({ row: byId.value.get(id)!, name: names.value.get(id)!, style, curves: curvesOf(id) ?? noCurves })));

  const [task, recipe, steps] = [view.trait("task"), view.trait("recipe"), view.trait("steps")];
  const [seed, device, settings] = [view.trait("seed"), view.trait("device"), view.trait("settings")];
  const { ask, said, hasKernel, waiting } = kernelLink(view, SLOW);
  const refusal = computed(() => (hasKernel.value ? "" : t("lab.no_kernel")));
  return {
    view, rows, names, selected, styles, drawn, ask, said, hasKernel,
    /** The run that progress is about. */
    atHand: computed(() => runAtHand(rows.value, ids.value)),
    /** Names of the runs that are drawn without curves. */
    missing: computed(() => drawn.value.filter(({ row }) => !curvesOf(row.id)).map(({ name }) => name)),
    select(id: string, isSelected: boolean) {
      const others = shown.value.filter((one) => one !== id);
      view.send("_shown", isSelected ? [...others, id] : others);
    },
    /** What the next launch runs. */
    chosen: computed((): Choice => ({
      task: task.value, recipe: recipe.value, steps: steps.value, seed: seed.value, device: device.value, settings: settings.value,
    })),
    choose(changes: Partial<State>) {
      view.set(changes);
      view.model.save_changes();
    },
    /** Why nothing can be asked of the kernel; "" where it can. */
    refusal,
    /** The same of one request, which waits for its answer. */
    asking: (kind: keyof typeof SLOW) => refusal.value || (waiting.value.has(kind) ? t("lab.asking") : ""),
  };
}
