// The rows, and how they are named.

import { t } from "#ui/messages.ts";
import { number } from "#ui/ruler/words.ts";

/** What Python tells of a row of the table. */
export interface Told {
  readonly module: string;
  readonly kind: string;
  readonly call: number;
  readonly direction: "forward" | "backward";
  /** Names of the tensors that it computes, the worst first; none where it raises. */
  readonly tensors: readonly string[];
  readonly verdict: "ok" | "off" | "raised";
  readonly reason: string;
}

/** A tensor, in the recipe's precision and in the reference's. */
interface Tensor {
  readonly name: string;
  readonly error: number;
  readonly explained: number;
  /** Bytes of its summaries. */
  readonly found: DataView;
  readonly reference: DataView;
}

export interface Row extends Omit<Told, "tensors"> {
  readonly tensors: readonly Tensor[];
}

export const moduleName = ({ module, call }: Pick<Told, "module" | "call">): string => (call ? t("difference.call", { module, number: call + 1 }) : module);

/** "output", "output 2", "gradient of weight", "input to fc". */
export function tensorName({ name }: Tensor): string {
  const [, of, what, number = ""] = /^(gradient of |input to )?(.*?)( [0-9]+)?$/.exec(name)!;
  const word = (what === "output" || what === "input" || what === "gradients" ? t(`difference.${what}`) : what) + number;
  return of ? t(of === "input to " ? "difference.input_to" : "difference.gradient_of", { what: word }) : word;
}

export const errorWords = ({ error, explained }: Tensor): string =>
  t("difference.errors", { error: number(error), explained: number(explained) });

/** All that a row says, for a screen reader. */
export function cellWords(row: Row): string {
  const args = { module: moduleName(row), direction: t(`difference.${row.direction}`), verdict: t(`difference.${row.verdict}`) };
  const [worst] = row.tensors;
  if (!worst) return t("difference.cell_raised", args);
  return t("difference.cell", { ...args, tensor: tensorName(worst), errors: errorWords(worst) });
}
