// Runs and their numbers in words. No DOM.

import { type MessageKey, t } from "#ui/messages.ts";

/** A number of a JSON trait: non-finite ones are words, unknown ones null. */
export type WireNumber = number | "nan" | "inf" | "-inf" | null;

const NONE = "–";
const NOT_FINITE = { nan: "NaN", inf: "∞", "-inf": "−∞" } as const;
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const count = (value: number): string => whole.format(value);

/** Four significant digits; non-finite and unknown numbers as signs. */
export function decimal(value: WireNumber): string {
  if (value === null) return NONE;
  if (typeof value === "string") return NOT_FINITE[value] ?? NONE; // a hostile page may say anything
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(2).replace("-", "−");
  return value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

/** A round number beside an axis. */
export function axisNumber(value: number): string {
  const size = Math.abs(value);
  const isPlain = size === 0 || (size >= 1e-3 && size < 1e5);
  // 12 digits: a tick such as 0.3 may be a sum that is off in the last one
  const round = Number(value.toPrecision(12));
  return (isPlain ? String(round) : round.toExponential()).replace("e+", "e").replace("-", "−").replace("e-", "e−");
}

/** A share in 0 … 1 as "97.2 %"; one that is not 0 is never told as 0. */
export function percent(value: WireNumber | undefined): string {
  if (typeof value !== "number") return decimal(value ?? null);
  return value > 0 && value < 0.0005 ? "< 0.1 %" : `${(100 * value).toFixed(1)} %`;
}

const METRICS = new Map<string, MessageKey>([["accuracy", "run.metric_accuracy"], ["iou", "run.metric_iou"]]);

/** A metric's name for the eye; a user's own as it is. */
export function metricName(name: string): string {
  const key = METRICS.get(name);
  return key === undefined ? name : t(key);
}

/** A metric's value: shares in per cent. */
export const metric = (name: string, value: WireNumber): string => (METRICS.has(name) ? percent(value) : decimal(value));

const STATUSES: Record<string, MessageKey> = {
  queued: "run.status_queued",
  running: "run.status_running",
  interrupted: "run.status_interrupted",
  completed: "run.status_completed",
  stopped: "run.status_stopped",
  diverged: "run.status_diverged",
  out_of_memory: "run.status_out_of_memory",
  time_limit: "run.status_time_limit",
  disk_full: "run.status_disk_full",
  crashed: "run.status_crashed",
};

/** A state's word; one that is not known stands as it came. */
export function statusWord(word: string): string {
  const key = Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined;
  return key === undefined ? word : t(key);
}
