// The lines of the charts: runs of one recipe that differ in the seed alone are one line, their mean, with a band. No DOM.

import { type Point, type Range } from "#ui/chart/geometry.ts";
import { t } from "#ui/messages.ts";
import { grouped } from "./fields.ts";
import type { Row, ShownRun } from "./state.ts";
import { spaced } from "./words.ts";

/** One recipe's runs, as one line. */
export interface Line {
  id: string; // of its first run
  name: string;
  style: number;
  runs: readonly ShownRun[];
  loss: readonly Point[]; // their mean
  range: readonly Range[]; // empty for one run
}

/** What runs have in common that share a line, and its colour. */
export const lineOf = ({ task, recipe, steps, settings, loss_weight, seed, id }: Row): string =>
  seed === null || settings === null ? id : [task, recipe, steps, settings, loss_weight].join(" ");

export function linesOf(drawn: readonly ShownRun[]): Line[] {
  const groups = grouped(drawn, ({ row }) => lineOf(row)).map(([, runs]) => runs);
  const recipes = groups.map(([first]) => first!.row.recipe);
  return groups.map((runs) => {
    const [first] = runs as [ShownRun];
    const seeds = new Set(runs.map(({ row }) => row.seed)).size;
    const name = recipes.filter((recipe) => recipe === first.row.recipe).length === 1 && !(first.row.name && runs.length === 1) ? spaced(first.row.recipe) : first.name;
    const curves = runs.map((run) => run.curves.loss).filter((curve) => curve.length > 0);
    return {
      id: first.row.id, style: first.style, runs,
      name: seeds > 1 ? t("lab.line_of_seeds", { name, seeds }) : name,
      loss: curves.length > 1 ? meanOf(curves) : (curves[0] ?? []),
      range: curves.length > 1 ? rangeOf(curves) : [],
    };
  });
}

/** At each step of the longest curve, the values of those that reach so far. A curve between two of its points keeps the first. */
function valuesAt(curves: readonly (readonly Point[])[]): { step: number; values: number[] }[] {
  const longest = curves.reduce((a, b) => (b.length > a.length ? b : a));
  const next = curves.map(() => 0);
  return longest.map(({ step }) => ({
    step,
    values: curves.flatMap((curve, i) => {
      while (next[i]! + 1 < curve.length && curve[next[i]! + 1]!.step <= step) next[i]! += 1;
      return curve.at(-1)!.step >= step ? [curve[next[i]!]!.value] : [];
    }),
  }));
}

/** The mean, which is not finite where one of them is not: the mean of the others would look better than the recipe is. */
export const meanOf = (curves: readonly (readonly Point[])[]): Point[] =>
  valuesAt(curves).map(({ step, values }) => ({ step, value: values.reduce((sum, value) => sum + value, 0) / values.length }));

export const rangeOf = (curves: readonly (readonly Point[])[]): Range[] =>
  valuesAt(curves).map(({ step, values }) => ({ step, low: Math.min(...values), high: Math.max(...values) }));
