// The stage: one card fills the window, as a screen of 640 × 360 of the card's pixels, so that what belongs together is in
// one view and can be read from the last row. The style sheets hide what does not belong there. On the stage a widget may ask
// questions: the room's prediction is written down before the widget shows the answer. Until then nothing in the widget can
// be touched, and the widget is hidden if it already shows the answer.

import { signal, type Signal } from "@preact/signals-core";
import { button } from "./buttons.ts";
import { h, s, set, setText, uniqueId } from "./dom.ts";
import { hasModifier } from "./keys.ts";
import { t, type MessageKey } from "./messages.ts";
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
const LONGEST = 60; // characters of a prediction

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
    const shown = all.filter((other) => other.checkVisibility?.() ?? true); // hidden in a card within a card, and in another tab
    const next = shown[shown.indexOf(button) + by];
    if (!next) return;
    show(false);
    next.click();
  });
  return button;
}

const isStaged = (root: HTMLElement): boolean => root.hasAttribute("data-stage");

export interface Question {
  readonly ask: string;
  /** Whether the widget, as it is now, shows the answer. */
  isAnswered(): boolean;
  /** Have the widget show it. */
  answer(): void;
}

/** A question, and the traits with which the widget answers it: an entry of a widget's stage.json. */
interface Step {
  readonly ask: string;
  readonly state: Record<string, unknown>;
}

/** The questions that traits answer. */
export function answeredByTraits(view: View, steps: readonly Step[]): Question[] {
  return steps.map(({ ask, state }) => {
    const traits = Object.entries(state).map(([name, value]) => ({ now: view.trait(name), value }));
    return {
      ask: t(ask as MessageKey),
      isAnswered: () => traits.every(({ now, value }) => now.value === value),
      answer() {
        view.set(state);
        view.model.save_changes();
      },
    };
  });
}

/** Ask the questions in a card while it is on the stage. Enter, the arrows and the keys of a presenter's remote go through
 * them. */
export function addQuestions(view: View, root: HTMLElement, questions: readonly Question[]): void {
  const isAsking = signal(false);
  let element: HTMLElement | undefined;
  root.addEventListener(STAGED, () => {
    isAsking.value = isStaged(root);
    if (!isAsking.value) return element?.remove();
    root.firstElementChild!.after((element ??= sequence(view, root, questions, isAsking)));
    element.querySelector<HTMLElement>("input:not([hidden]), .mw-primary")!.focus();
  });
}

/** `isAsking`: false while the card is not on the stage, and where the questions have been put away. */
function sequence(view: View, root: HTMLElement, questions: readonly Question[], isAsking: Signal<boolean>): HTMLElement {
  const at = signal({ step: 0, isShown: false });
  const question = h("p", { class: "mw-stage-question", id: uniqueId("question") });
  const place = h("span", { class: "mw-muted mw-num" });
  const field = h("input", { type: "text", maxlength: LONGEST, autocomplete: "off", placeholder: t("common.stage_prediction"), "aria-label": t("common.stage_prediction"), "aria-describedby": question.id });
  const prediction = h("p", { class: "mw-stage-said", role: "status" });
  const back = button(t("common.stage_back"), () => go(at.value.step - 1));
  const show = button("", () => advance(), { class: "mw-primary" });
  const without = button(t("common.stage_without"), () => {
    isAsking.value = false;
    root.focus(); // this button is gone
  });
  const element = h("div", { class: "mw-stage-sequence" }, h("div", { class: "mw-row" }, place, question), h("div", { class: "mw-row" }, back, field, prediction, show, without));

  function advance(): void {
    const { step, isShown } = at.value;
    if (isShown) return go((step + 1) % questions.length);
    if (field.value.trim() === "") return field.focus();
    at.value = { step, isShown: true };
    show.focus();
    questions[step]!.answer();
  }
  function go(step: number): void {
    field.value = "";
    at.value = { step, isShown: false };
    field.focus();
  }

  view.effect(() => {
    const { step, isShown } = at.value;
    setText(place, `${step + 1} / ${questions.length}`);
    setText(question, questions[step]!.ask);
    set(field, { hidden: isShown });
    set(without, { hidden: isShown });
    set(prediction, { hidden: !isShown });
    setText(prediction, isShown ? t("common.stage_said", { prediction: field.value.trim() }) : "");
    setText(show, t(!isShown ? "common.stage_show" : step + 1 < questions.length ? "common.stage_next" : "common.stage_again"));
    set(back, { hidden: step === 0 });
  });
  view.effect(() => {
    const { step, isShown } = at.value;
    const isOpen = isAsking.value && !isShown;
    set(element, { hidden: !isAsking.value });
    for (const part of [...root.children].slice(1)) if (part !== element) set(part, { inert: isOpen });
    set(root, { "data-asks": isOpen && questions[step]!.isAnswered() });
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // it would press the button that has the focus next
    advance();
  });
  root.addEventListener(TURN, (event) => {
    const { step, isShown } = at.value;
    const isForward = (event as CustomEvent<number>).detail > 0;
    if (!isAsking.value || (isForward ? isShown && step + 1 === questions.length : step === 0)) return;
    event.preventDefault();
    if (isForward) advance();
    else go(step - 1);
  });
  return element;
}
