// The cells as a grid that fills: a row for each setting, a column for each seed, and where the seeds' results lie.

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { scaleLinear } from "d3-scale";
import { button } from "#ui/buttons.ts";
import { oneStop } from "#ui/keys.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { metric as metricWords, metricName, statusWord } from "#ui/run_words.ts";
import type { View } from "#ui/view.ts";

export const WORDS = ["done", "running", "waiting", "failed", "stopped"] as const;
export type Word = (typeof WORDS)[number];

export interface Grid {
  seeds: number[];
  rows: { name: string; cells: (number | null)[] }[];
}

/** A run that is over. */
export interface Over {
  path: string;
  status: string;
  metrics: Record<string, number>;
}

const SIGNS: Record<Word, string> = { done: "✓", running: "▶", waiting: "·", failed: "✗", stopped: "■" };
const [WIDTH, HEIGHT] = [160, 20]; // of a picture of the seeds
const INSET = 5;

/** Why a cell failed, by its place. */
export interface Failure {
  place: number;
  name: string;
  why: string;
}

export function cellGrid(
  view: View, { seeds, rows }: Grid, words: ReadonlySignal<Word[]>, runs: ReadonlySignal<Record<string, Over>>, failures: ReadonlySignal<Failure[]>,
): HTMLElement {
  const chosen = signal<{ place: number; name: string; seed: number } | null>(null);
  const metric = computed(() => {
    const names = Object.values(runs.value).flatMap(({ metrics }) => Object.keys(metrics));
    return names.find((name) => name !== "loss") ?? names[0] ?? "";
  });
  // A run that was stopped or failed has the metrics of the step that it reached, which are no result.
  const valuesOf = (cells: readonly (number | null)[]) => cells.filter((place) => place !== null && words.value[place] === "done")
    .map((place) => runs.value[String(place)]?.metrics[metric.value]).filter((value) => value !== undefined);
  const reach = computed(() => {
    const all = rows.flatMap(({ cells }) => valuesOf(cells));
    return scaleLinear([Math.min(...all), Math.max(...all)], [INSET, WIDTH - INSET]);
  });

  const heading = h("th", { scope: "col" });
  const buttons = rows.map(({ name, cells }) => cells.map((place, i) => (place === null ? null : cell(place, name, seeds[i]!))));
  const lines = rows.map(({ name, cells }, row) => {
    const [picture, said] = [s("svg", { width: WIDTH, height: HEIGHT, "aria-hidden": "true" }), h("span", { class: "mw-num" })];
    view.effect(() => {
      const values = valuesOf(cells);
      if (values.length === 0) return picture.replaceChildren(), setText(said, "");
      const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const x = (value: number) => reach.value(value).toFixed(1);
      picture.replaceChildren(
        s("rect", { class: "mw-sweep-band", x: x(low), y: 4, height: HEIGHT - 8, width: Math.max(1, Number(x(high)) - Number(x(low))) }),
        ...values.map((value) => s("circle", { class: "mw-sweep-seed", cx: x(value), cy: HEIGHT / 2, r: 2.5 })),
        s("path", { class: "mw-sweep-mean", d: `M${x(mean)} 1V${HEIGHT - 1}` }));
      const figure = (value: number) => metricWords(metric.value, value);
      setText(said, t(values.length === 1 ? "sweep.mean_of_one" : "sweep.mean_of", { mean: figure(mean), low: figure(low), high: figure(high), count: values.length }));
    });
    return h("tr", {}, h("th", { scope: "row" }, name), ...buttons[row]!.map((one) => h("td", {}, one)), h("td", { class: "mw-sweep-result" }, picture, said));
  });
  const table = h("table", { "aria-label": t("sweep.grid") },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("sweep.setting")), ...seeds.map((seed) => h("th", { scope: "col" }, t("sweep.seed", { seed }))), heading)),
    h("tbody", {}, ...lines));
  const title = h("p");
  const code = h("code", { class: "mw-num" });
  const [about, how] = [h("p"), h("p", { class: "mw-note" }, t("sweep.open"))];
  const opened = h("div", { class: "mw-callout mw-stack-tight", role: "status" }, title, about, how, code);
  const element = h("div", { class: "mw-stack-tight" },
    h("div", { class: "mw-sweep-cells" }, table), h("p", { class: "mw-note" }, t("sweep.hint")), opened);

  function cell(place: number, name: string, seed: number): HTMLElement {
    const one = button("", () => (chosen.value = { place, name, seed }), { class: "mw-sweep-cell", tabindex: -1 });
    view.effect(() => {
      const word = words.value[place] ?? "waiting";
      set(one, { "data-word": word, "aria-label": t("sweep.cell", { name, seed, word: t(`sweep.word_${word}`) }), "aria-pressed": String(chosen.value?.place === place) });
      setText(one, SIGNS[word]);
    });
    return one;
  }

  oneStop(table, () => buttons)();

  view.effect(() => setText(heading, metric.value && t("sweep.spread", { metric: metricName(metric.value) })));
  view.effect(() => {
    opened.hidden = !chosen.value;
    if (!chosen.value) return;
    const { place, name, seed } = chosen.value;
    const [word, over] = [words.value[place] ?? "waiting", runs.value[String(place)]];
    const figures = over ? [statusWord(over.status), ...Object.entries(over.metrics).map(([name, value]) => `${metricName(name)} ${metricWords(name, value)}`)] : [];
    setText(title, [name, t("sweep.seed", { seed }), ...figures].join(" · "));
    setText(about, word === "done" ? "" : standsInTheWay(word, place));
    for (const one of [how, code]) set(one, { hidden: !over });
    setText(code, over ? `mw.open_run(${JSON.stringify(over.path)})` : "");
  });

  /** Why there is no finished run of a cell, in a sentence. */
  function standsInTheWay(word: Exclude<Word, "done">, place: number): string {
    const running = words.value.filter((one) => one === "running").length;
    if (word === "waiting") return t("sweep.waits", { running, others: words.value.filter((one) => one === "waiting").length - 1 });
    if (word === "running") return t("sweep.runs");
    if (word === "stopped") return t("sweep.was_stopped");
    const failure = failures.value.find((one) => one.place === place);
    return failure ? t("sweep.has_failed", { why: failure.why }) : t("sweep.has_failed_too");
  }
  set(element, { hidden: rows.length === 0 });
  return element;
}
