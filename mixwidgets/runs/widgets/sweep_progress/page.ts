// SweepProgress: how far a sweep is, its cells as a grid, their losses and a table, which failed and why, and a Stop button.

import type { RenderProps } from "@anywidget/types";
import { computed } from "@preact/signals-core";
import { action } from "#ui/buttons.ts";
import { card } from "#ui/card.ts";
import { h, set, setText } from "#ui/dom.ts";
import { kernelLink } from "#ui/kernel.ts";
import { sentences, t } from "#ui/messages.ts";
import { addQuestions } from "#ui/stage.ts";
import { viewOf } from "#ui/view.ts";
import { bandChart, bandsIn } from "./bands.ts";
import { cellGrid, type Failure, type Grid, type Over, type Word, WORDS } from "./grid.ts";
import { runTable } from "./table.ts";

interface State {
  _counts: Partial<Record<Word, number>>; // how many cells are …
  _failures: Failure[]; // the first of those that failed
  _grid: Grid | Record<string, never>; // empty if there are too many cells
  _words: Word[];
  _runs: Record<string, Over>; // by place, of those that are over
  _bands: DataView; // a frame, of the grid's first rows
  _is_over: boolean;
}

const QUIET_MS = 5000; // between two spoken words while it goes on

function render({ model, el }: RenderProps<State>): () => void {
  const view = viewOf(model);
  const [found, failed, isOver] = [view.trait("_counts"), view.trait("_failures"), view.trait("_is_over")];
  const [cells, runs, sent] = [view.trait("_words"), view.trait("_runs"), view.trait("_bands")];
  const bands = computed(() => bandsIn(sent.value));
  const grid = { seeds: [], rows: [], ...model.get("_grid") };
  const { ask, waiting, said, hasKernel } = kernelLink(view, { stop: "sweep.slow" });
  const { root, head } = card(view, el, "mw-sweep", t("sweep.title"));

  const stop = action(t("sweep.stop"), () => ask("stop"));
  head.append(stop.element);

  const bar = h("progress", { "aria-label": t("sweep.progress") });
  const counts = h("p", { class: "mw-num mw-sweep-counts" });
  const note = h("p", { class: "mw-note" });
  const answer = h("p", { "aria-live": "polite" });
  const list = h("ul", {});
  const more = h("p", { class: "mw-note" });
  const failures = h("section", { class: "mw-stack-tight mw-sweep-failed", "aria-label": t("sweep.failed_cells"), tabindex: 0 }, h("h4", {}, t("sweep.failed_cells")), list, more);
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  root.append(h("div", { class: "mw-stack-tight" }, bar, counts, note, answer),
    cellGrid(view, grid, cells, runs, failed), bandChart(view, grid, bands), runTable(view, grid, cells, runs), failures, spoken);

  const number = (word: Word) => found.value[word] ?? 0;
  const total = computed(() => WORDS.reduce((sum, word) => sum + number(word), 0));
  const words = computed(() => WORDS.filter((word) => word === "done" || number(word) > 0)
    .map((word) => t(`sweep.${word}`, { count: number(word), total: total.value })).join(" · "));

  view.effect(() => {
    const ended = number("done") + number("failed") + number("stopped");
    set(bar, { max: Math.max(1, total.value), value: total.value === 0 ? 1 : ended });
    setText(counts, total.value === 0 ? t("sweep.nothing") : words.value);
    const isWhole = number("done") === total.value;
    setText(note, sentences([hasKernel.value ? "" : t("sweep.no_kernel"), isOver.value && !isWhole ? t("sweep.again") : ""]));
    set(note, { hidden: note.textContent === "" });
  });
  view.effect(() => stop.allow(
    isOver.value ? t("sweep.over") : !hasKernel.value ? t("sweep.no_kernel") : waiting.value.size > 0 ? t("sweep.asked") : ""));
  view.effect(() => {
    const { text, isError } = said.value;
    set(answer, { class: isError ? "mw-error" : "mw-note", hidden: text === "" });
    setText(answer, text);
  });
  view.effect(() => {
    set(failures, { hidden: failed.value.length === 0 });
    list.replaceChildren(...failed.value.map(({ name, why }) => h("li", {}, h("strong", {}, name), h("span", {}, why))));
  });
  view.effect(() => {
    const others = number("failed") - failed.value.length;
    setText(more, others > 0 ? t("sweep.more", { count: others }) : "");
    set(more, { hidden: others <= 0 });
  });

  // What was there before the user came is no news; while it goes on a word now and then is enough.
  let last: { text: string; failed: number; at: number } | undefined;
  view.effect(() => {
    const now = performance.now();
    const text = isOver.value ? t("sweep.spoken_over", { words: words.value }) : words.value;
    const isDue = last && text !== last.text && (isOver.value || number("failed") > last.failed || now - last.at >= QUIET_MS);
    if (isDue) setText(spoken, text);
    if (!last || isDue) last = { text, failed: number("failed"), at: now };
  });

  if (grid.rows.length > 1) {
    addQuestions(view, root, [{ ask: t("sweep.question"), isAnswered: () => bands.value.some(({ length }) => length > 0), answer() {} }]);
  }
  return view.close;
}

export default { render };
