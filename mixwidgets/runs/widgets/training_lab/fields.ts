// Labelled controls. A text field checks its text before the kernel does, and shows the error below.

import { h, set, setText, uniqueId } from "#ui/dom.ts";
import type { Read } from "./choice.ts";

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
    const found = parse(input.value);
    const isWrong = "problem" in found;
    set(input, { "aria-invalid": isWrong && "true" });
    setText(error, isWrong ? found.problem : "");
    return isWrong ? null : found.value;
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
