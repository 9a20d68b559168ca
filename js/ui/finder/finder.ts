// The controls of a long list: search, order, the number of results, and a widget's own filters.

import { signal } from "@preact/signals-core";
import { h } from "#ui/dom.ts";

/** `orders`: each order and its name; the first is the default. Returns the search text as typed, the order, and the element
 * for the number of results. */
export function finder<Order extends string>(
  label: string, orderLabel: string, orders: readonly (readonly [Order, string])[], ...choices: HTMLElement[]
) {
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

/** The words of a search, in lower case. A result contains all of them. */
export function wordsIn(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter((word) => word !== "");
}
