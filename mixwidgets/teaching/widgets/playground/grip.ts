// The one control of the loss scale S: a grip on the ruler, at S. Without a loss scale it stands at 1, and the first move makes a
// static one; a dynamic loss scale is set by the run, whose course names it, and has no grip: bars stand there.

import { computed } from "@preact/signals-core";
import { HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { clamp } from "#core/range.ts";
import { h, set, setText } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { draggable, pointIn } from "#ui/pointer.ts";
import { SIDE, type Histogram } from "#ui/ruler/histogram.ts";
import { powerOfAny, spokenScale } from "#ui/ruler/words.ts";
import type { Page } from "./session.ts";
import { log2InForce } from "./state.ts";

const ROOM = 150; // pixels, for the words after the grip
const NARROW = 480; // pixels of a plot that has no room for the hint
const PAGE = 4; // binades that PageUp and PageDown move
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -PAGE, PageUp: PAGE, Home: -Infinity, End: Infinity,
};

export function scaleGrip({ view, traits, edit }: Page, plot: Histogram): HTMLElement {
  const grip = h("div", { class: "mw-grip mw-play-grip", role: "slider", tabindex: 0, "aria-label": t("train.scale"), "aria-valuemin": LOWEST, "aria-valuemax": HIGHEST });
  const [formula, hint] = [h("strong"), h("span", { class: "mw-note" }, t("play.drag"))];
  const words = h("span", { class: "mw-play-grip-words" }, formula, hint);
  const track = h("div", { class: "mw-play-grip-track" }, words, grip);
  const now = computed(() => log2InForce(traits.value));
  const move = (log2: number, isHeld: boolean) => edit({ loss_scale: "static", log2_loss_scale: clamp(log2, LOWEST, HIGHEST) }, isHeld);

  grip.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step === undefined || hasModifier(event)) return;
    event.preventDefault();
    move(now.value + step, false);
  });
  draggable(grip, (down) => {
    const [from, before] = [at(down), traits.peek()];
    return {
      move(event) {
        const { x, low } = plot.frame.value;
        const log2 = log2InForce(before) + Math.round((at(event) - from) / (x(low + 1) - x(low)));
        if (log2 !== log2InForce(traits.peek())) move(log2, true);
      },
      back: () => edit({ loss_scale: before.loss_scale, log2_loss_scale: before.log2_loss_scale }, true),
    };
  }, () => edit({}));
  const at = (event: MouseEvent) => pointIn(plot.element, event).x;

  view.effect(() => {
    const { x, low, bins } = plot.frame.value;
    const end = SIDE + x(low + bins);
    const place = SIDE + x(clamp(now.value, low, low + bins));
    track.hidden = traits.value.loss_scale === "dynamic";
    set(grip, { "aria-valuenow": now.value, "aria-valuetext": spokenScale(now.value) });
    grip.style.left = `${place}px`;
    hint.hidden = end < NARROW;
    const isBefore = end - place < (hint.hidden ? ROOM / 2 : ROOM);
    Object.assign(words.style, { left: isBefore ? "auto" : `${place}px`, right: isBefore ? `calc(100% - ${place}px)` : "auto" });
    set(words, { class: isBefore ? "mw-play-grip-words mw-play-grip-before" : "mw-play-grip-words" });
    setText(formula, now.value === 0 ? "S = 1" : `S = ${powerOfAny(2 ** now.value)}`);
  });
  return track;
}
