// Every tensor by binade, on the histogram's ruler: a row a tensor, most lost first; the darker, the larger its share.
// The shares do not depend on the scale. They are painted once as a mask; a drag moves the mask and colours it.

import type { Answers } from "#core/gradients/answers.ts";
import { BINADE, CLASSES } from "#core/gradients/boundaries.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { zoomOf } from "#ui/pixels.ts";
import { pointIn } from "#ui/pointer.ts";
import { binned, type Frame, frame, zones } from "./geometry.ts";
import type { Textures } from "./textures.ts";
import { cellWords } from "./words.ts";

const FEW = 12; // tensors that the list of rows shows well enough
const MOST_HEIGHT = 420; // pixels, unless rows would be too thin
const THIN = 3;
const NAMED = 12; // the row height from which names are written
const NAMES = 150; // their width
const PALEST = 0.16; // of a cell that holds anything
const MOST_PIXELS = 2 ** 23; // of the canvas, about those of a 4K screen: each step of a drag colours them all

export interface HeatMap {
  readonly element: HTMLElement;
  /** Take other gradients or another width; `order` has the tensors, most lost first. */
  layout(answers: Answers, names: readonly string[], order: readonly number[], width: number): void;
  draw(log2LossScale: number): void;
}

interface Shown {
  answers: Answers;
  names: readonly string[];
  order: readonly number[];
  shape: Frame;
  high: number; // of a row
  left: number; // of the ruler
  ratio: number; // of the canvas's pixels to its element's: to the screen's at any size, if they are not too many
  mask: HTMLCanvasElement;
  lowest: number; // the mask's first binade
  /** Of the classes; read once, since asking for a style makes the page work it out. */
  fills: string[];
  ink: string;
  labels: HTMLCanvasElement;
}

