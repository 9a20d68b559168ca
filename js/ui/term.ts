// Terms with an explanation, which opens under the pointer or with the focus; Escape closes it.

import { h, set, textNode, uniqueId } from "./dom.ts";
import { type MessageKey, t } from "./messages.ts";
import { zoomOf } from "./pixels.ts";

const WORDS = ["subnormal", "ulp"] as const;
const MARGIN = 8; // pixels between a note and the card's edge

/** A word with a note, computed when it is shown. `name`: the accessible name, for a word that is only a sign. */
export function term(word: string, note: () => string, name?: string): HTMLElement {
  const button = h("button", { type: "button", "aria-label": name }, word);
  const element = h("span", { class: "mw-term" }, button);
  let shown: HTMLElement | undefined;

  function open(): void {
    if (shown) return;
    shown = h("span", { class: "mw-term-note", role: "tooltip", id: uniqueId("note") }, note());
    element.append(shown);
    set(button, { "aria-describedby": shown.id });
    const card = element.closest(".mw");
    if (!card) return;
    const [own, all, zoom] = [shown.getBoundingClientRect(), card.getBoundingClientRect(), zoomOf(card)];
    const beyond = (own.right - all.right) / zoom + MARGIN;
    if (beyond > 0) shown.style.left = `${-beyond}px`;
    if (own.bottom > all.bottom) shown.classList.add("mw-term-above"); // the card clips its content
  }
  function close(): void {
    shown?.remove();
    shown = undefined;
    set(button, { "aria-describedby": undefined });
  }
  element.addEventListener("pointerenter", open);
  element.addEventListener("pointerleave", () => !element.matches(":focus-within") && close());
  button.addEventListener("focus", open);
  button.addEventListener("blur", close);
  button.addEventListener("click", open); // Safari does not focus a clicked button
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !shown) return;
    event.preventDefault(); // do not leave the stage
    close();
  });
  return element;
}

/** The keys of a widget, or of a part of it, behind "?". */
export const keysNote = (keys: MessageKey): HTMLElement => term("?", () => t(keys), t("common.keys"));

/** A text in which the first occurrence of each term has its explanation. */
export function explained(text: string): (HTMLElement | Text)[] {
  const known = new Map<string, MessageKey>(WORDS.map((word) => [t(`terms.${word}`), `terms.${word}_note`]));
  return text.split(new RegExp(`(${[...known.keys()].join("|")})`)).filter((part) => part !== "").map((part) => {
    const note = known.get(part);
    known.delete(part);
    return note ? term(part, () => t(note)) : textNode(part);
  });
}
