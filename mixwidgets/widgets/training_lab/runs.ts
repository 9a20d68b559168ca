// The folder's runs as signals: all of them, those that are selected, and the one that progress is about. No DOM.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { kept, type View } from "#ui/view.ts";
import { assignStyles, merged, runAtHand, runNames } from "./rows.ts";
import { type Curves, decode, type Row, type ShownRun, type State } from "./state.ts";

export interface Runs {
  view: View<State>;
  rows: ReadonlySignal<Row[]>; // newest first
  names: ReadonlySignal<Map<string, string>>; // by id
  selected: ReadonlySignal<Row[]>; // in the order of their selection
  styles: ReadonlySignal<Map<string, number>>; // of the selected ones, by id
  atHand: ReadonlySignal<Row | undefined>;
  drawn: ReadonlySignal<ShownRun[]>;
  missing: ReadonlySignal<string[]>; // names of those that are drawn without curves
  select(id: string, isSelected: boolean): void;
}

export function runsOf(view: View<State>): Runs {
  const [over, alive, shown] = [view.trait("_rows"), view.trait("_live_rows"), view.trait("_shown")];
  const [settled, live] = [view.trait("_settled"), view.trait("_live")];
  const wire = (id: string) => live.value[id] ?? settled.value[id];
  const decoded = new WeakMap<object, Curves>();
  const curvesOf = (id: string): Curves => {
    const sent = wire(id);
    if (!sent) return decode(undefined);
    if (!decoded.has(sent)) decoded.set(sent, decode(sent));
    return decoded.get(sent)!;
  };

  const rows = computed(() => merged(over.value, alive.value));
  const byId = computed(() => new Map(rows.value.map((row) => [row.id, row])));
  const names = computed(() => runNames(rows.value));
  const selected = computed(() => shown.value.map((id) => byId.value.get(id)).filter((row) => row !== undefined));
  const ids = computed(() => selected.value.map(({ id }) => id));
  const styles = kept(new Map<string, number>(), (last) => assignStyles(last, ids.value));
  const drawn = computed(() => [...styles.value].map(([id, style]) =>
    ({ row: byId.value.get(id)!, name: names.value.get(id)!, style, curves: curvesOf(id) })));
  return {
    view, rows, names, selected, styles, drawn,
    atHand: computed(() => runAtHand(rows.value, ids.value)),
    missing: computed(() => drawn.value.filter(({ row }) => !wire(row.id)).map(({ name }) => name)),
    select(id, isSelected) {
      const others = shown.value.filter((one) => one !== id);
      view.send("_shown", isSelected ? [...others, id] : others);
    },
  };
}
