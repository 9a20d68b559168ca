// Every tensor, in two views: a list of bars, and, where there are many tensors, a heat map by binade.

import { computed, signal, type ReadonlySignal } from "@preact/signals-core";
import type { Answers } from "#core/gradients/answers.ts";
import { BINADE, CLASSES } from "#core/gradients/boundaries.ts";
import { clamp } from "#core/range.ts";
import { button } from "#ui/buttons.ts";
import { inkOf } from "#ui/canvas.ts";
import { integer } from "#ui/digits.ts";
import { h, s, set, setText, uniqueId } from "#ui/dom.ts";
import { finder, wordsIn } from "#ui/finder/finder.ts";
import { plain } from "#ui/foreign_text.ts";
import { ARROWS, hasModifier, oneStop } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { zoomOf } from "#ui/pixels.ts";
import { pointIn } from "#ui/pointer.ts";
import { binned, frame, zones } from "#ui/ruler/geometry.ts";
import type { Textures } from "#ui/ruler/textures.ts";
import { cellWords, share } from "#ui/ruler/words.ts";
import { keysNote } from "#ui/term.ts";
import { openState } from "#ui/view.ts";
import type { Explored } from "./state.ts";

const FEW = 12; // rows shown before "show all"; with no more tensors there is no search, and no heat map
const ORDERS = ["lost", "model", "name", "size"] as const;
type Order = (typeof ORDERS)[number];

// The heat map, in pixels
const MOST_HEIGHT = 420; // unless rows would be too thin
const THIN = 3;
const NAMED = 12; // the row height from which names are written
const NAMES = 150; // their width
const PALEST = 0.16; // of a cell that holds anything
const MOST_PIXELS = 2 ** 23; // of the canvas, about those of a 4K screen: each step of a drag colours them all

/** A bar for each tensor, in a list that can be searched and sorted. A click narrows all that stands above to a tensor, and a
 * second click shows all again. `lost`: the indices of the tensors, those that lose most first. */
export function tensorRows(
  { view, names, all: answers, scale, settled, tensor, narrow }: Explored, textures: Textures,
): { element: HTMLElement; lost: ReadonlySignal<readonly number[]>; focus(): void } {
  const id = uniqueId("tensors");
  const heading = h("h4", { id });
  const find = finder<Order>(t("explorer.search"), t("explorer.order"), ORDERS.map((name) => [name, t(`explorer.order_${name}`)] as const));
  const list = h("ol", { "aria-labelledby": id });
  const more = button("", () => (isAll.value = !isAll.value));
  const isAll = signal(false);
  const rows = computed(() => names.value.map((name) => row(name, textures, () => narrow(tensor.peek() === name ? null : name))));
  const lost = computed(() => byLoss(settled.value.all, settled.value.log2));
  const matches = computed(() => {
    const words = wordsIn(find.text.value);
    const isMatch = (index: number) => words.every((word) => names.value[index]!.toLowerCase().includes(word));
    return sorted(lost.value, find.order.value, names.value, settled.value.all).filter(isMatch);
  });
  const shown = computed(() => (isAll.value ? matches.value : matches.value.slice(0, FEW)));

  const stop = oneStop(list, () => shown.value.map((index) => [rows.value[index]!.button]));

  view.effect(() => {
    const [some, every] = [matches.value.length, names.value.length];
    find.element.hidden = every <= FEW;
    setText(heading, t(every <= FEW ? "explorer.by_tensor" : "explorer.tensors"));
    setText(find.told, t("explorer.found", { count: integer(some), all: integer(every) }));
    const focused = list.querySelector<HTMLElement>(":focus"); // it loses the focus when it is moved
    list.replaceChildren(...shown.value.map((index) => rows.value[index]!.item));
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    else stop();
    more.hidden = some <= FEW;
    set(more, { "aria-expanded": String(isAll.value) });
    setText(more, isAll.value ? t("explorer.show_few", { count: FEW }) : t("explorer.show_all", { count: some }));
    set(list, { class: isAll.value ? "mw-tensors mw-tensors-all" : "mw-tensors" });
  });
  view.effect(() => {
    for (const index of shown.value) rows.value[index]!.draw(answers.value.counts(index, scale.value));
  });
  view.effect(() => rows.value.forEach(({ button }, index) => set(button, { "aria-pressed": String(names.value[index] === tensor.value) })));
  return { element: h("div", { class: "mw-stack-tight" }, heading, find.element, list, more), lost, focus: () => list.querySelector<HTMLElement>("[tabindex='0']")?.focus() };
}

