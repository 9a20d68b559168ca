// The list: a line for each call of a module, backward to the left and forward to the right of one axis.

import type { Signal } from "@preact/signals-core";
import { button } from "#ui/buttons.ts";
import { oneStop } from "#ui/keys.ts";
import { superscript } from "#ui/digits.ts";
import { h, s, set } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { View } from "#ui/view.ts";
import type { Axis } from "./axis.ts";
import { cellWords, moduleName, type Row } from "./words.ts";

const SHAPES = {
  explained: "M0 4V22",
  ok: "M-4 13a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
  off: "M0 6L7 13L0 20L-7 13Z",
  raised: "M-6 7L6 19M6 7L-6 19",
};
const DIRECTIONS = ["backward", "forward"] as const;

const mark = (kind: keyof typeof SHAPES, x: string) =>
  s("svg", { x, overflow: "visible" }, s("path", { d: SHAPES[kind], class: `mw-difference-${kind}` }));

/** What the marks mean. */
export function errorKey(format: string): HTMLElement {
  const sign = (kind: keyof typeof SHAPES, words: string) => h("span", { class: "mw-row" },
    s("svg", { width: 16, height: 26, "aria-hidden": "true" }, mark(kind, "8")), words);
  return h("p", { class: "mw-row mw-difference-key" },
    sign("ok", t("difference.key_error", { format })), sign("explained", t("difference.key_explained")),
    sign("off", t("difference.off")), sign("raised", t("difference.raised")));
}

/** A dotted name, whose line breaks after a dot. */
const breakable = (name: string) => name.split(/(?<=\.)/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));

export function moduleList(view: View, rows: readonly Row[], axis: Axis, chosen: Signal<Row | undefined>): HTMLElement {
  const lines = new Map<string, { name: string; halves: Partial<Record<Row["direction"], Row>> }>();
  for (const row of rows) {
    const key = JSON.stringify([row.module, row.call]);
    if (!lines.has(key)) lines.set(key, { name: moduleName(row), halves: {} });
    lines.get(key)!.halves[row.direction] = row;
  }
  const buttons = new Map<Row, HTMLButtonElement>();
  const cells = [...lines.values()].map(({ halves }) => DIRECTIONS.map((direction) => {
    const row = halves[direction];
    if (!row) return null;
    const cell = button("", () => (chosen.value = row), { class: "mw-difference-cell", "aria-label": cellWords(row), title: cellWords(row) });
    cell.append(picture(row, axis));
    buttons.set(row, cell);
    return cell;
  }));
  const list = h("ol", { "aria-label": t("difference.modules") }, ...[...lines.values()].map(({ name }, i) =>
    h("li", { class: "mw-difference-line" }, h("span", { class: "mw-difference-name" }, ...breakable(name)), ...cells[i]!.map((cell) => cell ?? h("span")))));
  const head = h("div", { class: "mw-difference-line mw-difference-head", "aria-hidden": "true" }, h("span"),
    ...DIRECTIONS.map((direction) => h("span", {}, h("span", {}, t(`difference.head_${direction}`)), s("svg", { height: 16 }, ...axis.ticks.map((tick) =>
      tickMark(direction, axis.place(10 ** tick), `10${superscript(tick)}`)),
      rows.some(({ tensors: [worst] }) => worst?.error === Infinity) ? tickMark(direction, axis.place(Infinity), "∞") : null))));
  const element = h("div", { class: "mw-difference-list" }, head, list);

  oneStop(list, () => cells)(buttons.get(chosen.peek()!));
  list.addEventListener("focusin", ({ target }) => (chosen.value = rows.find((row) => buttons.get(row) === target)));
  view.effect(() => buttons.forEach((cell, row) => set(cell, { "aria-current": row === chosen.value && "true" })));
  const width = view.width(element);
  view.effect(() => { // what is chosen at first may be far down
    const at = width.value > 0 && buttons.get(chosen.peek()!);
    if (at) element.scrollTop = at.offsetTop - element.clientHeight / 2;
  });
  return element;
}

const tickMark = (direction: Row["direction"], percent: number, text: string) =>
  s("text", { x: across(direction, percent), y: 12, "text-anchor": "middle" }, text);

/** Backward grows to the left. */
const across = (direction: Row["direction"], percent: number): string => `${(direction === "forward" ? percent : 100 - percent).toFixed(2)}%`;

function picture({ direction, verdict, tensors: [worst] }: Row, axis: Axis): SVGSVGElement {
  const x = (value: number) => across(direction, axis.place(value));
  const marks = worst ? [
    s("line", { x1: x(worst.explained), x2: x(worst.error), y1: 13, y2: 13, class: "mw-difference-gap" }), mark("explained", x(worst.explained)),
  ] : [];
  return s("svg", { height: 26, "aria-hidden": "true" }, ...marks, mark(verdict, x(worst?.error ?? NaN)));
}
