// Menus of values, each under its label.

import { h, uniqueId } from "./dom.ts";

export interface Field<T> {
  readonly element: HTMLElement;
  show(value: T): void;
}

/** A label above its control. */
export function under(label: string, control: HTMLElement, ...more: HTMLElement[]): HTMLElement {
  if (!control.id) control.id = uniqueId("setting");
  return h("div", { class: "mw-field" }, h("label", { for: control.id }, label), control, ...more);
}

/** A menu of values, which `words` spells out. Showing another value adds it to the menu. */
export function menu<T extends string | number>(label: string, options: readonly T[], words: (value: T) => string, choose: (value: T) => void): Field<T> {
  const values = [...options];
  const optionOf = (value: T) => h("option", { value: String(value) }, words(value));
  const select = h("select", {}, ...values.map(optionOf));
  select.addEventListener("change", () => choose(values[select.selectedIndex]!));
  const show = (value: T): void => {
    if (!values.includes(value)) {
      values.push(value);
      select.append(optionOf(value));
    }
    select.selectedIndex = values.indexOf(value);
  };
  return { element: under(label, select), show };
}
