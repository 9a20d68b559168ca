// The map of all codes of a narrow format: a grid with one tab stop, a class and a value in each cell.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { classify, shortest } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { binary, figure, withMinus } from "#ui/digits.ts";
import type { View } from "#ui/view.ts";
import { grouped } from "./counts.ts";
import type { Design } from "./design.ts";

/** Formats up to this width have a map. */
export const MAP_BITS = 8;
const WIDE = 16; // columns
const NARROW = 8;
const CELL_CHARACTERS = 6;
const NARROW_PIXELS = 860; // below this width six characters would not fit a cell of 16 columns

export function codeMap(view: View<Design>, fmt: ReadonlySignal<FloatFormat>, width: ReadonlySignal<number>): HTMLElement {
  const grid = h("div", { role: "grid", class: "mw-design-map", "aria-label": t("designer.map") });
  const detail = h("p", { class: "mw-num mw-design-detail" });
  const element = h("div", { class: "mw-stack-tight" }, grid, detail);
  const columns = computed(() => Math.min(width.value < NARROW_PIXELS ? NARROW : WIDE, 2 ** Math.ceil(fmt.value.bits / 2)));
  let cells: HTMLElement[] = [];
  let stop = 0;

  const point = (i: number) => setText(detail, describe(fmt.value, BigInt(i)));
  const indexOf = (target: EventTarget | null) => cells.findIndex((cell) => target instanceof Node && cell.contains(target));
  const moveStop = (next: number) => {
    set(cells[stop] ?? grid, { tabindex: cells[stop] ? -1 : undefined });
    stop = next;
    set(cells[stop]!, { tabindex: 0 });
    point(stop);
  };
  grid.addEventListener("focusin", (event) => {
    const i = indexOf(event.target);
    if (i >= 0) moveStop(i);
  });
  grid.addEventListener("pointerover", (event) => {
    const i = indexOf(event.target);
    if (i >= 0) point(i);
  });
  grid.addEventListener("pointerleave", () => point(stop));
  grid.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey) return;
    const last = cells.length - 1;
    const row = stop - (stop % columns.value);
    const to = {
      ArrowLeft: stop - 1,
      ArrowRight: stop + 1,
      ArrowUp: stop - columns.value,
      ArrowDown: stop + columns.value,
      Home: event.ctrlKey ? 0 : row,
      End: event.ctrlKey ? last : Math.min(row + columns.value - 1, last),
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to >= 0 && to <= last) cells[to]!.focus();
  });

  const arrange = (codes: number) => {
    const count = columns.value;
    if (cells.length === codes && grid.dataset.columns === String(count)) return;
    cells = Array.from({ length: codes }, () => h("div", { role: "gridcell", tabindex: -1 },
      h("span", { class: "mw-design-letter", "aria-hidden": "true" }), h("span", { "aria-hidden": "true" })));
    const rows = [];
    for (let i = 0; i < codes; i += count) rows.push(h("div", { role: "row", class: "mw-design-row" }, ...cells.slice(i, i + count)));
    set(grid, { "data-columns": count });
    grid.style.setProperty("--columns", String(count));
    grid.replaceChildren(...rows);
  };
  view.effect(() => {
    const { bits } = fmt.value;
    grid.hidden = bits > MAP_BITS;
    if (grid.hidden) return setText(detail, t("designer.too_wide", { codes: grouped(1n << BigInt(bits)), bits }));
    arrange(1 << bits);
    cells.forEach((cell, i) => paint(cell, fmt.value, BigInt(i)));
    moveStop(Math.min(stop, cells.length - 1));
  });
  return element;
}

function paint(cell: HTMLElement, fmt: FloatFormat, code: bigint): void {
  const kind = classify(fmt, code);
  const [letter, value] = cell.children;
  set(cell, {
    class: `mw-design-cell mw-design-${kind}`,
    "aria-label": t("designer.cell", { code: fmt.toHex(code), kind: t(`bits.class_${kind}`), value: figure(fmt, code).text }),
  });
  setText(letter!, t(`designer.letter_${kind}`));
  setText(value!, shortText(fmt, code));
}

/** What fits a cell: every digit if they are few, else the fewest that tell the value. */
function shortText(fmt: FloatFormat, code: bigint): string {
  const { text } = figure(fmt, code);
  return text.length <= CELL_CHARACTERS ? text : withMinus(shortest(fmt, code));
}

/** "0x7E = 0 1111 110 · normal · 448" */
function describe(fmt: FloatFormat, code: bigint): string {
  const kind = t(`bits.class_${classify(fmt, code)}`);
  return t("designer.detail", { code: fmt.toHex(code), bits: binary(fmt, code), kind, value: figure(fmt, code).text });
}
