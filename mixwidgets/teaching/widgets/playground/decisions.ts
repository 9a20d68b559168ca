// What both networks have learned of a plane: which class they see where, and the points that they learn from.

import type { ReadonlySignal } from "@preact/signals-core";
import { clamp } from "#core/range.ts";
import { h, set } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { crispCanvas } from "#ui/canvas.ts";
import type { Trainer } from "#training/trainer.ts";
import { EXTENT, type Examples } from "#training/types.ts";
import type { Page } from "./parts.ts";

const GRID = 40; // points a side that a network is asked at
const COARSE = 10; // and the least, for a large one
const PRODUCTS = 5e5; // of weights, in all of them
const POINTS = 200; // of the training set that are drawn
const MARK = 2.6; // half a mark's size, in pixels
const STRONGEST = 0.62; // of a class's colour, where the network is sure

/** One network's plane, drawn anew at each `look`. */
export function plane({ view, session }: Page, trainer: Trainer, look: ReadonlySignal<number>, accuracy: ReadonlySignal<string>, name: string): HTMLElement {
  const canvas = h("canvas", { class: "mw-play-plane", role: "img" });
  const classes = [0, 1].map((one) => h("span", { class: `mw-play-class-${one}`, hidden: true }));
  const begin = crispCanvas(view, canvas);
  const cells = h("canvas");

  view.effect(() => {
    look.value;
    if (session.settings.peek().task === "digits") return;
    set(canvas, { "aria-label": t("play.plane", { name, share: accuracy.value }) });
    const drawn = begin();
    if (!drawn) return;
    const { pen, width, height } = drawn;
    const colours = classes.map((one) => getComputedStyle(one).color);
    const side = Math.round(clamp(Math.sqrt(PRODUCTS / trainer.weightCount), COARSE, GRID));
    paintCells(cells, side, trainer.decision(side), colours);
    pen.imageSmoothingEnabled = true;
    pen.drawImage(cells, 0, 0, width, height);
    const ground = getComputedStyle(canvas).backgroundColor;
    const place = (at: number, length: number) => ((at + EXTENT) / (2 * EXTENT)) * length;
    marks(pen, trainer.data.training, (x, y) => [place(x, width), height - place(y, height)], colours, ground);
  });
  return h("div", {}, canvas, ...classes);
}

/** A pixel a cell: the more certain, the stronger the class's colour. */
function paintCells(cells: HTMLCanvasElement, side: number, decided: Float32Array, colours: readonly string[]): void {
  const pen = cells.getContext("2d");
  if (!pen) return;
  cells.width = cells.height = side;
  const image = pen.createImageData(side, side);
  const parts = colours.map((colour) => (/[\d.]+/.test(colour) ? colour.match(/[\d.]+/g)!.map(Number) : [128, 128, 128]));
  decided.forEach((lean, i) => {
    const [column, row] = [i % side, side - 1 - Math.floor(i / side)];
    const [r, g, b] = parts[lean > 0 ? 1 : 0]!;
    image.data.set([r!, g!, b!, 255 * STRONGEST * Math.abs(lean)], 4 * (row * side + column)); // NaN leaves a hole
  });
  pen.putImageData(image, 0, 0);
}

/** Circles and squares, so that colour alone does not tell. */
function marks(
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
