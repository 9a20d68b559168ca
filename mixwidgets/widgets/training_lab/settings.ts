// The settings of the next launch: its optimiser, its batch, its task's options. They unfold below the other controls.

import { h, set, setText } from "#ui/dom.ts";
import { inSeries, t } from "#ui/messages.ts";
import { axisNumber } from "#ui/run_words.ts";
import { quoted, type Read } from "./choice.ts";
import { field, hint, textField, type TextField } from "./fields.ts";
import { named, numberIn, written } from "./settings_text.ts";
import type { Setting, TaskChoice } from "./state.ts";
import { spaced } from "./words.ts";

export interface SettingsPart {
  readonly element: HTMLDetailsElement;
  /** The settings' text; null where a field is wrong, which then has the focus. */
  read(): string | null;
  show(task: TaskChoice, text: string): void;
}

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

export function settingsPart(choose: (text: string) => void): SettingsPart {
  const summary = h("summary", {});
  const row = h("div", { class: "mw-settings" });
  const element = h("details", { class: "mw-lab-settings mw-unfolding" }, summary, row);
  let task: TaskChoice | undefined;
  let chosen: Map<string, string> = new Map();
  let numbers = new Map<string, TextField<number>>();

  const usual = (name: string) => task!.settings.find((one) => one.name === name)!.default;
  const take = (name: string, value: string | number) => {
    if (value === usual(name)) chosen.delete(name);
    else chosen.set(name, typeof value === "number" ? typed(value) : value);
    if (name === "optimizer") chosen.delete(value === "sgd" ? "eps" : "momentum");
    choose(written(chosen));
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

  const show: SettingsPart["show"] = (now, text) => {
    if (task !== now) build((task = now));
    chosen = named(text);
    for (const [name, number] of numbers) number.show(Number(chosen.get(name) ?? usual(name)));
    const optimizer = chosen.get("optimizer") ?? usual("optimizer");
    row.querySelector<HTMLSelectElement>("select")!.value = String(optimizer);
    set(numbers.get("momentum")!.element, { hidden: optimizer !== "sgd" });
    set(numbers.get("eps")!.element, { hidden: optimizer !== "adam" });
    const told = [...chosen].map(([name, value]) => `${now.settings.find((one) => one.name === name)?.title ?? spaced(name)} ${Number.isNaN(Number(value)) ? value : typed(Number(value))}`);
    setText(summary, told.length > 0 ? t("lab.settings_chosen", { settings: inSeries(told) }) : t("lab.settings_usual"));
  };

  const read = () => {
    const wrong = [...numbers.values()].find((number) => !number.element.hidden && number.read() === null);
    if (!wrong) return written(chosen);
    element.open = true;
    wrong.input.focus();
    return null;
  };
  return { element, read, show };
}
