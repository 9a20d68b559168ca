// Playground: a small network trains in the page, beside its twin in float32. All is computed here; the kernel hears of a
// setting when it is chosen, and of the history when the hand rests.

import type { RenderProps } from "@anywidget/types";
import { batch, computed, signal, untracked } from "@preact/signals-core";
import { announcer } from "#ui/announcer.ts";
import { card } from "#ui/card.ts";
import { emphasised, h, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { percent } from "#ui/run_words.ts";
import { addQuestions } from "#ui/stage.ts";
import { viewOf } from "#ui/view.ts";
import type { Trainer } from "#training/trainer.ts";
import { plane } from "./decisions.ts";
import { digits } from "./digits.ts";
import { gradientAnswers } from "./gradient_answers.ts";
import { gradientsPart } from "./gradients.ts";
import { frameLoop, isStill, later } from "./loop.ts";
import { lossesPart } from "./losses.ts";
import { networkPart } from "./network.ts";
import type { Page } from "./parts.ts";
import { precisionPart } from "./precision.ts";
import { startSession } from "./session.ts";
import { accept, type Choice, choiceOf, refusal, settingsOf, type State, stateValue, TRAITS, usual } from "./state.ts";
import { storiesPart } from "./told.ts";
import { type Control, transportPart } from "./transport.ts";
import { verdict } from "./verdict.ts";
import { weightsPart } from "./weights.ts";

const LOOK_MS = 100; // from one drawing to the next while it trains
const LOOK_SHARE = 0.15; // of the time, at most: a large network takes long to draw
const STILL_MS = 1000; // where motion is unwelcome
const SPOKEN_MS = 5000; // from one spoken sentence to the next while it trains
const RATE = 60; // steps a second
const TOLD_S = 10; // the longest that the stage plays a story

function render({ model, el }: RenderProps<State>): () => void {
  const view = viewOf(model);
  const read = () => choiceOf((name) => model.get(name));
  const bytes = model.get("_digits");
  const rows = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = refusal(read()) ? usual : read();
  const session = startSession(settingsOf(first), rows);
  const traits = signal<Choice>(first);
  const fault = signal("");
  const past: (() => boolean)[] = [];
  const answers = gradientAnswers(session);
  let held: Choice | null = null; // before a slider was taken

  function edit(changes: Partial<Choice>, isHeld = false): void {
    held ??= traits.peek();
    view.set(changes);
    if (isHeld) return;
    const before = held;
    held = null;
    record(() => {
      view.set(before);
      model.save_changes();
      return true;
    });
    model.save_changes();
  }
  function record(takeBack: () => boolean): void {
    past.push(takeBack);
    control.canUndo.value = true;
  }
  /** What the model has now, if it can be trained with. */
  function take(): void {
    const choice = read();
    fault.value = refusal(choice);
    if (fault.value || TRAITS.every((name) => same(choice[name], traits.peek()[name]))) return;
    batch(() => {
      const isStart = ["task", "seed"].some((name) => choice[name as "task"] !== traits.peek()[name as "task"]);
      const isStory = choice.story !== traits.peek().story;
      traits.value = choice;
      session.apply(settingsOf(choice));
      if (isStory && !isStart) session.reset(); // a story is told from its start
      if (session.chosen.steps === 0 || control.end.value !== choice.steps) control.end.value = Math.max(choice.steps, session.chosen.steps);
    });
  }

  const still = isStill();
  const control: Control = {
    playing: signal(!still), rate: signal(RATE), end: signal(first.steps), canUndo: signal(false),
    step() {
      control.playing.value = false;
      session.step();
      rest();
    },
    reset() {
      session.reset();
      control.end.value = traits.peek().steps;
      rest();
    },
    undo() {
      while (past.length > 0 && !past.pop()!());
      control.canUndo.value = past.length > 0;
    },
  };
  function rest(): void {
    session.show();
    model.set("_history", session.history.toFrame());
    model.save_changes();
  }

  const page: Page = { view, session, traits, edit, record, answers };
  const { root, head } = card(view, el, "mw-play", t("play.title"));
  const told = storiesPart(page, () => {
    control.reset();
    control.rate.value = Math.max(RATE, control.end.value / TOLD_S);
    control.playing.value = true;
  });
  head.append(told.choice);
  const error = h("p", { class: "mw-error", role: "alert" });
  const callout = h("p", { class: "mw-callout mw-play-verdict" });
  const spoken = announcer(view);
  const chosenName = h("h4");
  const network = (name: HTMLElement, trainer: Trainer, label: string, frames: number) => {
    const look = later(view, session.look, frames);
    const accuracy = computed(() => (look.value, percent(trainer.evaluate(trainer.data.test).accuracy)));
    const figure = h("p", { class: "mw-play-accuracy" });
    const [onPlane, onDigits] = [plane(page, trainer, look, accuracy, label), digits(page, trainer, look)];
    view.effect(() => {
      setText(figure, t("play.accuracy", { share: accuracy.value }));
      onDigits.hidden = session.settings.value.task !== "digits";
      onPlane.hidden = !onDigits.hidden;
    });
    return h("div", { class: "mw-stack-tight" }, name, h("div", { class: "mw-play-network" }, onPlane, onDigits, figure));
  };
  root.append(error, told.text, transportPart(page, control), callout,
    h("div", { class: "mw-play-top" },
      network(h("h4", {}, "float32"), session.reference, "float32", 1), network(chosenName, session.chosen, t("play.chosen"), 2), lossesPart(page)),
    networkPart(page), precisionPart(page), gradientsPart(page), weightsPart(page), spoken.element);

  let lastSpoken = -Infinity;
  view.effect(() => setText(error, fault.value));
  view.effect(() => setText(chosenName, nameOf(traits.value)));
  view.effect(() => {
    session.look.value;
    if (session.isChanged.value && control.playing.value) return; // the next step is near
    const words = verdict(session.chosen, session.report.value, session.isChanged.value, answers.value);
    callout.replaceChildren(...emphasised(words));
    if (control.playing.value && performance.now() - lastSpoken < SPOKEN_MS) return;
    lastSpoken = performance.now();
    spoken.say(callout.textContent);
  });

  let [looked, took] = [0, 0];
  frameLoop(view, root, control.playing, control.rate, () => {
    session.step();
    if (session.chosen.steps >= control.end.peek()) control.playing.value = false;
  }, () => {
    const from = performance.now();
    if (from - looked < Math.max(still ? STILL_MS : LOOK_MS, took / LOOK_SHARE)) return;
    session.show();
    looked = performance.now();
    took = looked - from;
  });
  view.onChange(control.playing, (isPlaying) => {
    if (!isPlaying) rest();
  });

  const given = TRAITS.map((name) => view.trait(name));
  view.effect(() => {
    given.forEach(({ value }) => value);
    untracked(take);
  });
  addQuestions(view, root, told.questions);
  return view.close;
}

const same = (one: unknown, other: unknown): boolean => String(one) === String(other);

/** The formats of weights, activations and gradients, and of an optimiser's state that is not float32: one name where they are alike. */
function nameOf({ weight_format, activation_format, gradient_format, optimizer, optimizer_format }: Choice): string {
  const state = optimizer === "sgd" || optimizer_format === "float32" ? weight_format : optimizer_format;
  return [...new Set([weight_format, activation_format, gradient_format, state])].join(" · ");
}

export default { render, accept, stateValue };
