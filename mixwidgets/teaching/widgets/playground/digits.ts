// What both networks make of held-out digits: one image of each.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { Trainer } from "#training/trainer.ts";
import type { Page } from "./parts.ts";

const SIDE = 8; // pixels of an image
const CLASSES = 10;

/** One network's answers, given anew at each `look`. */
export function digits({ view, session }: Page, trainer: Trainer, look: ReadonlySignal<number>): HTMLElement {
  const shown = Array.from({ length: CLASSES }, () => {
    const canvas = h("canvas", { width: SIDE, height: SIDE, class: "mw-play-digit", "aria-hidden": "true" });
    const answer = h("span", { class: "mw-num mw-play-answer" });
    return { canvas, answer, box: h("li", {}, canvas, answer) };
  });
  /** The first held-out image of each class; none of a plane. */
  const rows = computed(() => session.settings.value.task === "digits" ? shown.map((_, label) => trainer.data.test.labels.indexOf(label)) : []);

  view.effect(() => rows.value.forEach((row, i) => paint(shown[i]!.canvas, imageAt(trainer, row))));
  view.effect(() => {
    look.value;
    rows.value.forEach((row, i) => {
      const chances = trainer.predict(imageAt(trainer, row));
      const guess = chances.indexOf(Math.max(...chances)); // −1 where they are NaN
      const isRight = guess === trainer.data.test.labels[row];
      const { answer, box } = shown[i]!;
      setText(answer, guess < 0 ? "NaN" : `${guess} ${isRight ? "✓" : "✗"}`);
      set(box, { class: isRight ? undefined : "mw-play-wrong", "aria-label": t(isRight ? "play.digit_right" : "play.digit_wrong", { digit: i, guess: guess < 0 ? "NaN" : guess }) });
    });
  });
  return h("ul", { class: "mw-play-digits" }, ...shown.map(({ box }) => box));
}

function imageAt({ data: { test, features } }: Trainer, row: number): Float32Array {
  return test.inputs.subarray(row * features, (row + 1) * features);
}

function paint(canvas: HTMLCanvasElement, pixels: Float32Array): void {
  const pen = canvas.getContext("2d");
  const image = pen?.createImageData(SIDE, SIDE);
  if (!image) return;
  pixels.forEach((ink, i) => image.data.set([255 * (1 - ink), 255 * (1 - ink), 255 * (1 - ink), 255], 4 * i));
  pen!.putImageData(image, 0, 0);
}
