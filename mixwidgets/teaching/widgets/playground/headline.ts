// The headline, in a box of fixed height: a question, or the sentence about the run; and beside it the one thing to press.

import { type ReadonlySignal } from "@preact/signals-core";
import { announcer } from "#ui/announcer.ts";
import { button } from "#ui/buttons.ts";
import { emphasised, h, set, setText } from "#ui/dom.ts";
import { type MessageKey, type Piece, sentences, t } from "#ui/messages.ts";
import type { Page } from "./session.ts";
import { NAMES, type Story } from "./story.ts";
import { verdict, type Verdict } from "./verdict.ts";

const HELD_MS = 1000; // that a sentence stays while it trains
const SPOKEN_MS = 5000; // from one spoken sentence to the next

const storyName = (story: string): string => t(`play.story_${story}` as MessageKey);
/** For the menu: "story 2 of 6: …", or what "" means. */
export const storyTitle = (story: string): string =>
  story ? t("play.story_of", { number: NAMES.indexOf(story) + 1, all: NAMES.length, name: storyName(story) }) : t("play.no_story");
const guessText = (story: string, which: number): string => t(`play.guess_${story}_${which}` as MessageKey);

export function headlinePart(page: Page, story: Story, playing: ReadonlySignal<boolean>): HTMLElement {
  const { view, session, answers } = page;
  const words = h("p", { class: "mw-play-verdict" });
  const more = h("p", { class: "mw-play-more" });
  const spoken = announcer(view);
  const plain = (key: MessageKey, finer: MessageKey): Verdict => ({ tone: "plain", headline: [{ text: t(key), strong: false }], more: t(finer) });

  function now(): Verdict {
    const act = story.act.value;
    if (act && story.phase.value !== "told") return plain((act.isSecond ? `play.then_${act.story}` : `play.ask_${act.story}`) as MessageKey, "play.alike");
    const report = session.report.value;
    if (!report) return plain("play.start", "play.alike");
    if (session.isChanged.value) return plain("play.changed", "play.alike");
    const plane = session.ofChosen.plane.value;
    const found = verdict({
      chosen: session.chosen, report, answers: answers.value, diverged: session.diverged(),
      results: { reference: session.ofReference.result.value, chosen: session.ofChosen.result.value },
      distinct: plane && plane.decisions.length === 1600 ? new Set(plane.decisions).size : NaN,
    });
    if (!act || story.guess.value === null) return found;
    return { ...found, more: sentences([t("play.guessed", { guess: guessText(act.story, story.guess.value) }), found.more]) };
  }

  let [held, said] = [-Infinity, -Infinity];
  view.effect(() => {
    session.look.value;
    const isRunning = playing.value && story.phase.value === "free";
    if (isRunning && (session.isChanged.value || performance.now() - held < HELD_MS)) return; // the next step comes at once
    const { tone, headline, more: finer } = now();
    held = performance.now();
    words.replaceChildren(...emphasised(headline as Piece[]));
    set(words, { class: `mw-play-verdict mw-play-${tone}` });
    setText(more, finer);
    if (playing.value && performance.now() - said < SPOKEN_MS) return;
    said = performance.now();
    spoken.say(words.textContent!);
  });
  const box = h("div", { class: "mw-play-headline" }, h("div", { class: "mw-play-words" }, words, more), buttonsPart(page, story), spoken.element);
  view.effect(() => void box.classList.toggle("mw-alone", !page.traits.value.story));
  return box;
}

/** The guesses; what was guessed; the second act; the next story. */
function buttonsPart({ view }: Page, story: Story): HTMLElement {
  const guesses = [0, 1].map((which) => button("", () => story.take(which), { class: "mw-play-guess" }));
  const guessed = h("strong");
  const onward = button("", () => forward(story), { class: "mw-primary mw-play-onward" });
  const freely = button(t("play.freely"), () => story.choose(""), { class: "mw-play-freely" });
  const aside = h("div", { class: "mw-play-aside" }, ...guesses, guessed, onward, freely);
  view.effect(() => {
    const [act, phase, guess] = [story.act.value, story.phase.value, story.guess.value];
    const hadFocus = aside.matches(":focus-within");
    const isGuessed = phase === "playing" && guess !== null && !act!.isSecond;
    const next = nextOf(story);
    guesses.forEach((one, which) => {
      one.hidden = phase !== "asking";
      if (act) setText(one, guessText(act.story, which));
    });
    guessed.hidden = !isGuessed;
    if (isGuessed) setText(guessed, t("play.guessed", { guess: guessText(act!.story, guess) }));
    onward.hidden = phase !== "told" || next === null;
    setText(onward, next ?? "");
    freely.hidden = phase !== "told" || !act!.isSecond;
    if (hadFocus) (aside.querySelector<HTMLElement>("button:not([hidden])") ?? aside.closest<HTMLElement>(".mw"))?.focus(); // the pressed one is gone
  });
  return aside;
}

/** What comes after the present act, in words; null if nothing does. */
function nextOf({ act }: Story): string | null {
  if (!act.value) return null;
  const { story, isSecond } = act.value;
  if (!isSecond) return `${t(`play.then_${story}` as MessageKey)} ▸`;
  const next = NAMES[NAMES.indexOf(story) + 1];
  return next === undefined ? null : t("play.next", { name: storyName(next) });
}

/** The second act, or the next story. Returns whether there was one. */
export function forward(story: Story): boolean {
  const act = story.act.peek();
  const next = act && NAMES[NAMES.indexOf(act.story) + 1];
  if (!act || (act.isSecond && !next)) return false;
  if (act.isSecond) story.choose(next!);
  else story.second();
  return true;
}