export function heatMap(textures: Textures): HeatMap {
  const canvas = h("canvas", { class: "mw-heat", "aria-hidden": "true" });
  const cell = h("p", { class: "mw-heat-cell" });
  const hint = h("p", { class: "mw-note" }, t("explorer.heat_hint"));
  const id = uniqueId("heat");
  const group = h("div", { role: "group", tabindex: 0, class: "mw-heat-group", "aria-labelledby": id }, canvas);
  const summary = h("summary", { id });
  const element = h("details", { class: "mw-unfolding" }, summary, h("div", { class: "mw-stack-tight" }, group, cell, hint));
  let shown: Shown | undefined;
  let latest: Parameters<HeatMap["layout"]> | undefined;
  let [row, column, log2] = [0, 0, 0];
  let isPointed = false;

  element.addEventListener("toggle", () => {
    if (element.open && latest) paint(...latest);
  });
  group.addEventListener("keydown", (event) => {
    if (!shown || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    point(row + step[0]!, column + step[1]!);
  });
  // Spoken only where the user is: the words also change while the scale moves.
  group.addEventListener("focus", () => {
    set(cell, { "aria-live": "polite" });
    point(row, column);
  });
  group.addEventListener("blur", () => set(cell, { "aria-live": undefined }));
  canvas.addEventListener("pointermove", (event) => {
    if (!shown) return;
    const { shape, left, high } = shown;
    const { x, y } = pointIn(canvas, event);
    point(Math.floor(y / high), Math.floor(shape.x.invert(x - left)) - shape.low);
  });

  function layout(...next: Parameters<HeatMap["layout"]>): void {
    latest = next;
    const { length } = next[1];
    element.hidden = length <= FEW;
    setText(summary, t("explorer.heat", { count: length }));
    if (element.open && !element.hidden) paint(...next);
  }

  function paint(answers: Answers, names: readonly string[], order: readonly number[], width: number): void {
    const high = Math.max(THIN, Math.min(16, Math.floor(MOST_HEIGHT / names.length)));
    const left = high >= NAMED && width >= 600 ? NAMES : 0;
    const fills = CLASSES.map((kind) => getComputedStyle(textures.element.querySelector(`.mw-fill-${kind}`)!).fill);
    const { color: ink, fontFamily } = getComputedStyle(canvas);
    const shape = frame(answers.format, width - left, 1, 1);
    const [lowest, mask] = painted(answers, order);
    const height = high * names.length;
    const ratio = Math.min((globalThis.devicePixelRatio || 1) * zoomOf(canvas), Math.sqrt(MOST_PIXELS / (width * height)));
    const labels = h("canvas", { width: Math.max(1, Math.round(left * ratio)), height: Math.round(height * ratio) });
    shown = { answers, names, order, shape, high, left, ratio, mask, lowest, fills, ink, labels };
    if (left) label(labels, order.map((tensor) => names[tensor]!), high * ratio, `${12 * ratio}px ${fontFamily}`, ink);
    [canvas.width, canvas.height] = [Math.round(width * ratio), labels.height];
    [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
    row = Math.min(row, order.length - 1);
    column = isPointed ? Math.min(column, shape.bins - 1) : Math.floor(shape.bins / 2);
    draw(log2);
  }

  function draw(next: number): void {
    log2 = next;
    if (!element.open || !shown) return;
    if (isPointed) say(shown);
    const pen = canvas.getContext("2d");
    if (!pen) return;
    const { answers, shape, high, left, ratio, mask, lowest, fills, ink, labels } = shown;
    const [width, height] = [canvas.width / ratio, canvas.height / ratio];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.globalCompositeOperation = "source-over";
    pen.imageSmoothingEnabled = false;
    pen.clearRect(0, 0, width, height);
    const start = left + shape.x(lowest + log2);
    pen.drawImage(mask, start, 0, shape.x(shape.low + mask.width) - shape.x(shape.low), height);
    pen.clearRect(0, 0, left, height);
    pen.globalCompositeOperation = "source-atop";
    for (const { kind, from, to } of zones(answers.format)) {
      pen.fillStyle = fills[kind]!;
      pen.fillRect(left + shape.x(from), 0, shape.x(to) - shape.x(from), height);
    }
    pen.globalCompositeOperation = "source-over";
    pen.fillStyle = ink;
    pen.globalAlpha = 0.5;
    for (const { from } of zones(answers.format).slice(1)) pen.fillRect(left + shape.x(from), 0, 1, height);
    pen.globalAlpha = 1;
    if (left) pen.drawImage(labels, 0, 0, labels.width / ratio, height);
    pen.strokeStyle = ink;
    if (group.contains(document.activeElement)) {
      pen.strokeRect(left + shape.x(shape.low + column) + 0.5, row * high + 0.5, shape.x(shape.low + 1) - shape.x(shape.low), high - 1);
    }
  }

  function point(toRow: number, toColumn: number): void {
    if (!shown) return;
    row = Math.min(Math.max(toRow, 0), shown.order.length - 1);
    column = Math.min(Math.max(toColumn, 0), shown.shape.bins - 1);
    isPointed = true;
    draw(log2);
  }

  /** What the cell that was pointed at holds. */
  function say({ answers, names, order, shape }: Shown): void {
    const tensor = order[row]!;
    const one = answers.summaries[tensor]!;
    const words = cellWords(binned(one, answers.format, log2), column, shape, one.finite);
    setText(cell, t("explorer.heat_cell", { name: names[tensor]!, words }));
  }

  return { element, layout, draw };
}

/** A pixel for each tensor and binade, opaque in proportion to the root of its share. */
function painted({ summaries, total }: Answers, order: readonly number[]): [number, HTMLCanvasElement] {
  const [lowest, highest] = [total.exponents[0] ?? 0, total.exponents.at(-1) ?? 0];
  const mask = h("canvas", { width: highest - lowest + 1, height: Math.max(1, order.length) });
  const pen = mask.getContext("2d");
  const image = pen?.createImageData(mask.width, mask.height);
  order.forEach((tensor, row) => {
    const one = summaries[tensor]!;
    for (const exponent of one.exponents) {
      const count = one.below({ exponent, fraction: BINADE }) - one.below({ exponent, fraction: 0 });
      const opacity = PALEST + (1 - PALEST) * Math.min(1, Math.sqrt((4 * count) / one.finite));
      if (image) image.data[4 * (row * mask.width + exponent - lowest) + 3] = 255 * opacity;
    }
  });
  if (image) pen!.putImageData(image, 0, 0);
  return [lowest, mask];
}

/** Write a name beside each row, narrower where it would not fit: once, since setting a font makes the page work out its styles. */
function label(canvas: HTMLCanvasElement, names: readonly string[], high: number, font: string, ink: string): void {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  [pen.font, pen.fillStyle, pen.textBaseline] = [font, ink, "middle"];
  names.forEach((name, i) => pen.fillText(shortened(name), 0, (i + 0.5) * high, canvas.width * 0.97));
}

/** A name that fits beside its row; what tells layers apart stands at both ends. */
function shortened(name: string): string {
  return name.length <= 24 ? name : `${name.slice(0, 11)}…${name.slice(-12)}`;
}
