// The stage: one card fills the window, as a screen of 640 × 360 of the card's pixels, so that what belongs together is in
// one view and can be read from the last row. The style sheets hide what does not belong there, and the rest of the page is
// inert.

import { h, s, set } from "./dom.ts";
import { hasModifier } from "./keys.ts";
import { t } from "./messages.ts";
import type { View } from "./view.ts";

/** The event of a card that has come to the stage or left it. */
export const STAGED = "mw-staged";
/** The event of a staged card at the keys for next and back, `detail` 1 and −1. Unless it is prevented, the page's next or
 * previous card takes the stage. */
export const TURN = "mw-turn";

const PAGES = { PageUp: -1, PageDown: 1 };
const ARROWS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
const PRESSES = { Enter: 1, " ": 1 };
const [WIDE, HIGH] = [640, 360]; // pixels of the card, each twice as large on a screen of 1280 × 720
const [BOARD, CROSS] = ["M2 3H18M3.5 3V13H16.5V3M10 13V16M6.5 18L10 16L13.5 18", "M4 4L16 16M16 4L4 16"];

/** A button for `root`, a card of the view, that takes it to the stage and back; so do Alt + Enter and Escape. */
export function stageButton(view: View, root: HTMLElement): HTMLButtonElement {
  const sign = s("path");
  const button = h("button", { type: "button", class: "mw-stage-button" },
    s("svg", { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" }, sign));
  const name = (isOn: boolean) => {
    set(sign, { d: isOn ? CROSS : BOARD });
    set(button, { "aria-label": t(isOn ? "common.stage_leave" : "common.stage"), title: t("common.stage_note") });
  };
  name(false);
  let around: Element[] = [];
  const release = () => {
    for (const one of around.splice(0)) set(one, { inert: false });
    document.removeEventListener("keydown", onKey);
  };
  view.onClose(release); // a cell that runs again takes the card away
  const fit = () => {
    root.style.setProperty("--mw-zoom", String(Math.max(1, Math.min(innerWidth / WIDE, innerHeight / HIGH))));
    if (!root.isConnected) removeEventListener("resize", fit); // taken away by its host
  };
  const show = (isOn: boolean) => {
    set(root, { "data-stage": isOn, popover: isOn && "manual", tabindex: isOn && -1 }); // over the page, whatever contains the card
    name(isOn);
    release();
    if (isOn) {
      around = besides(root);
      for (const one of around) set(one, { inert: true });
      document.addEventListener("keydown", onKey); // where nothing has the focus: a card keeps its keys
      fit();
      addEventListener("resize", fit);
      root.showPopover?.();
    } else removeEventListener("resize", fit);
    (isOn ? root : button).focus(); // on the button, Enter would leave the stage
    root.dispatchEvent(new Event(STAGED));
  };
  button.addEventListener("click", () => show(!isStaged(root)));
  function onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented) return;
    if (!root.isConnected) return release(); // taken away by its host
    if (!isStaged(root)) {
      if (!isStageKey(event) || button.checkVisibility?.() === false) return;
      event.preventDefault();
      return show(true);
    }
    if (event.key === "Escape") return show(false);
    if (hasModifier(event)) return;
    const isCard = event.target === root || event.target === document.body;
    const isButton = (event.target as Element).localName === "button"; // which has no use for arrows
    const keys: Record<string, number> = { ...PAGES, ...((isCard || isButton) && ARROWS), ...(isCard && PRESSES) };
    const by = keys[event.key];
    if (by === undefined) return;
    event.preventDefault();
    if (!root.dispatchEvent(new CustomEvent(TURN, { detail: by, cancelable: true }))) return;
    const all = [...(root.getRootNode() as Document).querySelectorAll<HTMLElement>(".mw-stage-button")];
    const shown = all.filter((other) => other.checkVisibility?.() ?? true); // hidden in a card within a card, and in another tab
    const next = shown[shown.indexOf(button) + by];
    if (!next) return;
    show(false);
    next.click();
  }
  root.addEventListener("keydown", onKey);
  return button;
}

/** Alt + Enter, as in players of films. */
export const isStageKey = ({ key, altKey }: KeyboardEvent): boolean => altKey && key === "Enter";

export const isStaged = (root: HTMLElement): boolean => root.hasAttribute("data-stage");

/** What is in the page beside an element, also around the shadow trees that it is in, and is not inert. */
function besides(root: Element): Element[] {
  const all: Element[] = [];
  for (let one: Node = root, parent = one.parentNode; parent; one = parent instanceof ShadowRoot ? parent.host : parent, parent = one.parentNode) {
    all.push(...[...parent.children].filter((other) => other !== one && !other.hasAttribute("inert")));
  }
  return all;
}
