// Playground: a small network trains in the page, beside its twin in float32. Everything is computed here; the kernel gets each
// setting when it is chosen, and the history when training pauses.

import type { RenderProps } from "@anywidget/types";
import { batch, signal, type Signal, untracked } from "@preact/signals-core";
import type { Trainer } from "#training/trainer.ts";
import { announcer } from "#ui/announcer.ts";
import { action, button } from "#ui/buttons.ts";
import { card } from "#ui/card.ts";
import { integer } from "#ui/digits.ts";
import { emphasised, h, set, setText } from "#ui/dom.ts";
import { type MessageKey, t } from "#ui/messages.ts";
import { addQuestions, type Question } from "#ui/stage.ts";
import { viewOf } from "#ui/view.ts";
import { menu, networkPart, precisionPart } from "./controls.ts";
import { gradientsPart } from "./gradients.ts";
import { learnedPart } from "./learned.ts";
import { frameLoop, isStill, later } from "./loop.ts";
import { lossesPart } from "./losses.ts";
import { gradientAnswers, type Page, startSession } from "./session.ts";
import { accept, type Choice, choiceOf, refusal, settingsOf, type State, stateValue, stories, TRAITS, usual } from "./state.ts";
import { weightsPart } from "./weights.ts";
import { verdict } from "./words.ts";

