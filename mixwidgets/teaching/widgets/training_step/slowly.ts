// Play slowly: the value goes from station to station, and then the step is taken. Where motion is unwelcome nothing moves: each
// station is marked in its turn.

import { signal, type ReadonlySignal } from "@preact/signals-core";
import { button } from "#ui/buttons.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { isStill, type View } from "#ui/view.ts";
import { STATIONS, type OneWeight } from "./one.ts";

const STATION_MS = 1500; // that the value stays at a station

interface Loop {
  readonly element: HTMLElement;
  /** In the order of STATIONS. */
  readonly cards: readonly HTMLElement[];
}

export function slowly(view: View, { element, cards }: Loop, one: ReadonlySignal<OneWeight>, step: () => void, isLast: () => boolean): { button: HTMLElement } {
  const at = signal(-1); // the station; −1: not playing
  const still = isStill();
  const bubble = h("span", { class: "mw-step-bubble", "aria-hidden": "true", hidden: true });
  element.append(bubble);
  const play = button("", () => (at.value = at.value < 0 ? 0 : -1));
  let timer: ReturnType<typeof setTimeout> | undefined;
  view.onClose(() => clearTimeout(timer));

  function onward(): void {
    if (at.peek() + 1 < cards.length) at.value += 1;
    else if (isLast()) at.value = -1;
    else {
      step();
      at.value = 0;
    }
  }
  view.effect(() => {
    clearTimeout(timer);
    const isPlaying = at.value >= 0;
    setText(play, t(isPlaying ? "step.ui.pause" : "step.ui.play"));
    cards.forEach((card, i) => set(card, { "data-here": i === at.value }));
    bubble.hidden = !isPlaying || still;
    if (!isPlaying) return;
    timer = setTimeout(onward, STATION_MS);
  });
  view.effect(() => {
    if (at.value < 0 || still) return;
    setText(bubble, one.value.shown[STATIONS[at.value]!].figure);
    const card = cards[at.value]!;
    bubble.style.transform = `translate(${card.offsetLeft + card.offsetWidth / 2}px, ${card.offsetTop}px) translate(-50%, -50%)`;
  });
  return { button: play };
}
