// The questions that a widget asks on the stage. Each stands alone until the room's prediction is written down, or the
// presenter goes on without one; then the widget shows the answer.

import { signal, type Signal } from "@preact/signals-core";
import { button } from "#ui/buttons.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { t, type MessageKey } from "#ui/messages.ts";
import { isStaged, STAGED, TURN } from "#ui/stage.ts";
import type { View } from "#ui/view.ts";

const LONGEST = 60; // characters of a prediction

export interface Question {
  readonly ask: string;
  /** Have the widget show the answer. */
  answer(): void;
}

/** A question, and the traits with which the widget answers it: an entry of a widget's stage.json. */
interface Step {
  readonly ask: string;
  readonly state: Record<string, unknown>;
}

/** The questions that traits answer. */
export function answeredByTraits(view: View, steps: readonly Step[]): Question[] {
  return steps.map(({ ask, state }) => ({
    ask: t(ask as MessageKey),
    answer() {
      view.set(state);
      view.model.save_changes();
    },
  }));
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
  const wrong = h("span", { class: "mw-error", id: uniqueId("error"), role: "alert" });
  const field = h("input", { type: "text", maxlength: LONGEST, autocomplete: "off", placeholder: t("stage.prediction"), "aria-label": t("stage.prediction"), "aria-describedby": `${question.id} ${wrong.id}` });
  const entry = h("span", { class: "mw-entry" }, field, wrong);
  const prediction = h("p", { class: "mw-stage-said", role: "status" });
  const back = button(t("stage.back"), () => go(at.value.step - 1));
  const show = button("", () => advance(false), { class: "mw-primary" });
  const without = button(t("stage.without"), () => end());
  const element = h("div", { class: "mw-stage-sequence" }, h("div", { class: "mw-row" }, place, question), h("div", { class: "mw-row" }, back, entry, prediction, show, without));

  /** `isLed`: by a presenter's keys, which wait for no prediction. */
  function advance(isLed: boolean): void {
    const { step, isShown } = at.value;
    if (isShown) return step + 1 < questions.length ? go(step + 1) : end();
    if (!isLed && field.value.trim() === "") {
      setText(wrong, t("stage.waits"));
      return field.focus();
    }
    at.value = { step, isShown: true };
    show.focus();
    questions[step]!.answer();
  }
  function go(step: number): void {
    field.value = "";
    at.value = { step, isShown: false };
    field.focus();
  }
  function end(): void {
    isAsking.value = false;
    go(0); // where they begin when the card comes to the stage again
    root.focus(); // the button that was pressed is gone
  }

  view.effect(() => {
    const { step, isShown } = at.value;
    setText(place, `${step + 1} / ${questions.length}`);
    setText(question, questions[step]!.ask);
    setText(wrong, "");
    set(entry, { hidden: isShown });
    set(without, { hidden: isShown });
    set(prediction, { hidden: !isShown });
    setText(prediction, isShown && field.value.trim() ? t("stage.said", { prediction: field.value.trim() }) : "");
    setText(show, t(!isShown ? "stage.show" : step + 1 < questions.length ? "stage.next" : "stage.end"));
    set(back, { hidden: step === 0 });
  });
  view.effect(() => {
    set(element, { hidden: !isAsking.value });
    set(root, { "data-asks": isAsking.value && !at.value.isShown });
  });
  field.addEventListener("input", () => setText(wrong, ""));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // it would press the button that has the focus next
    advance(false);
  });
  root.addEventListener(TURN, (event) => {
    const { step, isShown } = at.value;
    const isForward = (event as CustomEvent<number>).detail > 0;
    if (!isAsking.value || (isForward ? isShown && step + 1 === questions.length : step === 0)) return;
    event.preventDefault();
    if (isForward) advance(true);
    else go(step - 1);
  });
  return element;
}
