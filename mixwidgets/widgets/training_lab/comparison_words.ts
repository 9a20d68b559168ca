// The fields of a comparison and their values in words. No DOM.

import { t, tOr } from "#ui/messages.ts";
import { integer } from "#ui/digits.ts";
import { axisNumber, decimal, percent, statusWord } from "#ui/run_words.ts";
import { bytes, scale, spaced } from "./words.ts";

/** A field's name for the eye: "recipe.loss_scale.init_scale" → "loss scale: init scale". */
export const fieldName = (field: string): string =>
  tOr(`lab.field_${field.replace(".", "_")}`, spaced(field.replace(/^(recipe|task_options)\./, "")).replaceAll(".", ": "));

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
