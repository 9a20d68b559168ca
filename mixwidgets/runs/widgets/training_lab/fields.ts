// Labelled controls. A text field checks its text before the kernel does, and shows the error below; what it reads may be the
// number of a setting.

import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { axisNumber } from "#ui/run_words.ts";
import { numberIn, quoted, type Read } from "./choice.ts";
import type { Setting } from "./state.ts";

export function field(label: string, control: HTMLElement, ...below: HTMLElement[]): HTMLElement {
  control.id = uniqueId("field");
  return h("div", { class: "mw-field" }, h("label", { for: control.id }, label), control, ...below);
}

/** A few words under a control, which describe it. */
export function hint(text = ""): HTMLElement {
  return h("span", { class: "mw-hint", id: uniqueId("hint") }, text);
}

export function textField<T>(
  { label, about, parse, write }: { label: string; about: string; parse: (text: string) => Read<T>; write: (value: T) => string },
  choose: (value: T) => void,
) {
  const input = h("input", { type: "text", inputmode: "numeric", autocomplete: "off", size: 8 });
  const words = hint(about);
  const error = h("span", { class: "mw-error", id: uniqueId("error"), role: "alert" });
  set(input, { "aria-describedby": `${error.id} ${words.id}` });
  let shown: string | null = null;

  /** The value; null if the text is wrong, and then the error is shown. */
  const read = (): T | null => {
    const reading = parse(input.value);
    const isWrong = "problem" in reading;
    set(input, { "aria-invalid": isWrong && "true" });
    setText(error, isWrong ? reading.problem : "");
    return isWrong ? null : reading.value;
  };
  input.addEventListener("change", () => {
    const value = read();
    if (value === null || write(value) === shown) return;
    shown = write(value);
    choose(value);
  });
  /** Show the kernel's value. While that stays the same, so does a text being typed. */
  const show = (value: T) => {
    if (write(value) === shown) return;
    shown = write(value);
    input.value = shown;
    read();
  };
  return { element: field(label, input, words, error), input, read, show };
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

/** Under each key, in the order of their first, those that have it. */
export function grouped<T>(all: readonly T[], key: (item: T) => string): [string, T[]][] {
  return [...new Set(all.map(key))].map((name) => [name, all.filter((item) => key(item) === name)]);
}
