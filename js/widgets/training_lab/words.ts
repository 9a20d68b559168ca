// Numbers and states in words. No DOM.

import { superscript } from "../../ui/digits.ts";
import { type MessageKey, t } from "../../ui/messages.ts";
import type { Row, WireNumber } from "./state.ts";
import { isAlive } from "./state.ts";

const NONE = "–";
const NOT_FINITE = { nan: "NaN", inf: "∞", "-inf": "−∞" } as const;
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const count = (value: number): string => whole.format(value);

/** 2 to a whole power, such as "2¹⁶" or "2⁻³". */
export function powerOfTwo(exponent: number): string {
  return `2${superscript(exponent)}`;
}

/** A loss scale: as a power of two where it is one. */
export function scale(value: WireNumber): string {
  if (typeof value !== "number") return decimal(value);
  const exponent = Math.log2(value);
  return Number.isInteger(exponent) ? powerOfTwo(exponent) : decimal(value);
}

/** Four significant digits; non-finite and unknown numbers as signs. */
export function decimal(value: WireNumber): string {
  if (value === null) return NONE;
  if (typeof value === "string") return NOT_FINITE[value];
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

/** A share in 0 … 1 as "97.2 %". */
export function percent(value: WireNumber | undefined): string {
  return typeof value === "number" ? `${(100 * value).toFixed(1)} %` : decimal(value ?? null);
}

/** What the task itself calls a good result: the name of its metric beside "loss", if it has one. */
export const metricOf = (row: Row): string | undefined => Object.keys(row.metrics).find((name) => name !== "loss");

const METRICS = new Map<string, MessageKey>([["accuracy", "lab.metric_accuracy"], ["iou", "lab.metric_iou"]]);

/** A metric's name for the eye; a user's own as it is. */
export function metricName(name: string): string {
  const key = METRICS.get(name);
  return key === undefined ? name : t(key);
}

/** A metric's value: shares in per cent. */
export const metric = (name: string, value: WireNumber): string => (METRICS.has(name) ? percent(value) : decimal(value));

/** "0.6 s", "12 s", "3 min 20 s", "2 h 5 min". */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  const minutes = Math.floor(s / 60);
  return minutes < 60 ? `${minutes} min ${s % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Where the run is: "step 213 of 300 · 141 steps/s · 0.6 s left". */
export function progress(row: Row): string {
  const at = { step: count(row.step), steps: row.steps === null ? "" : count(row.steps), status: status(row) };
  if (!isAlive(row)) return t(row.steps === null ? "lab.progress_watched_over" : "lab.progress_over", at);
  if (row.step === 0) return t("lab.progress_starting");
  const steps = t(row.steps === null ? "lab.progress_watched" : "lab.progress_steps", at);
  if (row.rate === null) return steps;
  const rate = t("lab.progress_rate", { rate: row.rate >= 10 ? count(row.rate) : row.rate.toFixed(1) });
  if (row.steps === null) return `${steps} · ${rate}`;
  const left = t("lab.progress_left", { time: duration((row.steps - row.step) / row.rate) });
  return `${steps} · ${rate} · ${left}`;
}

/** The same for a live region, which is heard, not read. */
export function spoken(row: Row, name: string): string {
  if (row.status !== "running" || row.rate === null || row.steps === null) return t("lab.spoken_status", { name, status: status(row) });
  const time = duration((row.steps - row.step) / row.rate);
  return t("lab.spoken_progress", { name, percent: percent(row.step / row.steps), time });
}

/** What the newest step says: loss, loss scale, skipped steps. */
export function newest(row: Row): string {
  if (row.step === 0) return "";
  const parts = [t("lab.newest_loss", { loss: decimal(row.loss) })];
  if (row.scaled) {
    parts.push(t("lab.newest_scale", { scale: scale(row.loss_scale) }));
    parts.push(t(row.skipped === 1 ? "lab.newest_skipped_one" : "lab.newest_skipped", { count: count(row.skipped) }));
  }
  return parts.join(" · ");
}

const STATUSES: Record<string, MessageKey> = {
  queued: "lab.status_queued",
  running: "lab.status_running",
  interrupted: "lab.status_interrupted",
  completed: "lab.status_completed",
  stopped: "lab.status_stopped",
  diverged: "lab.status_diverged",
  out_of_memory: "lab.status_out_of_memory",
  time_limit: "lab.status_time_limit",
  disk_full: "lab.status_disk_full",
  crashed: "lab.status_crashed",
};

export function status(row: Row): string {
  const key = STATUSES[row.status];
  return key === undefined ? row.status : t(key, { step: count(row.step) });
}

/** Where the current run computes, and how. */
export function place(row: Row): string {
  const device = row.device === "cpu" ? t("lab.device_cpu") : row.device.replace(/^cuda/, t("lab.device_cuda"));
  return [device, row.backend].filter((part) => part !== "").join(" · ");
}
