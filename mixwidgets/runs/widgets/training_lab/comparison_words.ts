// The fields of a comparison and their values in words. No DOM.

import { t, tOr } from "#ui/messages.ts";
import { integer } from "#ui/digits.ts";
import { axisNumber, decimal, percent, statusWord } from "#ui/run_words.ts";
import { arithmetic } from "./arithmetic.ts";
import type { RecipeField, TaskChoice } from "./state.ts";
import { bytes, scale, spaced, withPrefix } from "./words.ts";

/** What the page's forms call the settings, by field, and their choices, by "field=choice". */
export function titlesOf(recipe: readonly RecipeField[], tasks: readonly TaskChoice[]): ReadonlyMap<string, string> {
  return new Map([
    ["task", t("lab.task")], ["recipe", t("lab.recipe")], ["steps", t("lab.steps")], ["device", t("lab.device")],
    ...tasks.flatMap(({ settings }) => settings).flatMap(({ name, title }) => [[name, title], [`task_options.${name}`, title]] as const),
    ...recipe.map(({ name, group, title }) => [`recipe.${name}`, name.includes(".") ? t("lab.field_of", { group, title }) : title] as const),
    ...recipe.flatMap(({ name, choices = {} }) => Object.entries(choices).map(([choice, word]) => [`recipe.${name}=${choice}`, word] as const)),
  ]);
}

/** A field's name for the eye, that of `titles` if there is one: "recipe.loss_scale.init_scale" → "loss scale: init scale". */
export const fieldName = (field: string, titles: ReadonlyMap<string, string>): string =>
  titles.get(field) ?? tOr(`lab.field_${field.replace(".", "_")}`, spaced(field.replace(/^(recipe|task_options)\./, "")).replaceAll(".", ": "));

const SHARE = /^(gradients\.|weights_unchanged$|metrics\.(accuracy|iou)$)/;
const NOT_FINITE = /^(nan|-?inf)$/;

/** A field's value for the eye, in the words of `titles` if it is a choice of theirs. */
export function fieldValue(field: string, value: string | number | boolean | null, titles: ReadonlyMap<string, string>): string {
  if (typeof value === "boolean") return t(value ? "lab.yes" : "lab.no");
  if (typeof value === "string") {
    if (field === "status") return statusWord(value);
    if (field === "backend") return arithmetic(value);
    return NOT_FINITE.test(value) ? decimal(value as "nan") : (titles.get(`${field}=${value}`) ?? value);
  }
  if (value === null) return decimal(null);
  if (SHARE.test(field)) return percent(value);
  if (field.startsWith("memory.")) return bytes(value);
  if (field.endsWith(".init_scale")) return scale(value);
  if (field === "flops_per_second") return withPrefix(value, "FLOP/s");
  if (field.endsWith("_per_second")) return integer(value);
  if (/loss$/.test(field)) return decimal(value);
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? integer(value) : axisNumber(Number(value.toPrecision(4)));
}