function byLoss(answers: Answers, log2: number): number[] {
  const lost = answers.summaries.map(({ finite }, tensor) => {
    const [flushed, , , overflow] = answers.counts(tensor, log2);
    return finite === 0 ? -1 : (flushed! + overflow!) / finite;
  });
  return [...lost.keys()].sort((a, b) => lost[b]! - lost[a]! || a - b);
}

function sorted(lost: readonly number[], order: Order, names: readonly string[], { summaries }: Answers): number[] {
  const by = {
    lost: () => 0,
    model: (a: number, b: number) => a - b,
    name: (a: number, b: number) => names[a]!.localeCompare(names[b]!, "en", { numeric: true }),
    size: (a: number, b: number) => summaries[b]!.count - summaries[a]!.count,
  };
  return [...lost].sort(by[order]);
}

function row(name: string, textures: Textures, choose: () => void) {
  const parts = CLASSES.map((kind) => s("rect", { y: 0, height: 20, width: 0, fill: textures.fill(kind) }));
  const bar = s("svg", { class: "mw-tensor-bar", height: 20, "aria-hidden": "true" }, ...parts);
  const text = h("span", { class: "mw-num mw-tensor-text" });
  const element = button("", choose, { class: "mw-tensor" });
  element.append(h("span", { class: "mw-tensor-name", title: name }, name), bar, text);

  function draw(counts: Float64Array): void {
    const finite = counts[0]! + counts[1]! + counts[2]! + counts[3]!;
    let left = 0;
    parts.forEach((part, kind) => {
      const width = finite ? (100 * counts[kind]!) / finite : 0;
      set(part, { x: `${left.toFixed(2)}%`, width: `${width.toFixed(2)}%` });
      left += width;
    });
    setText(text, words(counts, finite));
  }
  return { item: h("li", {}, element), button: element, draw };
}

function words(counts: Float64Array, finite: number): string {
  if (finite === 0) return t("explorer.row_empty");
  const flushed = t("explorer.row_flushed", { share: share(counts[0]!, finite) });
  return counts[3]! > 0 ? t("explorer.row_overflow", { flushed, share: share(counts[3]!, finite) }) : flushed;
}

/** Every tensor by binade, on the histogram's ruler: a row for each tensor, in `order`; the larger its share in a binade, the
 * darker the cell. The shares do not depend on the scale, so they are painted once, as a mask; a drag moves the mask and
 * colours it. `width`: in pixels. */
export function heatMap(
  { view, names, all: answers, scale, drawn }: Explored, textures: Textures, order: ReadonlySignal<readonly number[]>, width: ReadonlySignal<number>,
): HTMLElement {
  const canvas = h("canvas", { class: "mw-heat", "aria-hidden": "true" });
  const cell = h("p", { class: "mw-heat-cell" });
  const hint = h("p", { class: "mw-note" }, t("explorer.heat_hint"), keysNote("explorer.heat_keys"));
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

  /** What is the same at all scales: the mask, the names, and computed styles, which are slow to read. */
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
    const gradients = answers.value.summaries[tensor]!;
    const words = cellWords(binned(gradients, answers.value.format, scale.value, drawn.value), column, shape.value, gradients.finite);
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
    const summary = summaries[tensor]!;
    for (const exponent of summary.exponents) {
      const count = summary.below({ exponent, fraction: BINADE }) - summary.below({ exponent, fraction: 0 });
      const opacity = PALEST + (1 - PALEST) * Math.min(1, Math.sqrt((4 * count) / summary.finite));
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
