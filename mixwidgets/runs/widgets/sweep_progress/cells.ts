// The cells of a sweep: as a grid that fills, with a row for each setting, a column for each seed and the spread of the seeds'
// results; and as a table of the runs.

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { scaleLinear } from "d3-scale";
import { button } from "#ui/buttons.ts";
import { oneStop } from "#ui/keys.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { metric as metricWords, metricName, statusWord } from "#ui/run_words.ts";
import { openState, type View } from "#ui/view.ts";

/** What a cell can be. */
export const WORDS = ["done", "running", "waiting", "failed", "stopped"] as const;
export type Word = (typeof WORDS)[number];

/** A cell has a place, an index into the words of all cells; null where the sweep has none. */
export interface Grid {
  seeds: number[];
  rows: { name: string; cells: (number | null)[] }[];
}

/** A run that has ended. */
export interface EndedRun {
  path: string;
  status: string;
  metrics: Record<string, number>;
}

/** Why a cell failed. */
export interface Failure {
  place: number;
  name: string;
  why: string;
}

const SIGNS: Record<Word, string> = { done: "✓", running: "▶", waiting: "·", failed: "✗", stopped: "■" };
const [WIDTH, HEIGHT] = [160, 20]; // of the picture of a row's results
const INSET = 5;

/** `runs` are by place. */
export function cellGrid(
  view: View, { seeds, rows }: Grid, words: ReadonlySignal<Word[]>, runs: ReadonlySignal<Record<string, EndedRun>>, failures: ReadonlySignal<Failure[]>,
): HTMLElement {
  const chosen = signal<{ place: number; name: string; seed: number } | null>(null);
  const metric = computed(() => {
    const names = Object.values(runs.value).flatMap(({ metrics }) => Object.keys(metrics));
    return names.find((name) => name !== "loss") ?? names[0] ?? "";
  });
  // The metrics of a run that was stopped or failed are those of its last step, which is not a result.
  const valuesOf = (cells: readonly (number | null)[]) => cells.filter((place) => place !== null && words.value[place] === "done")
    .map((place) => runs.value[String(place)]?.metrics[metric.value]).filter((value) => value !== undefined);
  const axis = computed(() => {
    const values = rows.flatMap(({ cells }) => valuesOf(cells));
    return scaleLinear([Math.min(...values), Math.max(...values)], [INSET, WIDTH - INSET]);
  });

  const heading = h("th", { scope: "col" });
  const buttons = rows.map(({ name, cells }) => cells.map((place, i) => (place === null ? null : cellButton(place, name, seeds[i]!))));
  const lines = rows.map(({ name, cells }, row) => {
    const [picture, result] = [s("svg", { width: WIDTH, height: HEIGHT, "aria-hidden": "true" }), h("span", { class: "mw-num" })];
    view.effect(() => {
      const values = valuesOf(cells);
      if (values.length === 0) return picture.replaceChildren(), setText(result, "");
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const x = (value: number) => axis.value(value).toFixed(1);
      picture.replaceChildren(
        s("rect", { class: "mw-sweep-band", x: x(low), y: 4, height: HEIGHT - 8, width: Math.max(1, Number(x(high)) - Number(x(low))) }),
        ...values.map((value) => s("circle", { class: "mw-sweep-seed", cx: x(value), cy: HEIGHT / 2, r: 2.5 })),
        s("path", { class: "mw-sweep-mean", d: `M${x(mean)} 1V${HEIGHT - 1}` }));
      const figure = (value: number) => metricWords(metric.value, value);
      setText(result, t(values.length === 1 ? "sweep.mean_of_one" : "sweep.mean_of", { mean: figure(mean), low: figure(low), high: figure(high), count: values.length }));
    });
    return h("tr", {}, h("th", { scope: "row" }, name), ...buttons[row]!.map((cell) => h("td", {}, cell)), h("td", { class: "mw-sweep-result" }, picture, result));
  });
  const table = h("table", { "aria-label": t("sweep.grid") },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("sweep.setting")), ...seeds.map((seed) => h("th", { scope: "col" }, t("sweep.seed", { seed }))), heading)),
    h("tbody", {}, ...lines));
  const title = h("p");
  const code = h("code", { class: "mw-num" });
  const [about, how] = [h("p"), h("p", { class: "mw-note" }, t("sweep.open"))];
  const opened = h("div", { class: "mw-callout mw-stack-tight", role: "status" }, title, about, how, code);
  const element = h("div", { class: "mw-stack-tight", hidden: rows.length === 0 },
    h("div", { class: "mw-sweep-cells" }, table), h("p", { class: "mw-note" }, t("sweep.hint")), opened);

  function cellButton(place: number, name: string, seed: number): HTMLElement {
    const cell = button("", () => (chosen.value = { place, name, seed }), { class: "mw-sweep-cell", tabindex: -1 });
    view.effect(() => {
      const word = words.value[place] ?? "waiting";
      set(cell, { "data-word": word, "aria-label": t("sweep.cell", { name, seed, word: t(`sweep.word_${word}`) }), "aria-pressed": String(chosen.value?.place === place) });
      setText(cell, SIGNS[word]);
    });
    return cell;
  }

  oneStop(table, () => buttons)();

  view.effect(() => setText(heading, metric.value && t("sweep.spread", { metric: metricName(metric.value) })));
  view.effect(() => {
    opened.hidden = !chosen.value;
    if (!chosen.value) return;
    const { place, name, seed } = chosen.value;
    const [word, run] = [words.value[place] ?? "waiting", runs.value[String(place)]];
    const figures = run ? [statusWord(run.status), ...Object.entries(run.metrics).map(([name, value]) => `${metricName(name)} ${metricWords(name, value)}`)] : [];
    setText(title, [name, t("sweep.seed", { seed }), ...figures].join(" · "));
    setText(about, word === "done" ? "" : reasonOf(word, place));
    for (const element of [how, code]) set(element, { hidden: !run });
    setText(code, run ? `mw.open_run(${JSON.stringify(run.path)})` : "");
  });

  /** Why a cell has no result, in a sentence. */
  function reasonOf(word: Exclude<Word, "done">, place: number): string {
    const count = (counted: Word) => words.value.filter((word) => word === counted).length;
    if (word === "waiting") return t("sweep.waits", { running: count("running"), others: count("waiting") - 1 });
    if (word === "running") return t("sweep.runs");
    if (word === "stopped") return t("sweep.was_stopped");
    const failure = failures.value.find((failure) => failure.place === place);
    return failure ? t("sweep.has_failed", { why: failure.why }) : t("sweep.has_failed_too");
  }
  return element;
}

/** The table of the runs, which unfolds. */
export function runTable(view: View, { seeds, rows }: Grid, words: ReadonlySignal<Word[]>, runs: ReadonlySignal<Record<string, EndedRun>>): HTMLElement {
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
      const figures = metrics.value.map((name) => metricWords(name, run?.metrics[name] ?? null));
      return h("tr", {}, h("th", { scope: "row" }, name), ...[String(seed), state, ...figures].map((text) => h("td", { class: "mw-num" }, text)));
    });
    table.replaceChildren(h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...lines));
  });
  return element;
}
