// The rows of the list, how they are named, and the axis of their errors. No DOM.

import { integer } from "#ui/digits.ts";
import { inSeries, t } from "#ui/messages.ts";
import { number } from "#ui/ruler/words.ts";

/** A call of a module, in one direction, as the kernel sends it. */
export interface SentRow {
  readonly module: string;
  readonly kind: string;
  readonly call: number;
  readonly direction: "forward" | "backward";
  /** Names of the tensors that it computes, the one with the largest error first; none if it raises. */
  readonly tensors: readonly string[];
  /** "unknown": it is not known what rounding explains, of a step that was recorded without a reference. */
  readonly verdict: "ok" | "off" | "raised" | "unknown";
  /** The largest error of its tensors, where it is large though rounding explains it. */
  readonly costs: number | null;
  readonly reason: string;
}

interface Tensor {
  readonly name: string;
  readonly error: number;
  /** The error that rounding explains; NaN if that is not known. */
  readonly explained: number;
  /** The bytes of the summary in the recipe's precision, and of that in the reference's. */
  readonly recipe: DataView;
  readonly reference: DataView;
}

export interface Row extends Omit<SentRow, "tensors"> {
  readonly tensors: readonly Tensor[];
}

export const moduleName = ({ module, call }: Pick<SentRow, "module" | "call">): string => (call ? t("difference.call", { module, number: call + 1 }) : module);

/** "output", "output 2", "gradient of weight", "input to fc". */
export function tensorName({ name }: Tensor): string {
  const [, prefix, what, number = ""] = /^(gradient of |input to )?(.*?)( [0-9]+)?$/.exec(name)!;
  const word = (what === "output" || what === "input" || what === "gradients" ? t(`difference.${what}`) : what) + number;
  return prefix ? t(prefix === "input to " ? "difference.input_to" : "difference.gradient_of", { what: word }) : word;
}

export const errorWords = ({ error, explained }: Tensor): string =>
  Number.isNaN(explained) ? t("difference.error_alone", { error: number(error) }) : t("difference.errors", { error: number(error), explained: number(explained) });

export const isOff = ({ verdict }: Pick<SentRow, "verdict">): boolean => verdict === "off" || verdict === "raised";

/** The contents of a row in words, for a screen reader. */
export function cellWords(row: Row): string {
  const args = { module: moduleName(row), direction: t(`difference.${row.direction}`), verdict: t(`difference.${row.verdict}`) };
  const [worst] = row.tensors;
  if (!worst) return t("difference.cell_raised", args);
  const cell = t("difference.cell", { ...args, tensor: tensorName(worst), errors: errorWords(worst) });
  return row.costs === null ? cell : inSeries([cell, t("difference.costs", { error: number(row.costs) })]);
}

/** Which module is the first that is off, and how many rounding explains; or that none is off, and which has the largest error. */
export function answerWords(rows: readonly Row[], first: Row | undefined): { lead: string; rest: string } {
  const explained = rows.filter(({ verdict }) => verdict === "ok").length;
  const isKnown = rows.every(({ verdict }) => verdict !== "unknown");
  if (first) {
    const args = { module: moduleName(first), direction: t(`difference.${first.direction}`) };
    return { lead: t(first.verdict === "raised" ? "difference.first_raised" : "difference.first", args), rest: isKnown ? t("difference.counts", { explained: integer(explained), count: integer(rows.length) }) : t("difference.accumulated") };
  }
  const [worst] = rows.filter(({ tensors }) => tensors.length > 0).toSorted((a, b) => b.tensors[0]!.error - a.tensors[0]!.error);
  return {
    lead: isKnown ? t("difference.none", { count: new Set(rows.map(({ module }) => module)).size }) : t("difference.none_known"),
    rest: worst ? t("difference.largest", { module: moduleName(worst), direction: t(`difference.${worst.direction}`), errors: errorWords(worst.tensors[0]!) }) : "",
  };
}

export type Axis = ReturnType<typeof axisOf>;

// Positions in percent of half a row, from its middle: 0 is in the middle, other finite errors from FIRST to LAST, infinity at END.
const [FIRST, LAST, END] = [12, 80, 96];
const MOST_TICKS = 4;

/** A logarithmic axis of relative errors, wide enough for these. */
export function axisOf(errors: readonly number[]) {
  const logs = errors.filter((error) => error > 0 && error < Infinity).map(Math.log10);
  const low = Math.floor(Math.min(0, ...logs));
  const high = Math.max(Math.ceil(Math.max(...logs, low)), low + 1);
  const step = Math.ceil((high - low) / (MOST_TICKS - 1));
  const place = (log10: number) => FIRST + ((LAST - FIRST) * (log10 - low)) / (high - low);
  return {
    /** The position of an error; NaN, of a module that raises, is at the end. */
    place: (error: number) => (error === 0 ? 0 : error < Infinity ? place(Math.log10(error)) : END),
    /** Exponents of ten. */
    ticks: Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => low + i * step),
  };
}
