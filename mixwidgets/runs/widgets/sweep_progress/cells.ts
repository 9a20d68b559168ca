// The cells of a sweep: as a grid that fills, with a row for each setting, a column for each seed and the spread of the seeds'
// results; and as a table of the runs.

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { scaleLinear } from "d3-scale";
import { extent } from "#core/range.ts";
import { button } from "#ui/buttons.ts";
import { oneStop } from "#ui/keys.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { metric as metricWords, metricName, statusWord } from "#ui/run_words.ts";
import { keysNote } from "#ui/term.ts";
import { openState, type View } from "#ui/view.ts";
import { bestOf, ranked, type Results, resultWords } from "./answer.ts";
import type { EndedRun, Failure, Grid, Word } from "./grid.ts";

const SIGNS: Record<Word, string> = { done: "✓", running: "▶", waiting: "·", failed: "✗", stopped: "■" };
const [WIDTH, HEIGHT] = [220, 20]; // of the picture of a row's results
const INSET = 26; // room for half a tick's label
const TICKS = 2; // about
const MOST_STAGED = 4; // rows on the stage

/** `runs` are by place; `results`, in `metric`, by row. */
export function cellGrid(
  view: View, { seeds, rows }: Grid, words: ReadonlySignal<Word[]>, runs: ReadonlySignal<Record<string, EndedRun>>, failures: ReadonlySignal<Failure[]>,
  metric: ReadonlySignal<string>, results: ReadonlySignal<readonly Results[]>,
): HTMLElement {
  const chosen = signal<{ place: number; name: string; seed: number } | null>(null);
  /** One axis for the results of all rows. */
  const axis = computed(() => {
    const [low, high] = extent(results.value.flatMap(({ values }) => values), [0, 1]);
    return scaleLinear(low < high ? [low, high] : [low - (Math.abs(low) || 1) / 10, low + (Math.abs(low) || 1) / 10], [INSET, WIDTH - INSET]).nice(TICKS);
  });
  const ticks = computed(() => axis.value.ticks(TICKS).map((at) => ({ x: axis.value(at).toFixed(1), text: metricWords(metric.value, at) })));

  const staged = computed(() => ranked(results.value, metric.value).slice(0, MOST_STAGED));
  const pictureOf = (kind: string) => s("svg", { class: kind, width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" });
  const [spread, scale] = [h("span"), pictureOf("mw-sweep-axis")];
  const heading = h("th", { scope: "col" }, spread, scale);
  const buttons = rows.map(({ name, cells }) => cells.map((place, i) => (place === null ? null : cellButton(place, name, seeds[i]!))));
  const lines = rows.map(({ name }, row) => {
    const [picture, result] = [pictureOf("mw-sweep-picture"), h("span", { class: "mw-num" })];
    const head = h("th", { scope: "row" }, name);
    view.effect(() => {
      const one = results.value[row]!;
      const { values, mean, low, high, notFinite } = one;
      const x = (value: number) => axis.value(value).toFixed(1);
      setText(result, resultWords(one, metric.value));
      set(head, { "data-best": one === bestOf(results.value, metric.value) });
      const grid = s("g", { class: "mw-grid" }, ...(metric.value ? ticks.value : []).map((tick) => s("line", { x1: tick.x, x2: tick.x, y1: 0, y2: HEIGHT })));
      if (values.length === 0) return picture.replaceChildren(grid);
      picture.replaceChildren(
        grid,
        s("rect", { class: "mw-sweep-band", x: x(low), y: 4, height: HEIGHT - 8, width: Math.max(1, Number(x(high)) - Number(x(low))) }),
        ...values.map((value) => s("circle", { class: "mw-sweep-seed", cx: x(value), cy: HEIGHT / 2, r: 2.5 })),
        notFinite > 0 ? "" : s("path", { class: "mw-sweep-mean", d: `M${x(mean)} 1V${HEIGHT - 1}` })); // the mean of those that are left would look better than it is
    });
    const line = h("tr", {}, head, ...buttons[row]!.map((cell) => h("td", {}, cell)), h("td", { class: "mw-sweep-result" }, picture, result));
    view.effect(() => set(line, { "data-staged": staged.value.includes(results.value[row]!) }));
    return line;
  });
  const table = h("table", { "aria-label": t("sweep.grid") },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("sweep.setting")), ...seeds.map((seed) => h("th", { scope: "col" }, t("sweep.seed", { seed }))), heading)),
    h("tbody", {}, ...lines));
  const others = h("p", { class: "mw-sweep-others" });
  const title = h("p");
  const code = h("code", { class: "mw-num" });
  const [about, how] = [h("p"), h("p", { class: "mw-note" }, t("sweep.open"))];
  const opened = h("div", { class: "mw-callout mw-stack-tight", role: "status" }, title, about, how, code);
  const element = h("div", { class: "mw-stack-tight", hidden: rows.length === 0 },
    h("div", { class: "mw-sweep-cells" }, table, others), h("p", { class: "mw-note" }, t("sweep.hint"), keysNote("sweep.keys")), opened);

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

  view.effect(() => {
    set(element, { "data-results": staged.value.length > 0 });
    setText(others, rows.length > staged.value.length ? t("sweep.more_settings", { count: rows.length - staged.value.length }) : "");
  });
  view.effect(() => {
    setText(spread, metric.value && t("sweep.spread", { metric: metricName(metric.value) }));
    scale.replaceChildren(...(metric.value ? ticks.value.map(({ x, text }) => s("text", { x, y: 14, "text-anchor": "middle" }, text)) : []));
  });
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
