// The questions of a widget's stage: the room's prediction is written down before the widget shows the answer. Until then
// nothing in the widget can be touched, and it is hidden where it shows the answer already.

import { signal, type Signal } from "@preact/signals-core";
import { button } from "./buttons.ts";
import { h, set, setText, uniqueId } from "./dom.ts";
import { t, type MessageKey } from "./messages.ts";
import { isStaged, STAGED, TURN } from "./stage.ts";
import type { View } from "./view.ts";

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

const LONGEST = 60; // characters of a prediction

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
  const said = h("p", { class: "mw-stage-said", role: "status" });
  const back = button(t("common.stage_back"), () => go(at.value.step - 1));
  const show = button("", () => advance(), { class: "mw-primary" });
  const without = button(t("common.stage_without"), () => {
    isAsking.value = false;
    root.focus(); // this button is gone
  });
  const element = h("div", { class: "mw-stage-sequence" }, h("div", { class: "mw-row" }, place, question), h("div", { class: "mw-row" }, back, field, said, show, without));

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
    set(said, { hidden: !isShown });
    setText(said, isShown ? t("common.stage_said", { prediction: field.value.trim() }) : "");
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
