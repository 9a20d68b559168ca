// The runs of a sweep as a table, which unfolds.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { metric, metricName, statusWord } from "#ui/run_words.ts";
import { type View, openState } from "#ui/view.ts";
import type { Grid, Over, Word } from "./grid.ts";

export function runTable(view: View, { seeds, rows }: Grid, words: ReadonlySignal<Word[]>, runs: ReadonlySignal<Record<string, Over>>): HTMLElement {
  const table = h("table");
  const summary = h("summary", {}, t("sweep.table"));
  const element = h("details", { class: "mw-unfolding", hidden: rows.length === 0 }, summary,
    h("div", { class: "mw-sweep-runs", role: "region", "aria-label": t("sweep.table"), tabindex: 0 }, table));
  const isOpen = openState(element);
  const cells = rows.flatMap(({ name, cells }) => cells.map((place, i) => ({ name, seed: seeds[i]!, place })).filter(({ place }) => place !== null));
  const metrics = computed(() => [...new Set(Object.values(runs.value).flatMap((run) => Object.keys(run.metrics)))]);

  view.effect(() => {
    if (!isOpen.value) return;
    const column = (text: string) => h("th", { scope: "col" }, text);
    const head = [t("sweep.setting"), t("sweep.seed_column"), t("sweep.state"), ...metrics.value.map(metricName)].map(column);
    const lines = cells.map(({ name, seed, place }) => {
      const run = runs.value[String(place)];
      const state = run ? statusWord(run.status) : t(`sweep.word_${words.value[place!] ?? "waiting"}`);
      const figures = metrics.value.map((name) => metric(name, run?.metrics[name] ?? null));
      return h("tr", {}, h("th", { scope: "row" }, name), ...[String(seed), state, ...figures].map((text) => h("td", { class: "mw-num" }, text)));
    });
    table.replaceChildren(h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...lines));
  });
  return element;
}
