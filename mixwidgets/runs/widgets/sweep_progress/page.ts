// SweepProgress: which setting is best, how far the sweep is, its cells as a grid, the losses of each setting, a table of the runs, which cells failed and
// why, and a Stop button.

import type { RenderProps } from "@anywidget/types";
import { computed, type ReadonlySignal } from "@preact/signals-core";
import { readFrame, rowsOf } from "#core/frame.ts";
import { action } from "#ui/buttons.ts";
import { card } from "#ui/card.ts";
import { chart, lineKey } from "#ui/chart/chart.ts";
import { bandPath, lossAxes, lossPath, lossTicks, pointAt, type Range, within } from "#ui/chart/geometry.ts";
import { steps } from "#ui/chart/steps.ts";
import { integer } from "#ui/digits.ts";
import { h, set, setText } from "#ui/dom.ts";
import { kernelLink } from "#ui/kernel.ts";
import { inSeries, sentences, t } from "#ui/messages.ts";
import { axisNumber, decimal } from "#ui/run_words.ts";
import { progressBar } from "#ui/progress/progress_bar.ts";
import { addQuestions } from "#ui/questions/questions.ts";
import { type View, viewOf } from "#ui/view.ts";
import { answerWords, metricOf, resultsOf } from "./answer.ts";
import { cellGrid, runTable } from "./cells.ts";
import { type EndedRun, type Failure, type Grid, type Word, WORDS } from "./grid.ts";

interface State {
  _counts: Partial<Record<Word, number>>; // of cells
  _failures: Failure[]; // the first of them
  _grid: Grid | Record<string, never>; // empty if there are too many cells
  _words: Word[];
  _runs: Record<string, EndedRun>; // by place
  _bands: DataView; // a frame
  _is_over: boolean;
}

const QUIET_MS = 5000; // from one spoken text to the next while the sweep goes on

function render({ model, el }: RenderProps<State>): () => void {
  const view = viewOf(model);
  const [counts, failures, isOver] = [view.trait("_counts"), view.trait("_failures"), view.trait("_is_over")];
  const [cells, runs, sent] = [view.trait("_words"), view.trait("_runs"), view.trait("_bands")];
  const bands = computed(() => bandsIn(sent.value));
  const grid = { seeds: [], rows: [], ...model.get("_grid") };
  const { ask, waiting, said: answer, hasKernel } = kernelLink(view, { stop: "sweep.slow" });
  const { root, head } = card(view, el, "mw-sweep", t("sweep.title"));

  const metric = computed(() => metricOf(runs.value));
  const results = computed(() => grid.rows.map((row) => resultsOf(row, cells.value, runs.value, metric.value)));
  const [lead, rest] = [h("p", { class: "mw-lead" }), h("p", { class: "mw-muted" })];
  const says = h("div", { class: "mw-sweep-says", hidden: grid.rows.length === 0 }, lead, rest);
  view.effect(() => {
    const words = answerWords(results.value, metric.value, isOver.value);
    setText(lead, words.lead);
    setText(rest, words.rest);
  });

  const stop = action(t("sweep.stop"), () => ask("stop"));
  head.append(stop.element);

  const bar = progressBar(t("sweep.progress"));
  const progress = h("p", { class: "mw-num mw-sweep-counts" });
  const note = h("p", { class: "mw-note" });
  const answerText = h("p", { "aria-live": "polite" });
  const list = h("ul", {});
  const more = h("p", { class: "mw-note" });
  const failed = h("section", { class: "mw-stack-tight mw-sweep-failed", "aria-label": t("sweep.failed_cells"), tabindex: 0 }, h("h4", {}, t("sweep.failed_cells")), list, more);
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  root.append(says, h("div", { class: "mw-stack-tight" }, bar, progress, note, answerText),
    cellGrid(view, grid, cells, runs, failures, metric, results), bandChart(view, grid, bands), runTable(view, grid, cells, runs), failed, spoken);

  const number = (word: Word) => counts.value[word] ?? 0;
  const total = computed(() => WORDS.reduce((sum, word) => sum + number(word), 0));
  const words = computed(() => WORDS.filter((word) => word === "done" || number(word) > 0)
    .map((word) => t(`sweep.${word}`, { count: number(word), total: total.value })).join(" · "));

  view.effect(() => {
    const ended = number("done") + number("failed") + number("stopped");
    set(bar, { max: Math.max(1, total.value), value: total.value === 0 ? 1 : ended });
    setText(progress, total.value === 0 ? t("sweep.nothing") : words.value);
    const isWhole = number("done") === total.value;
    setText(note, sentences([hasKernel.value ? "" : t("sweep.no_kernel"), isOver.value && !isWhole ? t("sweep.again") : ""]));
    set(note, { hidden: note.textContent === "" });
  });
  view.effect(() => stop.allow(
    isOver.value ? t("sweep.over") : !hasKernel.value ? t("sweep.no_kernel") : waiting.value.size > 0 ? t("sweep.asked") : ""));
  view.effect(() => {
    const { text, isError } = answer.value;
    set(answerText, { class: isError ? "mw-error" : "mw-note", hidden: text === "" });
    setText(answerText, text);
  });
  view.effect(() => {
    set(failed, { hidden: failures.value.length === 0 });
    list.replaceChildren(...failures.value.map(({ name, why }) => h("li", {}, h("strong", {}, name), h("span", {}, why))));
  });
  view.effect(() => {
    const others = number("failed") - failures.value.length;
    setText(more, others > 0 ? t("sweep.more", { count: others }) : "");
    set(more, { hidden: others <= 0 });
  });

  // What was so when the page opened is not news. Later, a failure and the end are spoken at once, other changes after a pause.
  let last: { text: string; failed: number; at: number } | undefined;
  view.effect(() => {
    const now = performance.now();
    const text = isOver.value ? t("sweep.spoken_over", { words: words.value }) : words.value;
    const isDue = last && text !== last.text && (isOver.value || number("failed") > last.failed || now - last.at >= QUIET_MS);
    if (isDue) setText(spoken, text);
    if (!last || isDue) last = { text, failed: number("failed"), at: now };
  });

  if (grid.rows.length > 1) addQuestions(view, root, [{ ask: t("sweep.question"), answer() {} }]);
  return view.close;
}

