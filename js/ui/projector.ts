// Projector size: the cards twice as large, so that every digit is read from the last row.

import { h, s, set } from "./dom.ts";
import { t } from "./messages.ts";

const KEPT = "mixwidgets-projector"; // in the tab: the pages that it goes on to are as large

/** A button for `root`, a card. It sets every card of the page: what is projected is the screen. (A host that keeps
 * each widget in a shadow root of its own, as marimo does, has one card to a page.) */
export function projectorButton(root: HTMLElement): HTMLButtonElement {
  const name = t("common.projector");
  const button = h("button", { type: "button", class: "mw-projector-button", "aria-label": name, title: name },
    s("svg", { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" },
      s("path", { d: "M2 3H18M3.5 3V13H16.5V3M10 13V16M6.5 18L10 16L13.5 18" })));
  show(root, button, wasLarge());
  button.addEventListener("click", () => {
    const large = button.getAttribute("aria-pressed") !== "true";
    keep(large);
    const page = root.getRootNode() as Document | ShadowRoot;
    for (const one of page.querySelectorAll<HTMLElement>(".mw-projector-button")) show(one.closest<HTMLElement>(".mw")!, one, large);
    button.scrollIntoView?.({ block: "nearest" });
  });
  return button;
}

function show(root: HTMLElement, button: HTMLElement, large: boolean): void {
  set(root, { "data-projector": large });
  set(button, { "aria-pressed": String(large) });
}

function wasLarge(): boolean {
  try {
    return sessionStorage.getItem(KEPT) === "large";
  } catch {
    return false; // a page that may keep nothing
  }
}

function keep(large: boolean): void {
  try {
    if (large) sessionStorage.setItem(KEPT, "large");
    else sessionStorage.removeItem(KEPT);
  } catch {
    // It is large now, and forgets it.
  }
}
