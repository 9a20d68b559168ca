// The settings of the next launch: its optimiser, its batch, its task's options. They unfold below the other controls.

import { computed } from "@preact/signals-core";
import { h, set, setText } from "#ui/dom.ts";
import { inSeries, t } from "#ui/messages.ts";
import { axisNumber } from "#ui/run_words.ts";
import { quoted, type Read } from "./choice.ts";
import { field, hint, textField } from "./fields.ts";
import type { Lab } from "./lab.ts";
import { named, numberIn, written } from "./settings_text.ts";
import type { Setting, TaskChoice } from "./state.ts";
import { spaced } from "./words.ts";

/** A number as it is typed: 0.01, 1e-5. */
export const typed = (value: number): string => (value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential().replace("e+", "e") : String(value));

export function readNumber(setting: Pick<Setting, "title" | "whole" | "low" | "high">, text: string): Read<number> {
  const value = numberIn(setting, text);
  if (value !== null) return { value };
  const { title, whole, low, high } = setting;
  const limit = (number: number | null | undefined) => (number ? axisNumber(Number(number.toPrecision(4))) : "0");
  const problem = whole ? "lab.setting_whole" : high ? "lab.setting_range" : "lab.setting_above_zero";
  return { problem: t(problem, { name: title, low: limit(low), high: limit(high), came: quoted(text) }) };
}

/** `isRight`: whether every field is; the first that is not gets the focus. */
export function settingsPart({ view, chosen, choose }: Lab): { element: HTMLElement; isRight(): boolean } {
  const tasks = view.model.get("_tasks");
  const summary = h("summary", {});
  const row = h("div", { class: "mw-settings" });
  const element = h("details", { class: "mw-lab-settings mw-unfolding" }, summary, row);
  const task = computed(() => tasks.find(({ name }) => name === chosen.value.task) ?? tasks[0]!);
  let built: TaskChoice | undefined;
  let numbers = new Map<string, ReturnType<typeof textField<number>>>();

  const usual = (name: string) => task.value.settings.find((one) => one.name === name)!.default;
  const take = (name: string, value: string | number) => {
    const settings = named(chosen.value.settings);
    if (value === usual(name)) settings.delete(name);
    else settings.set(name, typeof value === "number" ? typed(value) : value);
    if (name === "optimizer") settings.delete(value === "sgd" ? "eps" : "momentum");
    choose({ settings: written(settings) });
  };

  const build = ({ settings }: TaskChoice) => {
    numbers = new Map();
    row.replaceChildren(...settings.map((setting) => {
      const { name, title, about, choices } = setting;
      if (choices) {
        const select = h("select", { name }, ...choices.map((one) => h("option", { value: one }, one)));
        select.addEventListener("change", () => take(name, select.value));
        return field(title, select, hint(about));
      }
      const number = textField({ label: title, about, parse: (text) => readNumber(setting, text), write: typed }, (value) => take(name, value));
      set(number.input, { name });
      numbers.set(name, number);
      return number.element;
    }));
  };

  view.effect(() => {
    if (built !== task.value) build((built = task.value));
    const settings = named(chosen.value.settings);
    for (const [name, number] of numbers) number.show(Number(settings.get(name) ?? usual(name)));
    const optimizer = settings.get("optimizer") ?? usual("optimizer");
    row.querySelector<HTMLSelectElement>("select")!.value = String(optimizer);
    set(numbers.get("momentum")!.element, { hidden: optimizer !== "sgd" });
    set(numbers.get("eps")!.element, { hidden: optimizer !== "adam" });
    const told = [...settings].map(([name, value]) => `${task.value.settings.find((one) => one.name === name)?.title ?? spaced(name)} ${Number.isNaN(Number(value)) ? value : typed(Number(value))}`);
    setText(summary, told.length > 0 ? t("lab.settings_chosen", { settings: inSeries(told) }) : t("lab.settings_usual"));
  });

  const isRight = () => {
    const wrong = [...numbers.values()].find((number) => !number.element.hidden && number.read() === null);
    if (wrong) element.open = true;
    wrong?.input.focus();
    return !wrong;
  };
  return { element, isRight };
}
