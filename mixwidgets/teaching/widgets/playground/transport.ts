// Play, one step, restart, undo, and how far the run is.

import { batch, type Signal } from "@preact/signals-core";
import { integer } from "#ui/digits.ts";
import { type Attributes, h, s, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { Page } from "./session.ts";

export interface Transport {
  readonly playing: Signal<boolean>;
  /** The step at which Play pauses. */
  readonly end: Signal<number>;
  readonly canUndo: Signal<boolean>;
  step(): void;
  reset(): void;
  undo(): void;
}

const ICONS = {
  play: "M5 3L16 10L5 17z", pause: "M5 3H8V17H5zM12 3H15V17H12z", step: "M4 3L13 10L4 17zM14 3H16V17H14z",
  reset: "M4 5V9H8M4.6 8.6A6 6 0 1 1 4.5 12", undo: "M7 3L3 7L7 11M3 7H12A4.5 4.5 0 0 1 12 16H7",
};

export function transportPart({ view, session, traits }: Page, { playing, end, canUndo, step, reset, undo }: Transport, playWords: () => string): HTMLElement {
  const play = icon("play", () => batch(() => {
    if (!playing.value && session.chosen.steps >= end.value) end.value = session.chosen.steps + traits.value.steps;
    playing.value = !playing.value;
  }), { class: "mw-play-button" });
  const back = icon("undo", () => canUndo.peek() && undo());
  const count = h("p", { class: "mw-play-count" });

  view.effect(() => {
    set(play.firstElementChild!.firstElementChild!, { d: ICONS[playing.value ? "pause" : "play"] });
    const name = playing.value ? t("play.pause") : playWords();
    set(play, { "aria-label": name, title: name });
  });
  view.effect(() => set(back, { "aria-disabled": !canUndo.value && "true" }));
  view.effect(() => {
    session.look.value;
    set(count, { "data-step": session.chosen.steps }); // for a page that links to this step
    setText(count, t("play.step_of", { step: integer(session.chosen.steps), end: integer(end.value) }));
  });
  return h("div", { class: "mw-row mw-play-transport" }, count, play, icon("step", step), icon("reset", reset), back);
}

function icon(kind: keyof typeof ICONS, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const name = t(`play.${kind}`);
  const element = h("button", { type: "button", "aria-label": name, title: name, ...attributes },
    s("svg", { viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true", class: kind === "reset" || kind === "undo" ? "mw-play-drawn" : "mw-play-icon" }, s("path", { d: ICONS[kind] })));
  element.addEventListener("click", act);
  return element;
}
