// Choices of one of several names, and a control's label.

import { h, uniqueId } from "./dom.ts";
import { t } from "./messages.ts";

/** A radio group of names, which `words` spells out. `choose` is called with the name that the user picks. */
export function chips<Name extends string>(
  legend: string,
  names: readonly Name[],
  choose: (name: Name) => void,
  words: (name: Name) => string = String,
): { element: HTMLElement; show: (name: string) => void } {
  const group = uniqueId("chips");
  const inputs = new Map<string, HTMLInputElement>();
  const element = h("fieldset", { class: "mw-chips" }, h("legend", { class: "mw-hidden" }, legend));
  for (const name of names) {
    const input = h("input", { type: "radio", name: group, value: name });
    input.addEventListener("change", () => choose(name));
    inputs.set(name, input);
    element.append(h("label", {}, input, words(name)));
  }
  const show = (name: string) => {
    for (const [key, input] of inputs) input.checked = key === name;
  };
  return { element, show };
}

/** A choice of many names: the usual ones as chips, the others of `all` in a menu. */
export function chipsAndMore(
  legend: string,
  usual: readonly string[],
  all: readonly string[],
  choose: (name: string) => void,
): { element: HTMLElement; show: (name: string) => void } {
  const few = chips(legend, usual, choose);
  const more = h(
    "select",
    { class: "mw-more", "aria-label": t("common.more_of", { what: legend }) },
    h("option", { value: "", hidden: true, disabled: true }, t("common.more")), // if only hidden, it could be chosen by typing its first letter
    ...all.filter((name) => !usual.includes(name)).map((name) => h("option", { value: name }, name)),
  );
  more.addEventListener("change", () => choose(more.value));
  const show = (name: string) => {
    few.show(name);
    const listed = usual.includes(name) || [...more.options].some((option) => option.value === name);
    if (!listed) more.append(h("option", { value: name }, name)); // such as a P3109 format, set from Python
    more.value = usual.includes(name) ? "" : name;
    more.classList.toggle("mw-chosen", more.value !== "");
  };
  return { element: h("div", { class: "mw-row mw-choice" }, few.element, more), show };
}

/** A menu of names. `choose` is called with the name that the user picks. */
export function menuOf<Name extends string>(names: readonly Name[], choose: (name: Name) => void): HTMLSelectElement {
  const select = h("select", {}, ...names.map((name) => h("option", { value: name }, name)));
  select.addEventListener("change", () => choose(select.value as Name));
  return select;
}

/** A control after its label, and its error. */
export function labelled(text: string, control: HTMLElement, error?: HTMLElement): HTMLElement {
  if (!control.id) control.id = uniqueId("control");
  return h("span", { class: "mw-row mw-labelled mw-entry" }, h("label", { for: control.id, class: "mw-muted" }, text), control, error);
}
