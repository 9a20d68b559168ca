// The rows, and how they are named.

import { t } from "#ui/messages.ts";
import { number } from "#ui/ruler/words.ts";

/** What Python tells of a row of the table. */
export interface Told {
  readonly module: string;
  readonly kind: string;
  readonly call: number;
  readonly direction: "forward" | "backward";
  readonly tensor: string;
  readonly verdict: "ok" | "off" | "raised";
  readonly reason: string;
}

export interface Row extends Told {
  readonly error: number;
  readonly explained: number;
  /** Bytes of the tensor's summary in the recipe's precision, and in the reference's. */
  readonly found: DataView;
  readonly reference: DataView;
}

export const moduleName = ({ module, call }: Told): string => (call ? t("difference.call", { module, number: call + 1 }) : module);

/** "output", "gradient of weight". */
export function tensorName({ tensor }: Told): string {
  const of = tensor.startsWith("gradient of ") ? tensor.slice("gradient of ".length) : "";
  const word = (one: string) => (one === "output" || one === "input" || one === "gradients" ? t(`difference.${one}`) : one);
  return of ? t("difference.gradient_of", { what: word(of) }) : word(tensor);
}

export const errorWords = ({ error, explained }: Row): string =>
  t("difference.errors", { error: number(error), explained: number(explained) });

/** All that a row says, for a screen reader. */
export function cellWords(row: Row): string {
  const args = { module: moduleName(row), direction: t(`difference.${row.direction}`), verdict: t(`difference.${row.verdict}`) };
  if (row.verdict === "raised") return t("difference.cell_raised", args);
  return t("difference.cell", { ...args, tensor: tensorName(row), errors: errorWords(row) });
}
