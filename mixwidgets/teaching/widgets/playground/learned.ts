// What a network has learned: its class for each point of the plane with the examples, or its answers to held-out digits; and
// its accuracy.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { clamp } from "#core/range.ts";
import { EXTENT, type Examples } from "#training/data.ts";
import type { Trainer } from "#training/trainer.ts";
import { crispCanvas } from "#ui/canvas.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { percent } from "#ui/run_words.ts";
import type { Page } from "./session.ts";

const GRID = 40; // points of the plane in a row, of as many rows, for which a network is asked,
const COARSE_GRID = 10; // at least, when it has so many weights that they would need more
const MOST_PRODUCTS = 5e5; // in all
const POINTS = 200; // of the training set that are drawn
const MARK = 2.6; // half a mark's size, in pixels
const STRONGEST = 0.62; // the opacity of a class's colour where the network is certain
const SIDE = 8; // pixels of a digit
const DIGITS = 10;

/** Drawn again at each `look`; `name` is the network's. */
export function learnedPart(page: Page, trainer: Trainer, look: ReadonlySignal<number>, name: string): HTMLElement {
  const { view, session } = page;
  const accuracy = computed(() => (look.value, percent(trainer.evaluate(trainer.data.test).accuracy)));
  const figure = h("p", { class: "mw-play-accuracy" });
  const [onPlane, onDigits] = [plane(page, trainer, look, accuracy, name), digits(page, trainer, look)];
  view.effect(() => {
    setText(figure, t("play.accuracy", { share: accuracy.value }));
    onDigits.hidden = session.settings.value.task !== "digits";
    onPlane.hidden = !onDigits.hidden;
  });
  return h("div", { class: "mw-play-network" }, onPlane, onDigits, figure);
}

function plane({ view, session }: Page, trainer: Trainer, look: ReadonlySignal<number>, accuracy: ReadonlySignal<string>, name: string): HTMLElement {
  const canvas = h("canvas", { class: "mw-play-plane", role: "img" });
  const classes = [0, 1].map((label) => h("span", { class: `mw-play-class-${label}`, hidden: true })); // they have the colours
  const begin = crispCanvas(view, canvas);
  const cells = h("canvas");

  view.effect(() => {
    look.value;
    if (session.settings.peek().task === "digits") return;
    set(canvas, { "aria-label": t("play.plane", { name, share: accuracy.value }) });
    const drawn = begin();
    if (!drawn) return;
    const { pen, width, height } = drawn;
    const colours = classes.map((sample) => getComputedStyle(sample).color);
    const side = Math.round(clamp(Math.sqrt(MOST_PRODUCTS / trainer.weightCount), COARSE_GRID, GRID));
    paintCells(cells, side, trainer.decision(side), colours);
    pen.imageSmoothingEnabled = true;
    pen.drawImage(cells, 0, 0, width, height);
    const ground = getComputedStyle(canvas).backgroundColor;
    const place = (at: number, length: number) => ((at + EXTENT) / (2 * EXTENT)) * length;
    paintMarks(pen, trainer.data.training, (x, y) => [place(x, width), height - place(y, height)], colours, ground);
  });
  return h("div", {}, canvas, ...classes);
}

/** Paint one pixel for each cell: the class's colour, the more opaque the more certain the network is. */
function paintCells(cells: HTMLCanvasElement, side: number, decisions: Float32Array, colours: readonly string[]): void {
  const pen = cells.getContext("2d");
  if (!pen) return;
  cells.width = cells.height = side;
  const image = pen.createImageData(side, side);
  const channels = colours.map((colour) => (/[\d.]+/.test(colour) ? colour.match(/[\d.]+/g)!.map(Number) : [128, 128, 128]));
  decisions.forEach((decision, i) => {
    const [column, row] = [i % side, side - 1 - Math.floor(i / side)];
    const [r, g, b] = channels[decision > 0 ? 1 : 0]!;
    image.data.set([r!, g!, b!, 255 * STRONGEST * Math.abs(decision)], 4 * (row * side + column)); // NaN is transparent
  });
  pen.putImageData(image, 0, 0);
}

/** Circles and squares, so that colour is not the only difference. */
function paintMarks(
  pen: CanvasRenderingContext2D, { inputs, labels, count }: Examples, place: (x: number, y: number) => readonly [number, number],
  colours: readonly string[], edge: string,
): void {
  pen.strokeStyle = edge;
  pen.lineWidth = 1;
  for (const label of [0, 1]) {
    pen.fillStyle = colours[label]!;
    pen.beginPath();
    for (let i = 0; i < Math.min(count, POINTS); i++) {
      if (labels[i] !== label) continue;
      const [x, y] = place(inputs[2 * i]!, inputs[2 * i + 1]!);
      pen.moveTo(x + MARK, y);
      if (label === 0) pen.arc(x, y, MARK, 0, 2 * Math.PI);
      else pen.rect(x - MARK, y - MARK, 2 * MARK, 2 * MARK);
    }
    pen.fill();
    pen.stroke();
  }
}

function digits({ view, session }: Page, trainer: Trainer, look: ReadonlySignal<number>): HTMLElement {
  const items = Array.from({ length: DIGITS }, () => {
    const canvas = h("canvas", { width: SIDE, height: SIDE, class: "mw-play-digit", "aria-hidden": "true" });
    const answer = h("span", { class: "mw-num mw-play-answer" });
    return { canvas, answer, element: h("li", {}, canvas, answer) };
  });
  /** The rows of the first held-out image of each class; none if the task is another. */
  const rows = computed(() => session.settings.value.task === "digits" ? items.map((_, label) => trainer.data.test.labels.indexOf(label)) : []);

  view.effect(() => rows.value.forEach((row, i) => paintDigit(items[i]!.canvas, imageAt(trainer, row))));
  view.effect(() => {
    look.value;
    rows.value.forEach((row, i) => {
      const probabilities = trainer.predict(imageAt(trainer, row));
      const guess = probabilities.indexOf(Math.max(...probabilities)); // −1 if they are NaN
      const isRight = guess === trainer.data.test.labels[row];
      const { answer, element } = items[i]!;
      setText(answer, guess < 0 ? "NaN" : `${guess} ${isRight ? "✓" : "✗"}`);
      set(element, { class: isRight ? undefined : "mw-play-wrong", "aria-label": t(isRight ? "play.digit_right" : "play.digit_wrong", { digit: i, guess: guess < 0 ? "NaN" : guess }) });
    });
  });
  return h("ul", { class: "mw-play-digits" }, ...items.map(({ element }) => element));
}

function imageAt({ data: { test, features } }: Trainer, row: number): Float32Array {
  return test.inputs.subarray(row * features, (row + 1) * features);
}

function paintDigit(canvas: HTMLCanvasElement, pixels: Float32Array): void {
  const pen = canvas.getContext("2d");
  const image = pen?.createImageData(SIDE, SIDE);
  if (!image) return;
  pixels.forEach((ink, i) => image.data.set([255 * (1 - ink), 255 * (1 - ink), 255 * (1 - ink), 255], 4 * i));
  pen!.putImageData(image, 0, 0);
}
