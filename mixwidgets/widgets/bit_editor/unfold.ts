// A part below the card that is worked out only while it is open.

import { h } from "#ui/dom.ts";
import type { EditedNumber } from "./state.ts";

export interface Unfolding {
  readonly element: HTMLDetailsElement;
  show(number: EditedNumber): void;
}

/** `build` is called once, at the first opening; what it gives is called for each number while open. */
export function unfolding(title: string, build: (body: HTMLElement) => (number: EditedNumber) => void): Unfolding {
  const body = h("div", { class: "mw-bit-unfolded" });
  const element = h("details", { class: "mw-bit-unfolding" }, h("summary", {}, title), body);
  let fill: ((number: EditedNumber) => void) | null = null;
  let newest: EditedNumber | null = null;
  const refresh = () => {
    if (!element.open || !newest) return;
    fill ??= build(body);
    fill(newest);
  };
  element.addEventListener("toggle", refresh);
  return {
    element,
    show(number) {
      newest = number;
      refresh();
    },
  };
}