const LOOK_MS = 100; // from one drawing to the next while it trains
const LOOK_SHARE = 0.15; // of the time that drawing may take: a large network takes long to draw
const STILL_MS = 1000; // from one drawing to the next for a reader who prefers reduced motion
const SPOKEN_MS = 5000; // from one spoken sentence to the next while it trains
const RATES = [1, 10, 60, 100_000] as const; // steps a second; the last is more than a frame has time for
const RATE = 60;
const STORY_S = 10; // the longest that the stage plays a story

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
  let held: Choice | null = null; // the choice before a slider was moved

  function edit(changes: Partial<Choice>, isHeld = false): void {
    if (!held && Object.keys(changes).length === 0) return;
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
  /** Train with the model's traits, if that is possible. */
  function take(): void {
    const choice = read();
    fault.value = refusal(choice);
    if (fault.value || TRAITS.every((name) => areEqual(choice[name], traits.peek()[name]))) return;
    batch(() => {
      const isStart = ["task", "seed"].some((name) => choice[name as "task"] !== traits.peek()[name as "task"]);
      const isStory = choice.story !== traits.peek().story;
      traits.value = choice;
      session.apply(settingsOf(choice));
      if (isStory && !isStart) session.reset(); // a story begins with step 1
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
  const story = storiesPart(page, () => {
    control.reset();
    control.rate.value = Math.max(RATE, control.end.value / STORY_S);
    control.playing.value = true;
  });
  head.append(story.choice);
  const error = h("p", { class: "mw-error", role: "alert" });
  const callout = h("p", { class: "mw-callout mw-play-verdict" });
  const spoken = announcer(view);
  const chosenName = h("h4");
  const network = (heading: HTMLElement, trainer: Trainer, name: string, frames: number) =>
    h("div", { class: "mw-stack-tight" }, heading, learnedPart(page, trainer, later(view, session.look, frames), name));
  root.append(error, story.text, transportPart(page, control), callout,
    h("div", { class: "mw-play-top" },
      network(h("h4", {}, "float32"), session.reference, "float32", 1), network(chosenName, session.chosen, t("play.chosen"), 2), lossesPart(page)),
    networkPart(page), precisionPart(page), gradientsPart(page), weightsPart(page), spoken.element);

  let lastSpoken = -Infinity;
  view.effect(() => setText(error, fault.value));
  view.effect(() => setText(chosenName, nameOf(traits.value)));
  view.effect(() => {
    session.look.value;
    if (session.isChanged.value && control.playing.value) return; // the next step comes at once
    const words = verdict(session.chosen, session.report.value, session.isChanged.value, answers.value);
    callout.replaceChildren(...emphasised(words));
    if (control.playing.value && performance.now() - lastSpoken < SPOKEN_MS) return;
    lastSpoken = performance.now();
    spoken.say(callout.textContent);
  });

  let [looked, took] = [0, 0]; // when the last drawing ended, and how long it took
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

  const current = TRAITS.map((name) => view.trait(name));
  view.effect(() => {
    current.forEach(({ value }) => value);
    untracked(take);
  });
  view.onAddress(() => session.reset()); // a preset is the state that it names, from step 1
  addQuestions(view, root, story.questions);
  return view.close;
}

const areEqual = (a: unknown, b: unknown): boolean => String(a) === String(b); // layers too

/** The formats of the weights, activations, gradients and of an optimiser's state, unless that is float32; each named once. */
function nameOf({ weight_format, activation_format, gradient_format, optimizer, optimizer_format }: Choice): string {
  const state = optimizer === "sgd" || optimizer_format === "float32" ? weight_format : optimizer_format;
  return [...new Set([weight_format, activation_format, gradient_format, state])].join(" · ");
}

interface Control {
  readonly playing: Signal<boolean>;
  readonly rate: Signal<number>;
  /** The step at which Play pauses. */
  readonly end: Signal<number>;
  readonly canUndo: Signal<boolean>;
  step(): void;
  reset(): void;
  undo(): void;
}

/** Play, one step, restart, undo; how fast it plays, and how far it is. */
function transportPart({ view, session, traits }: Page, { playing, rate, end, canUndo, step, reset, undo }: Control): HTMLElement {
  const play = button("", () => batch(() => {
    if (!playing.value && session.chosen.steps >= end.value) end.value = session.chosen.steps + traits.value.steps;
    playing.value = !playing.value;
  }), { class: "mw-primary mw-play-button" });
  const single = button(t("play.step"), step);
  const restart = button(t("play.reset"), reset);
  const back = action(t("play.undo"), undo);
  const speed = menu<number>(t("play.speed"), RATES, (value) => t(value > 1000 ? "play.rate_most" : "play.rate", { value }), (value) => (rate.value = value));
  const count = h("p", { class: "mw-play-count" });

  view.effect(() => setText(play, t(playing.value ? "play.pause" : "play.play")));
  view.effect(() => speed.show(rate.value));
  view.effect(() => back.allow(canUndo.value ? "" : t("play.no_undo")));
  view.effect(() => {
    session.look.value;
    setText(count, t("play.step_of", { step: integer(session.chosen.steps), end: integer(end.value) }));
  });
  set(speed.element, { class: "mw-play-field mw-play-speed" });
  return h("div", { class: "mw-row mw-play-transport" }, play, single, restart, back.element, speed.element, count);
}

/** The menu of stories, what to watch in the chosen one, and a question for the stage about each. `play`: train from the start. */
function storiesPart({ view, traits, edit }: Page, play: () => void): { choice: HTMLElement; text: HTMLElement; questions: Question[] } {
  const names = ["", ...Object.keys(stories)];
  const choose = (story: string) => edit({ ...usual, ...stories[story], story });
  const title = (name: string) => t((name ? `play.story_${name}` : "play.no_story") as MessageKey);
  const choice = menu<string>(t("play.story"), names, title, choose);
  const [watch, then] = [h("p"), h("p")];
  const text = h("div", { class: "mw-play-watch" }, watch, then);
  choice.element.hidden = names.length === 1;
  view.effect(() => {
    const { story } = traits.value;
    choice.show(story);
    text.hidden = story === "";
    if (story === "") return;
    setText(watch, t(`play.watch_${story}` as MessageKey));
    setText(then, t(`play.try_${story}` as MessageKey));
  });
  const questions = Object.keys(stories).map((story) => ({
    ask: t(`play.ask_${story}` as MessageKey),
    isAnswered: () => true, // whatever is shown may be this story, and is hidden until there is a prediction
    answer() {
      choose(story);
      play();
    },
  }));
  return { choice: choice.element, text, questions };
}

export default { render, accept, stateValue };
