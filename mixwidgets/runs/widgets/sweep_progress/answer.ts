// What a sweep has found: the results of each setting, and which is best, in sentences. A setting with a run whose result is not
// finite is never the best, whatever its other seeds say. No DOM.

import { listed, sentences, t } from "#ui/messages.ts";
import { isShare, metric as metricWords, metricName } from "#ui/run_words.ts";
import type { EndedRun, Grid, Word } from "./grid.ts";

const MOST_NAMED = 3; // settings

/** The results of a setting's seeds. */
export interface Results {
  readonly name: string;
  /** Of the runs that ended by themselves with a finite result. */
  readonly values: readonly number[];
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** How many runs ended by themselves, and in how many of these the result is not finite. */
  readonly ended: number;
  readonly notFinite: number;
}

/** The metric that the sweep is about; "" before any run is over. */
export function metricOf(runs: Readonly<Record<string, EndedRun>>): string {
  const names = Object.values(runs).flatMap(({ metrics }) => Object.keys(metrics));
  return names.find((name) => name !== "loss") ?? names[0] ?? "";
}

/** The metrics of a run that was stopped or failed are those of its last step, which is not a result. */
export function resultsOf({ name, cells }: Grid["rows"][number], words: readonly Word[], runs: Readonly<Record<string, EndedRun>>, metric: string): Results {
  const ended = cells.filter((place) => place !== null && words[place] === "done").map((place) => runs[String(place)]).filter((run) => run !== undefined);
  // The kernel sends finite metrics only.
  const values = ended.filter(({ status }) => status !== "diverged").map(({ metrics }) => metrics[metric]).filter((value) => value !== undefined);
  return {
    name, values, mean: values.reduce((sum, value) => sum + value, 0) / values.length, low: Math.min(...values), high: Math.max(...values),
    ended: ended.length, notFinite: ended.length - values.length,
  };
}

/** The settings that are compared: those whose results are all finite. */
const compared = (rows: readonly Results[]) => rows.filter(({ values, notFinite }) => values.length > 0 && notFinite === 0);

/** 1 where the highest mean of a metric is the best, −1 where the lowest, 0 where that is not known. */
const signOf = (metric: string) => (isShare(metric) ? 1 : metric.startsWith("loss") ? -1 : 0);

/** The settings that are compared, the best mean first where that is known; equal ones in their order. */
export function ranked(rows: readonly Results[], metric: string): readonly Results[] {
  return compared(rows).toSorted((a, b) => signOf(metric) * (b.mean - a.mean));
}

/** The first of several that are ranked. */
export function bestOf(rows: readonly Results[], metric: string): Results | undefined {
  const all = ranked(rows, metric);
  return signOf(metric) === 0 || all.length < 2 ? undefined : all[0];
}

/** "90.0 %, from 88.0 % to 92.0 % (2 seeds)". */
export function resultWords({ values, mean, low, high, ended, notFinite }: Results, metric: string): string {
  const figure = (value: number) => metricWords(metric, value);
  if (notFinite > 0) return t("sweep.not_finite", { count: notFinite, all: ended });
  if (values.length === 0) return "";
  return t(values.length === 1 ? "sweep.mean_of_one" : "sweep.mean_of", { mean: figure(mean), low: figure(low), high: figure(high), count: values.length });
}

/** The answer, and what is to be said of it. */
export function answerWords(rows: readonly Results[], metric: string, isOver: boolean): { lead: string; rest: string } {
  const [lost, among] = [rows.filter(({ notFinite }) => notFinite > 0), compared(rows)];
  const notCompared = lost.length > 0 ? t("sweep.never_best", { names: named(lost) }) : "";
  const words = (of: Results) => ({ name: of.name, metric: metricName(metric), result: resultWords(of, metric) });
  if (among.length === 0) return { lead: t(lost.length > 0 ? "sweep.none_finite" : "sweep.no_result"), rest: notCompared };
  if (among.length === 1) return { lead: t("sweep.one_result", words(among[0]!)), rest: notCompared };
  const best = bestOf(rows, metric);
  if (!best) return { lead: t("sweep.no_order", { metric: metricName(metric) }), rest: notCompared };
  const others = among.filter((row) => row !== best);
  const alike = others.filter(({ mean }) => mean === best.mean);
  if (alike.length > 0) return { lead: t("sweep.alike", { ...words(best), names: named([best, ...alike]) }), rest: notCompared };
  const key = isShare(metric) ? (isOver ? "sweep.highest" : "sweep.highest_yet") : isOver ? "sweep.lowest" : "sweep.lowest_yet";
  return { lead: t(key, words(best)), rest: sentences([apart(best, others), notCompared]) };
}

/** Whether the seeds of the best setting stay apart from those of the others. */
function apart(best: Results, others: readonly Results[]): string {
  if (best.values.length === 1 && others.every(({ values }) => values.length === 1)) return t("sweep.one_seed");
  const overlapping = others.filter(({ low, high }) => low <= best.high && high >= best.low);
  return overlapping.length === 0 ? t("sweep.apart") : t("sweep.overlaps", { names: named(overlapping) });
}

function named(rows: readonly Results[]): string {
  const more = rows.length - MOST_NAMED;
  return listed([...rows.slice(0, MOST_NAMED).map(({ name }) => name), more > 0 ? t("sweep.more_settings", { count: more }) : ""]);
}
