// Every tensor by binade, on the histogram's ruler: a row a tensor, most flushed or overflowing first; the darker, the larger its share.
// The shares do not depend on the scale. They are painted once as a mask; a drag moves the mask and colours it.

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import type { Answers } from "#core/gradients/answers.ts";
import { BINADE, CLASSES } from "#core/gradients/boundaries.ts";
import { clamp } from "#core/range.ts";
import { inkOf } from "#ui/canvas.ts";
import { ARROWS } from "#ui/cells.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { plain } from "#ui/foreign_text.ts";
import { hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { zoomOf } from "#ui/pixels.ts";
import { pointIn } from "#ui/pointer.ts";
import { binned, frame, zones } from "#ui/ruler/geometry.ts";
import type { Textures } from "#ui/ruler/textures.ts";
import { cellWords } from "#ui/ruler/words.ts";
import { openState } from "#ui/view.ts";
import type { Explored } from "./state.ts";

const FEW = 12; // tensors that the list of rows shows well enough
const MOST_HEIGHT = 420; // pixels, unless rows would be too thin
const THIN = 3;
const NAMED = 12; // the row height from which names are written
const NAMES = 150; // their width
const PALEST = 0.16; // of a cell that holds anything
const MOST_PIXELS = 2 ** 23; // of the canvas, about those of a 4K screen: each step of a drag colours them all

/** `order`: the tensors, most lost first; `width`: in pixels. */
export function heatMap(
  { view, names, all: answers, scale, drawn }: Explored, textures: Textures, order: ReadonlySignal<readonly number[]>, width: ReadonlySignal<number>,
): HTMLElement {
  const canvas = h("canvas", { class: "mw-heat", "aria-hidden": "true" });
  const cell = h("p", { class: "mw-heat-cell" });
  const hint = h("p", { class: "mw-note" }, t("explorer.heat_hint"));
  const id = uniqueId("heat");
  const group = h("div", { role: "group", tabindex: 0, class: "mw-heat-group", "aria-labelledby": id }, canvas);
  const summary = h("summary", { id });
  const element = h("details", { class: "mw-unfolding" }, summary, h("div", { class: "mw-stack-tight" }, group, cell, hint));
  const isOpen = openState(element);
  const isFocused = signal(false);
  const ink = inkOf(view, canvas);
  const zoom = view.measured(canvas, () => devicePixelRatio * zoomOf(canvas));
  const isShown = computed(() => isOpen.value && names.value.length > FEW);
  const high = computed(() => clamp(Math.floor(MOST_HEIGHT / names.value.length), THIN, 16)); // of a row
  const left = computed(() => (high.value >= NAMED && width.value >= 600 ? NAMES : 0)); // of the ruler
  const shape = computed(() => frame(drawn.value, width.value - left.value, 1, 1));
  const pointed = signal<[row: number, column: number] | null>(null);
  const at = computed(() => within(...(pointed.value ?? [0, shape.value.bins >> 1])));

  function within(row: number, column: number): [row: number, column: number] {
    return [clamp(row, 0, order.value.length - 1), clamp(column, 0, shape.value.bins - 1)];
  }

  group.addEventListener("keydown", (event) => {
    if (hasModifier(event)) return;
    const step = ARROWS[event.key];
    if (!step) return;
    event.preventDefault();
    pointed.value = within(at.value[0] + step[0], at.value[1] + step[1]);
  });
  group.addEventListener("focus", () => {
    isFocused.value = true;
    pointed.value = at.value;
  });
  group.addEventListener("blur", () => (isFocused.value = false));
  canvas.addEventListener("pointermove", (event) => {
    const { x, y } = pointIn(canvas, event);
    pointed.value = within(Math.floor(y / high.value), Math.floor(shape.value.x.invert(x - left.value)) - shape.value.low);
  });

  /** What is painted once for all scales, and computed styles, which are slow to read. */
  const painted = computed(() => {
    const height = high.value * names.value.length;
    // The canvas's pixels are the screen's at any size, if they are not too many.
    const ratio = Math.min(zoom.value, Math.sqrt(MOST_PIXELS / (Math.max(width.value, 1) * height)));
    const fills = CLASSES.map((kind) => getComputedStyle(textures.element.querySelector(`.mw-fill-${kind}`)!).fill);
    const { fontFamily } = getComputedStyle(canvas);
    const labels = h("canvas", { width: Math.max(1, Math.round(left.value * ratio)), height: Math.round(height * ratio) });
    if (left.value) label(labels, order.value.map((tensor) => names.value[tensor]!), high.value * ratio, `${12 * ratio}px ${fontFamily}`, ink.value);
    return { height, ratio, fills, ink: ink.value, labels, ...maskOf(answers.value, order.value) };
  });

  view.effect(() => {
    element.hidden = names.value.length <= FEW;
    setText(summary, t("explorer.heat", { count: names.value.length }));
  });
  // Spoken only where the user is: the words also change while the scale moves.
  view.effect(() => set(cell, { "aria-live": isFocused.value ? "polite" : undefined }));
  view.effect(() => {
    if (!isShown.value || !pointed.value) return;
    const [row, column] = at.value;
    const tensor = order.value[row]!;
    const one = answers.value.summaries[tensor]!;
    const words = cellWords(binned(one, answers.value.format, scale.value, drawn.value), column, shape.value, one.finite);
    setText(cell, t("explorer.heat_cell", { name: names.value[tensor]!, words }));
  });
  view.effect(() => {
    if (!isShown.value) return;
    const { height, ratio, fills, ink, labels, mask, lowest } = painted.value;
    const [columns, rows] = [Math.round(width.value * ratio), labels.height];
    set(canvas, { width: columns, height: rows }); // only where they differ: setting one clears the canvas
    Object.assign(canvas.style, { width: `${width.value}px`, height: `${height}px` });
    const pen = canvas.getContext("2d");
    if (!pen) return;
    const { x, low } = shape.value;
    const start = left.value;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.globalCompositeOperation = "source-over";
    pen.imageSmoothingEnabled = false;
    pen.clearRect(0, 0, width.value, height);
    pen.drawImage(mask, start + x(lowest + scale.value), 0, x(low + mask.width) - x(low), height);
    pen.clearRect(0, 0, start, height);
    pen.globalCompositeOperation = "source-atop";
    const bands = zones(answers.value.format, drawn.value);
    for (const { kind, from, to } of bands) {
      pen.fillStyle = fills[kind]!;
      pen.fillRect(start + x(from), 0, x(to) - x(from), height);
    }
    pen.globalCompositeOperation = "source-over";
    pen.fillStyle = ink;
    pen.globalAlpha = 0.5;
    for (const { from } of bands.slice(1)) pen.fillRect(start + x(from), 0, 1, height);
    pen.globalAlpha = 1;
    if (start) pen.drawImage(labels, 0, 0, labels.width / ratio, height);
    if (!isFocused.value) return;
    const [row, column] = at.value;
    pen.strokeStyle = ink;
    pen.strokeRect(start + x(low + column) + 0.5, row * high.value + 0.5, x(low + 1) - x(low), high.value - 1);
  });
  return element;
}

/** A pixel for each tensor and binade, from `lowest` on, opaque in proportion to the root of its share. */
function maskOf({ summaries, total }: Answers, order: readonly number[]): { mask: HTMLCanvasElement; lowest: number } {
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
  return { mask, lowest };
}

/** Write a name beside each row, narrowed to fit. It is done once, because setting a font is slow. */
function label(canvas: HTMLCanvasElement, names: readonly string[], high: number, font: string, ink: string): void {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  [pen.font, pen.fillStyle, pen.textBaseline] = [font, ink, "middle"];
  names.forEach((name, i) => pen.fillText(plain(shortened(name)), 0, (i + 0.5) * high, canvas.width * 0.97));
}

/** A name that fits beside its row; what tells layers apart stands at both ends. */
function shortened(name: string): string {
  return name.length <= 24 ? name : `${name.slice(0, 11)}…${name.slice(-12)}`;
}
