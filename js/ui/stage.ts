// The stage: one card fills the window, as a wide screen of 640 × 360 of its pixels, so that what belongs together is in
// one view and is read from the last row. What stays off it, the style sheets say.

import { h, s, set } from "./dom.ts";
import { hasModifier } from "./keys.ts";
import { t } from "./messages.ts";

/** The event of a card that has come to the stage or left it. */
export const STAGED = "mw-staged";
/** The event of a staged card at the keys for next and back, `detail` 1 and −1. Unless it is prevented, the page's next or
 * previous card takes the stage. */
export const TURN = "mw-turn";

const PAGES = { PageUp: -1, PageDown: 1 };
const ARROWS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
const PRESSES = { Enter: 1, " ": 1 };
const [WIDE, HIGH] = [640, 360]; // pixels of the card; of 1280 × 720 on the screen each is two

/** A button for `root`, a card, that takes it to the stage and back; so does Escape. */
export function stageButton(root: HTMLElement): HTMLButtonElement {
  const button = h("button", { type: "button", class: "mw-stage-button", "aria-label": t("common.stage"), title: t("common.stage_note"), "aria-pressed": "false" },
    s("svg", { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" },
      s("path", { d: "M2 3H18M3.5 3V13H16.5V3M10 13V16M6.5 18L10 16L13.5 18" })));
  const fit = () => {
    root.style.setProperty("--mw-zoom", String(Math.max(1, Math.min(innerWidth / WIDE, innerHeight / HIGH))));
    if (!root.isConnected) removeEventListener("resize", fit); // taken away by its host
  };
  const show = (isOn: boolean) => {
    set(root, { "data-stage": isOn, popover: isOn && "manual", tabindex: isOn && -1 }); // over the page, whatever contains the card
    set(button, { "aria-pressed": String(isOn) });
    if (isOn) {
      fit();
      addEventListener("resize", fit);
      root.showPopover?.();
    } else removeEventListener("resize", fit);
    (isOn ? root : button).focus(); // on the button, Enter would leave the stage
    root.dispatchEvent(new Event(STAGED));
  };
  button.addEventListener("click", () => show(!isStaged(root)));
  root.addEventListener("keydown", (event) => {
    if (!isStaged(root) || event.defaultPrevented) return;
    if (event.key === "Escape") return show(false);
    if (hasModifier(event)) return;
    const isCard = event.target === root;
    const isButton = (event.target as Element).localName === "button"; // which has no use for arrows
    const keys: Record<string, number> = { ...PAGES, ...((isCard || isButton) && ARROWS), ...(isCard && PRESSES) };
    const by = keys[event.key];
    if (by === undefined) return;
    event.preventDefault();
    if (!root.dispatchEvent(new CustomEvent(TURN, { detail: by, cancelable: true }))) return;
    const all = [...(root.getRootNode() as Document).querySelectorAll<HTMLElement>(".mw-stage-button")];
    const shown = all.filter((one) => one.checkVisibility?.() ?? true); // a card in a card has none, nor one in another tab
    const next = shown[shown.indexOf(button) + by];
    if (!next) return;
    show(false);
    next.click();
  });
  return button;
}

export const isStaged = (root: HTMLElement): boolean => root.hasAttribute("data-stage");
