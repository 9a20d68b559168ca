// What a network has learned: its class for each point of the plane with the examples, or its answers to held-out digits; and
// its accuracy, in the title, which is also the key of its line in the chart of losses.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { EXTENT, type Examples } from "#training/data.ts";
import type { Task } from "#training/settings.ts";
import type { Trainer } from "#training/trainer.ts";
import { crispCanvas, type Pen } from "#ui/canvas.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { percent } from "#ui/run_words.ts";
import type { View } from "#ui/view.ts";
import type { Learner, Page, Session } from "./session.ts";

const POINTS = 200; // of the training set that are drawn
const MARK = 2.6; // half a mark's size, in pixels
const STRONGEST = 0.62; // the opacity of a class's colour where the network is certain
const SIDE = 8; // pixels of a digit
const DIGITS = 10;
const SAMPLE = 3; // the digit in the picture of the task

/** Drawn again at each `look`; `name` is the network's. */
export function learnedPart(page: Page, learner: Learner, look: ReadonlySignal<number>, kind: "reference" | "chosen", name: ReadonlySignal<string>): HTMLElement {
  const { view, session } = page;
  const title = h("h4");
  const figure = h("strong", { class: "mw-num mw-play-accuracy" });
  const [onPlane, onDigits] = [plane(page, learner, look, name), digits(page, learner.trainer, look)];
  view.effect(() => setText(title, name.value));
  view.effect(() => {
    look.value;
    setText(figure, accuracyOf(learner));
    onDigits.hidden = session.settings.value.task !== "digits";
    onPlane.hidden = !onDigits.hidden;
  });
  return h("div", { class: "mw-play-network" },
    h("div", { class: "mw-play-network-title" }, h("span", { class: `mw-play-key mw-play-key-${kind}` }), title, figure), onPlane, onDigits);
}

/** What the picture shows, for both networks. */
export function legendPart({ view, session }: Page): HTMLElement {
  const marks = [1, 0].map((label) => h("span", {}, h("span", { class: `mw-play-mark mw-play-class-${label}`, "aria-hidden": "true" }, label ? "■" : "●"), " ", t(label ? "play.class_1" : "play.class_0")));
  const [shade, right] = [h("span", {}, t("play.shade")), h("span", {}, t("play.right"))];
  view.effect(() => [...marks, shade].forEach((one) => (one.hidden = session.settings.value.task === "digits")));
  return h("p", { class: "mw-note mw-play-key-line" }, ...marks, shade, right);
}

/** On the test set: "92.2 %", or "NaN" for a network whose answers are no numbers. */
function accuracyOf({ result }: Learner): string {
  const { loss, accuracy } = result.peek();
  return Number.isNaN(loss) ? "NaN" : percent(accuracy);
}

function plane({ view }: Page, learner: Learner, look: ReadonlySignal<number>, name: ReadonlySignal<string>): HTMLElement {
  const canvas = h("canvas", { class: "mw-play-plane", role: "img" });
  const classes = [0, 1].map((label) => h("span", { class: `mw-play-class-${label}`, hidden: true })); // they have the colours
  const begin = crispCanvas(view, canvas);
  const cells = h("canvas");

  view.effect(() => {
    look.value;
    const seen = learner.plane.peek();
    if (!seen) return;
    set(canvas, { "aria-label": t("play.plane", { name: name.value, share: accuracyOf(learner) }) });
    const drawn = begin();
    if (!drawn) return;
    const { pen, width, height } = drawn;
    const colours = classes.map((sample) => getComputedStyle(sample).color);
    paintCells(cells, seen.side, seen.decisions, colours);
    pen.imageSmoothingEnabled = new Set(seen.decisions).size > seen.side; // few answers make blocks, which are no blur
    pen.drawImage(cells, 0, 0, width, height);
    const ground = getComputedStyle(canvas).backgroundColor;
    paintMarks(drawn, learner.trainer.data.training, colours, ground);
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
  { pen, width, height }: Pen, { inputs, labels, count }: Examples, colours: readonly string[], edge: string, size = MARK,
): void {
  const part = (at: number) => (at + EXTENT) / (2 * EXTENT);
  pen.strokeStyle = edge;
  pen.lineWidth = 1;
  for (const label of [0, 1]) {
    pen.fillStyle = colours[label]!;
    pen.beginPath();
    for (let i = 0; i < Math.min(count, POINTS); i++) {
      if (labels[i] !== label) continue;
      const [x, y] = [part(inputs[2 * i]!) * width, (1 - part(inputs[2 * i + 1]!)) * height];
      pen.moveTo(x + size, y);
      if (label === 0) pen.arc(x, y, size, 0, 2 * Math.PI);
      else pen.rect(x - size, y - size, 2 * size, 2 * size);
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

/** A small picture of a task: its examples, or a digit. */
export function taskPicture(view: View, task: Task, { example }: Session): HTMLCanvasElement {
  const canvas = h("canvas", { class: "mw-play-task", "aria-hidden": "true" });
  const classes = [0, 1].map((label) => h("span", { class: `mw-play-class-${label}`, hidden: true }));
  canvas.append(...classes);
  const begin = crispCanvas(view, canvas);
  view.effect(() => {
    const drawn = begin();
    if (!drawn) return;
    const { pen, width, height } = drawn;
    const { test, features } = example(task);
    if (task === "digits") {
      const cells = h("canvas", { width: SIDE, height: SIDE });
      paintDigit(cells, test.inputs.subarray(SAMPLE * features, (SAMPLE + 1) * features));
      pen.imageSmoothingEnabled = false;
      return pen.drawImage(cells, 0, 0, width, height);
    }
    const colours = classes.map((sample) => getComputedStyle(sample).color);
    paintMarks(drawn, test, colours, "transparent", 1.2);
  });
  return canvas;
}
