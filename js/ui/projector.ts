// Projector size: the cards twice as large, so that every digit is read from the last row.

import { h, s, set } from "./dom.ts";
import { t } from "./messages.ts";
import { keep, kept } from "./tab.ts";

const KEY = "mixwidgets-projector"; // in the tab: the pages that it goes on to are as large

/** A button for `root`, a card. It sets every card of the page: what is projected is the screen. */
export function projectorButton(root: HTMLElement): HTMLButtonElement {
  const name = t("common.projector");
  const button = h("button", { type: "button", class: "mw-projector-button", "aria-label": name, title: name },
    s("svg", { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" },
      s("path", { d: "M2 3H18M3.5 3V13H16.5V3M10 13V16M6.5 18L10 16L13.5 18" })));
  show(root, button, kept(KEY) !== "");
  button.addEventListener("click", () => {
    const large = button.getAttribute("aria-pressed") !== "true";
    keep(KEY, large ? "large" : "");
    show(root, button, large); // wherever a host keeps it
    for (const one of buttons(document)) show(one.closest<HTMLElement>(".mw")!, one, large);
    button.scrollIntoView?.({ block: "nearest" });
  });
  return button;
}

/** Those of the page, also in the open shadow trees in which some hosts, as marimo, put each widget. */
function* buttons(within: ParentNode): Iterable<HTMLButtonElement> {
  yield* within.querySelectorAll<HTMLButtonElement>(".mw-projector-button");
  for (const { shadowRoot } of within.querySelectorAll("*")) if (shadowRoot) yield* buttons(shadowRoot);
}

function show(root: HTMLElement, button: HTMLElement, large: boolean): void {
  set(root, { "data-projector": large });
  set(button, { "aria-pressed": String(large) });
}
