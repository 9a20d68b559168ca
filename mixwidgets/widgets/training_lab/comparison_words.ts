// The fields of a comparison and their values in words. No DOM.

import { type MessageKey, t } from "#ui/messages.ts";
import { integer } from "#ui/digits.ts";
import { axisNumber, decimal, percent, statusWord } from "#ui/run_words.ts";
import { bytes, scale, spaced } from "./words.ts";

const NAMES: Record<string, MessageKey> = {
  status: "lab.field_status",
  steps_done: "lab.field_steps_done",
  skipped: "lab.field_skipped",
  steps_per_second: "lab.field_steps_per_second",
  examples_per_second: "lab.field_examples_per_second",
  loss: "lab.field_loss",
  "metrics.loss": "lab.field_metrics_loss",
  "metrics.accuracy": "lab.field_metrics_accuracy",
  "metrics.iou": "lab.field_metrics_iou",
  "gradients.zero": "lab.field_gradients_zero",
  "gradients.flushed": "lab.field_gradients_flushed",
  "gradients.overflow": "lab.field_gradients_overflow",
  "gradients.not_finite": "lab.field_gradients_not_finite",
  "gradients.flushed_against_float32": "lab.field_gradients_flushed_against_float32",
  weights_unchanged: "lab.field_weights_unchanged",
  "memory.predicted": "lab.field_memory_predicted",
  "memory.measured": "lab.field_memory_measured",
};

/** A field's name for the eye: "recipe.loss_scale.init_scale" → "loss scale: init scale". */
export function fieldName(field: string): string {
  const key = Object.hasOwn(NAMES, field) ? NAMES[field] : undefined;
  return key ? t(key) : spaced(field.replace(/^(recipe|task_options)\./, "")).replaceAll(".", ": ");
}

const SHARE = /^(gradients\.|weights_unchanged$|metrics\.(accuracy|iou)$)/;
const NOT_FINITE = /^(nan|-?inf)$/;

export function fieldValue(field: string, value: string | number | boolean | null): string {
  if (typeof value === "boolean") return t(value ? "lab.yes" : "lab.no");
  if (typeof value === "string") {
    if (field === "status") return statusWord(value);
    return NOT_FINITE.test(value) ? decimal(value as "nan") : value;
  }
  if (value === null) return decimal(null);
  if (SHARE.test(field)) return percent(value);
  if (field.startsWith("memory.")) return bytes(value);
  if (field.endsWith(".init_scale")) return scale(value);
  if (field.endsWith("_per_second")) return integer(value);
  if (/loss$/.test(field)) return decimal(value);
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? integer(value) : axisNumber(Number(value.toPrecision(4)));
}
