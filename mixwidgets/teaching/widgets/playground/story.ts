// Stories, which are played: a question with two guesses, its run, a verdict beside the guess, and a second act that changes
// one thing. Which act is on follows from the settings alone, so that nothing is told that they do not show. No DOM.

import { computed, signal } from "@preact/signals-core";
import type { Page } from "./session.ts";
import { acts, type Choice, stories, TRAITS, usual } from "./state.ts";
import type { Transport } from "./transport.ts";

const LONGEST = 10; // seconds that a story plays
export const NAMES = Object.keys(stories);

export interface Act {
  readonly story: string;
  readonly isSecond: boolean;
}

/** "free": no story; "asking": before the guess; "playing": until its last step; "told": from there on. */
export type Phase = "free" | "asking" | "playing" | "told";

/** All settings of an act. */
export const settingsOfAct = ({ story, isSecond }: Act): Choice => ({ ...usual, ...stories[story], ...(isSecond && acts[story]), story });

/** The act that has these settings, whatever the seed; null for others. */
export function actOf(choice: Choice): Act | null {
  if (!NAMES.includes(choice.story)) return null;
  const found = [false, true].map((isSecond) => ({ story: choice.story, isSecond })).find((act) => {
    const wanted = settingsOfAct(act);
    return TRAITS.every((name) => name === "seed" || String(wanted[name]) === String(choice[name]));
  });
  return found ?? null;
}

export type Story = ReturnType<typeof storyOf>;

export function storyOf({ session, traits, edit, rate }: Page, transport: Transport) {
  const act = computed(() => actOf(traits.value));
  /** 0 or 1; null for none. */
  const guess = signal<number | null>(null);
  const phase = computed((): Phase => {
    session.look.value;
    const { steps } = session.chosen;
    if (!act.value) return "free";
    if (steps >= traits.value.steps) return "told";
    return act.value.isSecond || steps > 0 || guess.value !== null || transport.playing.value ? "playing" : "asking";
  });
  const play = (): void => {
    rate.value = Math.max(rate.value, traits.peek().steps / LONGEST);
    transport.playing.value = true;
  };
  const open = (wanted: Act): void => {
    if (!wanted.isSecond) guess.value = null;
    transport.playing.value = false;
    edit({ ...settingsOfAct(wanted), seed: wanted.isSecond ? traits.peek().seed : usual.seed });
    transport.reset();
  };
  return {
    act, guess, phase, play,
    /** Open a story at its question; "" leaves the settings as they are, without one. */
    choose: (story: string) => (story === "" ? edit({ story }) : open({ story, isSecond: false })),
    /** Take a guess, and play. */
    take(which: number) {
      guess.value = which;
      play();
    },
    /** Play the second act. */
    second() {
      open({ ...act.peek()!, isSecond: true });
      play();
    },
    /** Forget the guess, since the run begins anew. */
    forget: () => (guess.value = null),
  };
}
