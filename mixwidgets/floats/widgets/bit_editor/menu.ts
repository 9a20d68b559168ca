// A disclosure that opens over the card: a list of buttons, made anew each time it opens.

import { button } from "#ui/buttons.ts";
import { h } from "#ui/dom.ts";

interface Item {
  readonly label: string;
  /** Stands beside the button. */
  readonly text?: string;
  /** The menu closes afterwards, unless this returns true. `text` is the element that shows it. */
  choose(text: HTMLElement): void | Promise<boolean>;
}

export function menu(label: string, items: () => readonly Item[]): HTMLDetailsElement {
  const list = h("ul", { class: "mw-bit-menu-items", tabindex: -1, "aria-label": label }); // takes the focus of a click between its buttons
  const summary = h("summary", {}, label);
  const element = h("details", { class: "mw-bit-menu" }, summary, list);
  const close = () => {
    if (element.matches(":focus-within")) summary.focus();
    element.open = false;
  };
  element.addEventListener("toggle", () => {
    if (element.open) list.replaceChildren(...items().map(itemOf));
  });
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  element.addEventListener("focusout", (event) => {
    if (!(event.relatedTarget instanceof Node && element.contains(event.relatedTarget))) element.open = false;
  });
  const itemOf = ({ label: name, text, choose }: Item) => {
    const shown = text === undefined ? null : h("code", { class: "mw-num" }, text);
    const item = button(name, async () => {
      if (!(await choose(shown ?? item))) close();
    });
    return h("li", {}, item, shown);
  };
  return element;
}