/** The losses of a setting over its seeds, step by step. */
interface Band {
  name: string;
  style: number;
  rows: (Range & { mean: number })[];
}

/** The bands of the grid's first rows: (step, mean, low, high), step by step. */
const bandsIn = (frame: DataView): number[][][] => [...readFrame(frame).arrays.values()].map(rowsOf);

/** A chart of the losses of each setting: the mean over its seeds as a line, from the lowest to the highest as a band. */
function bandChart(view: View, { rows }: Grid, sent: ReadonlySignal<number[][][]>): HTMLElement {
  const bands = computed(() => sent.value.map((band, i): Band => ({
    name: rows[i]!.name, style: i, rows: band.map(([step, mean, low, high]) => ({ step: step!, mean: mean!, low: low!, high: high! })),
  })).filter((band) => band.rows.length > 0));
  const loss = chart(t("sweep.loss"), t("sweep.loss_note"));
  const key = lineKey();
  const all = computed(() => bands.value.reduce((most, { rows }) => Math.max(most, rows.at(-1)!.step), 0));
  const read = (step: number) => [t("chart.step_is", { step: integer(step) }), ...bands.value.map((band) => bandWords(band, step))].join(" · ");
  const { element, part, isLog } = steps(view, all, [loss], (step) => (bands.value.length > 0 ? read(step) : ""));
  element.prepend(key.element);
  const size = view.width(element);

  view.effect(() => {
    set(element, { hidden: bands.value.length === 0 });
    const isPart = rows.length > sent.value.length;
    setText(loss.note, sentences([t("sweep.loss_note"), isPart ? t("sweep.first_settings", { count: sent.value.length }) : ""]));
    const width = Math.max(240, Math.round(size.value) || 560);
    const { named, right } = key.place(width, bands.value);
    const frame = { width, height: 220, left: 58, right, top: 8, bottom: 24 };
    const extremes = bands.value.flatMap(({ rows }) => [rows.map(({ step, low }) => ({ step, value: low })), rows.map(({ step, high }) => ({ step, value: high }))]);
    const axes = lossAxes(frame, extremes, part.value, isLog.value);
    loss.draw({
      frame,
      x: axes.x,
      yTicks: lossTicks(axes, isLog.value).map((at) => ({ at: axes.y(at), text: axisNumber(at) })),
      series: bands.value.map(({ name, style, rows }) => {
        const last = within(rows, part.value).findLast(({ high }) => Number.isFinite(high));
        return {
          id: name, name, style,
          path: lossPath(axes, rows.map(({ step, mean }) => ({ step, value: mean }))),
          band: bandPath(axes, rows),
          end: axes.y(last ? (Number.isFinite(last.mean) ? last.mean : last.high) : axes.y.domain()[0]!),
        };
      }),
      named,
      empty: "",
      summary: sentences([t("sweep.loss_summary"), inSeries(bands.value.map((band) => bandWords(band, all.value)))]),
    });
  });
  return element;
}

/** "fp32: 0.31, from 0.29 to 0.33". */
function bandWords({ name, rows }: Band, step: number): string {
  const { mean, low, high } = pointAt(rows, step)!;
  if (!Number.isFinite(mean)) return t("sweep.no_mean", { name });
  return low === high ? t("common.named", { name, what: decimal(mean) }) : t("sweep.band_at", { name, mean: decimal(mean), low: decimal(low), high: decimal(high) });
}

export default { render };
