// Play, pause, one step, from the start; how fast; undo.

import { batch, type Signal } from "@preact/signals-core";
import { action, button } from "#ui/buttons.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { integer } from "#ui/digits.ts";
import { menu } from "./fields.ts";
import type { Page } from "./parts.ts";

/** Steps a second; the last is more than a frame has time for. */
const RATES = [1, 10, 60, 100_000] as const;

export interface Control {
  readonly playing: Signal<boolean>;
  readonly rate: Signal<number>;
  /** The step at which Play pauses. */
  readonly end: Signal<number>;
  /** What undo would take back; false for nothing. */
  readonly canUndo: Signal<boolean>;
  step(): void;
  reset(): void;
  undo(): void;
}

export function transportPart({ view, session, traits }: Page, { playing, rate, end, canUndo, step, reset, undo }: Control): HTMLElement {
  const play = button("", () => batch(() => {
    if (!playing.value && session.chosen.steps >= end.value) end.value = session.chosen.steps + traits.value.steps;
    playing.value = !playing.value;
  }), { class: "mw-primary mw-play-button" });
  const one = button(t("play.step"), step);
  const again = button(t("play.reset"), reset);
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
  return h("div", { class: "mw-row mw-play-transport" }, play, one, again, back.element, speed.element, count);
}
