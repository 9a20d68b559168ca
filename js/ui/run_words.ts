// Texts about runs, and their numbers. No DOM.

import { withMinus } from "#ui/digits.ts";
import { tOr } from "#ui/messages.ts";

/** A number in a JSON trait: non-finite ones are texts, unknown ones null. */
export type WireNumber = number | "nan" | "inf" | "-inf" | null;

const NONE = "–";
const NOT_FINITE = { nan: "NaN", inf: "∞", "-inf": "−∞" } as const;

/** Four significant digits; "∞", "NaN" or "–" for non-finite and unknown numbers. */
export function decimal(value: WireNumber): string {
  if (value === null) return NONE;
  if (typeof value === "string") return NOT_FINITE[value] ?? NONE; // a hostile page may contain anything
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return withMinus(value.toExponential(2));
  return value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

/** A number at a tick of an axis. */
export function axisNumber(value: number): string {
  const size = Math.abs(value);
  const isPlain = size === 0 || (size >= 1e-3 && size < 1e5);
  // 12 digits, because a tick such as 0.3 may be a sum with an error in the last place
  const round = Number(value.toPrecision(12));
  return withMinus((isPlain ? String(round) : round.toExponential()).replace("e+", "e"));
}

/** A share in 0 … 1 as "97.2 %"; a small one as "< 0.1 %", not 0. */
export function percent(value: WireNumber | undefined): string {
  if (typeof value !== "number") return decimal(value ?? null);
  return value > 0 && value < 0.0005 ? "< 0.1 %" : `${(100 * value).toFixed(1)} %`;
}

/** The title of a metric; a user's own metric has its name. */
export const metricName = (name: string): string => tOr(`run.metric_${name}`, name);

const SHARES: readonly string[] = ["accuracy", "iou"];

/** Whether a metric is a share, the higher the better. */
export const isShare = (name: string): boolean => SHARES.includes(name);

/** A metric's value; shares in percent. */
export const metric = (name: string, value: WireNumber): string => (isShare(name) ? percent(value) : decimal(value));

/** The text for a status; an unknown one unchanged. */
export const statusWord = (word: string): string => tOr(`run.status_${word}`, word);
