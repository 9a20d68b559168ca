// Interaction with the histogram's bars: point at a binade, or use the arrow keys, to read its counts; choose one; and, if
// the scale can be changed, drag the bars along the ruler, or move them by Shift and the arrow keys.

import { computed, signal } from "@preact/signals-core";
import { clamp } from "#core/range.ts";
import { announcer } from "#ui/announcer.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { draggable, pointIn } from "#ui/pointer.ts";
import { FLOOR, HEAD, type Histogram, type Ruled, SIDE } from "./histogram.ts";
import { cellWords } from "./words.ts";

const CLICK = 4; // pixels that the pointer may move in a click

/** `pick` gets the exponent of a gradient before scaling. */
export function binades({ view, answers, scale, hand }: Ruled, plot: Histogram, pick: (exponent: number) => void): { surface: HTMLElement; said: HTMLElement } {
  const ring = s("rect", { class: "mw-binades-ring", y: HEAD, height: FLOOR - HEAD, visibility: "hidden" });
  plot.element.append(ring);
  const surface = h("div", {
    class: hand ? "mw-binades mw-binades-held" : "mw-binades", role: "group", tabindex: 0,
    "aria-label": t(hand ? "ruler.binades_held" : "ruler.binades"),
  }, plot.element);
  const spoken = announcer(view); // only after keys, because the texts also change while a network trains
  surface.append(spoken.element);
  const said = h("p", { class: "mw-note mw-binades-said" }, t(hand ? "ruler.bits_hint_held" : "ruler.bits_hint"));
  const pointed = signal(-1); // the marked binade, counted from the first drawn one; -1: none
  const column = computed(() => Math.min(pointed.value, plot.frame.value.bins - 1));

  surface.addEventListener("keydown", (event) => {
    if (hasModifier(event)) return;
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (step !== undefined && event.shiftKey && hand) {
      hand.move(scale.value + step);
      hand.commit();
    } else if (step !== undefined) point((column.value < 0 ? plot.frame.value.bins >> 1 : column.value) + step);
    else if (event.key === "Enter" || event.key === " ") pickPointed();
    else return;
    event.preventDefault();
    spoken.say(said.textContent!);
  });
  let [isHeld, wasDrag] = [false, false];
  surface.addEventListener("pointermove", (event) => isHeld || point(binadeAt(placeOf(event))));
  if (hand) draggable(surface, (down) => {
    const [from, fromScale] = [placeOf(down), scale.value];
    [isHeld, wasDrag] = [true, false];
    return {
      /** The dragged bar stays under the pointer. */
      move(event) {
        const at = placeOf(event); // before anything is drawn, which would have to be laid out first
        point(binadeAt(at));
        wasDrag ||= Math.abs(at - from) >= CLICK;
        const { x, low } = plot.frame.value;
        if (wasDrag) hand.move(fromScale + Math.round((at - from) / (x(low + 1) - x(low))));
      },
      back: () => wasDrag && hand.move(fromScale),
    };
  }, () => {
    isHeld = false;
    if (wasDrag) hand.commit();
  });
  surface.addEventListener("click", (event) => {
    if (wasDrag && event.detail > 0) return; // a drag ends with a click
    point(binadeAt(placeOf(event)));
    pickPointed();
  });

  function placeOf(event: MouseEvent): number {
    return pointIn(plot.element, event).x;
  }

  /** The binade at a pixel, counted from the first drawn one. */
  function binadeAt(at: number): number {
    const { x, low } = plot.frame.value;
    return Math.floor(x.invert(at - SIDE)) - low;
  }

  function point(to: number): void {
    pointed.value = clamp(to, 0, plot.frame.value.bins - 1);
  }

  function pickPointed(): void {
    if (column.value >= 0) pick(plot.frame.value.low + column.value - scale.value);
  }

  view.effect(() => {
    if (column.value < 0) return;
    const { x, low } = plot.frame.value;
    set(ring, { x: x(low + column.value), width: x(low + 1) - x(low), visibility: "visible" });
    setText(said, cellWords(plot.table.value, column.value, plot.frame.value, answers.value.total.finite));
  });
  return { surface, said };
}
