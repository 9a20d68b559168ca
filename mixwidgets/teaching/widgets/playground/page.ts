// Playground: a small network trains in the page, beside its twin in float32. Everything is computed here; the kernel gets each
// setting when it is chosen, and the history when training pauses.

import type { RenderProps } from "@anywidget/types";
import { batch, computed, signal, untracked } from "@preact/signals-core";
import { card } from "#ui/card.ts";
import { h, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { STAGED, TURN } from "#ui/stage.ts";
import { isStill, viewOf } from "#ui/view.ts";
import { menu } from "#ui/menus.ts";
import { controlsPart } from "./controls.ts";
import { gradientsPart } from "./gradients.ts";
import { forward, headlinePart, storyTitle } from "./headline.ts";
import { learnedPart, legendPart } from "./learned.ts";
import { frameLoop, later } from "./loop.ts";
import { lossesPart } from "./losses.ts";
import { gradientAnswers, type Page, startSession } from "./session.ts";
import { stateValue } from "../settings.ts";
import { accept, type Choice, choiceOf, refusal, settingsOf, type State, TRAITS, usual } from "./state.ts";
import { NAMES, storyOf } from "./story.ts";
import { type Transport, transportPart } from "./transport.ts";
import { nameOf } from "./verdict.ts";
import { weightsPart } from "./weights.ts";

const LOOK_MS = 100; // from one drawing to the next while it trains
const LOOK_SHARE = 0.15; // of the time that drawing may take: a large network takes long to draw
const STILL_MS = 1000; // from one drawing to the next for a reader who prefers reduced motion

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
  let held: Choice | null = null; // the choice before a grip was moved

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
    transport.canUndo.value = true;
  }
  /** Train with the model's traits, if that is possible. */
  function take(): void {
    const choice = read();
    fault.value = refusal(choice);
    const changed = TRAITS.filter((name) => String(choice[name]) !== String(traits.peek()[name])); // layers too
    if (fault.value || changed.length === 0) return;
    batch(() => {
      traits.value = choice;
      if (changed.some((name) => name !== "story" && name !== "steps")) session.apply(settingsOf(choice));
      if (choice.story && changed.includes("story")) begin();
      if (session.chosen.steps === 0 || transport.end.value !== choice.steps) transport.end.value = Math.max(choice.steps, session.chosen.steps);
    });
  }
  /** Start the run of the present settings anew. */
  function begin(): void {
    story.forget();
    session.reset();
    transport.end.value = traits.peek().steps;
  }

  const still = isStill();
  const transport: Transport = {
    playing: signal(false), end: signal(first.steps), canUndo: signal(false),
    step() {
      transport.playing.value = false;
      session.step();
      rest();
    },
    reset() {
      begin();
      rest();
    },
    undo() {
      while (past.length > 0 && !past.pop()!());
      transport.canUndo.value = past.length > 0;
    },
  };
  function rest(): void {
    session.show();
    model.set("_history", session.history.toFrame());
    model.save_changes();
  }

  const page: Page = { view, session, traits, edit, record, answers, rate: signal(60) };
  const story = storyOf(page, transport);
  transport.playing.value = !still && story.act.peek() === null; // a story plays when its guess is pressed
  const { root, head } = card(view, el, "mw-play", t("play.title"));
  const stories = menu<string>(t("play.story"), ["", ...NAMES], storyTitle, story.choose);
  view.effect(() => stories.show(story.act.value?.story ?? ""));
  head.append(stories.element, transportPart(page, transport, () => t(story.phase.value === "asking" ? "play.play_without" : "play.play")));
  const error = h("p", { class: "mw-error", role: "alert" });
  const name = computed(() => nameOf(session.settings.value));
  const [plain, chosen] = [session.ofReference, session.ofChosen].map((learner, i) =>
    learnedPart(page, learner, later(view, session.look, i + 1), i ? "chosen" : "reference", i ? name : signal("float32")));
  const pictures = h("div", { class: "mw-play-top" }, plain, chosen, lossesPart(page, story, transport.end, name), legendPart(page));
  root.append(error, headlinePart(page, story, transport.playing), pictures, gradientsPart(page), controlsPart(page), weightsPart(page));

  view.effect(() => setText(error, fault.value));
  view.effect(() => void root.toggleAttribute("data-asking", story.phase.value === "asking"));

  let [looked, took] = [0, 0]; // when the last drawing ended, and how long it took
  frameLoop(view, root, pictures, transport.playing, page.rate, () => {
    session.step();
    if (session.chosen.steps >= transport.end.peek()) transport.playing.value = false;
  }, () => {
    const from = performance.now();
    if (from - looked < Math.max(still ? STILL_MS : LOOK_MS, took / LOOK_SHARE)) return;
    session.show();
    looked = performance.now();
    took = looked - from;
  });
  view.onChange(transport.playing, (isPlaying) => {
    if (!isPlaying) rest();
  });

  const current = TRAITS.map((trait) => view.trait(trait));
  view.effect(() => {
    current.forEach(({ value }) => value);
    untracked(take);
  });
  view.onAddress(begin); // a preset is the state that it names, from step 1
  root.addEventListener(STAGED, () => root.querySelector<HTMLElement>("[data-stage] .mw-play-aside > :not([hidden])")?.focus());
  root.addEventListener(TURN, (event) => {
    if ((event as CustomEvent<number>).detail < 0 ? back() : onward()) event.preventDefault();
  });
  /** The keys of a presenter: to the first story, on from its question without a guess, to the second act, to the next story. */
  function onward(): boolean {
    const phase = story.phase.peek();
    if (phase === "told") return forward(story);
    if (phase === "free") story.choose(NAMES[0]!);
    else story.play();
    return true;
  }
  function back(): boolean {
    const act = story.act.peek();
    const before = NAMES.indexOf(act?.story ?? "") - Number(story.phase.peek() === "asking");
    if (before < 0) return false;
    story.choose(NAMES[before]!);
    return true;
  }
  return view.close;
}

export default { render, accept, stateValue };
