// Buttons, also ones that say why they cannot be used now. Unlike disabled buttons, these keep the focus.

import { h, set, setText, type Attributes } from "./dom.ts";

export function button(text: string, act: () => unknown, attributes: Attributes = {}): HTMLButtonElement {
  const element = h("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", act);
  return element;
}

export function action(text: string, act: () => void, kind = "") {
  const element = button(text, () => element.getAttribute("aria-disabled") !== "true" && act(), { class: kind || undefined });
  return {
    element,
    /** `reason`: why the button cannot be used; "" if it can. `hint` is shown if it can. */
    allow: (reason: string, hint = "") => set(element, { "aria-disabled": reason !== "" && "true", title: reason || hint || undefined }),
    name: (wanted: string) => setText(element, wanted),
  };
}
