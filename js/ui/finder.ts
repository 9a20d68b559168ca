// Finding in a long list: words, an order, how many were found, and choices that a widget adds.

import { type ReadonlySignal, signal } from "@preact/signals-core";
import { h } from "./dom.ts";

export interface Finder<Order extends string> {
  readonly element: HTMLElement;
  /** What is looked for, as it was typed. */
  readonly text: ReadonlySignal<string>;
  readonly order: ReadonlySignal<Order>;
  /** Where it says how many were found. */
  readonly told: HTMLElement;
}

/** `orders`: what each is called; the first is chosen at first. */
export function finder<Order extends string>(
  label: string, orderLabel: string, orders: readonly (readonly [Order, string])[], ...choices: HTMLElement[]
): Finder<Order> {
  const text = signal("");
  const order = signal<Order>(orders[0]![0]);
  const box = h("input", { type: "search", autocomplete: "off", "aria-label": label, placeholder: label });
  box.addEventListener("input", () => (text.value = box.value));
  const select = h("select", { "aria-label": orderLabel }, ...orders.map(([value, name]) => h("option", { value }, name)));
  select.addEventListener("change", () => (order.value = select.value as Order));
  const told = h("span", { class: "mw-note", role: "status" });
  const element = h("div", { class: "mw-finder", role: "search", "aria-label": label },
    h("div", { class: "mw-find-words" }, box, told), ...choices, select);
  return { element, text, order, told };
}

/** The words of a search, in lower case; what is found says each of them. */
export function wordsIn(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter((word) => word !== "");
}
