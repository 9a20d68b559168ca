// The questions of a widget's stage: the room's prediction is written down before the widget shows the answer.

import { signal } from "@preact/signals-core";
import { button } from "./buttons.ts";
import { h, set, setText, uniqueId } from "./dom.ts";
import { t, type MessageKey } from "./messages.ts";
import { isStaged } from "./stage.ts";
import type { View } from "./view.ts";

/** A question, and the traits with which the widget answers it. */
export interface Step {
  readonly ask: MessageKey;
  readonly state: Record<string, unknown>;
}

const LONGEST = 60; // characters of a prediction

/** Put the questions into a card: shown on its stage alone. Enter and the keys of a presenter's remote go through them. */
export function addSequence(view: View<any>, root: HTMLElement, steps: readonly Step[]): void {
  const at = signal({ step: 0, isShown: false });
  const question = h("p", { class: "mw-stage-question", id: uniqueId("question") });
  const place = h("span", { class: "mw-muted mw-num" });
  const field = h("input", { type: "text", maxlength: LONGEST, autocomplete: "off", placeholder: t("common.stage_prediction"), "aria-label": t("common.stage_prediction"), "aria-describedby": question.id });
  const said = h("p", { class: "mw-stage-said", role: "status" });
  const back = button(t("common.stage_back"), () => go(at.value.step - 1));
  const show = button("", () => advance(), { class: "mw-primary" });
  const element = h("div", { class: "mw-stage-sequence" }, h("div", { class: "mw-row" }, place, question), h("div", { class: "mw-row" }, back, field, said, show));

  function advance(): void {
    if (at.value.isShown) return go((at.value.step + 1) % steps.length);
    if (field.value.trim() === "") return field.focus();
    at.value = { ...at.value, isShown: true };
    show.focus();
    view.set(steps[at.value.step]!.state);
    view.model.save_changes();
  }
  function go(step: number): void {
    if (step < 0) return;
    field.value = "";
    at.value = { step, isShown: false };
    field.focus();
  }

  view.effect(() => {
    const { step, isShown } = at.value;
    setText(place, `${step + 1} / ${steps.length}`);
    setText(question, t(steps[step]!.ask));
    set(field, { hidden: isShown });
    set(said, { hidden: !isShown });
    setText(said, isShown ? t("common.stage_said", { prediction: field.value.trim() }) : "");
    setText(show, t(!isShown ? "common.stage_show" : step + 1 < steps.length ? "common.stage_next" : "common.stage_again"));
    set(back, { hidden: step === 0 });
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // it would press the button that has the focus next
    advance();
  });
  root.addEventListener("keydown", (event) => {
    const act = { PageDown: advance, PageUp: () => go(at.value.step - 1) }[event.key];
    if (!act || !isStaged(root)) return;
    event.preventDefault();
    act();
  });
  root.firstElementChild!.after(element);
}
