// The map of all codes of a narrow format: a grid of cells, each with the class and the value of a code.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { classify, shortest } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { oneStop } from "#ui/keys.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { binary, figure, integer, withMinus } from "#ui/digits.ts";
import type { View } from "#ui/view.ts";
import type { Design } from "./design.ts";

/** Formats up to this width have a map. */
export const MAP_BITS = 8;
const WIDE = 16; // columns
const NARROW = 8;
const CELL_CHARACTERS = 6;
const NARROW_PIXELS = 860; // below this width, six characters do not fit a cell of 16 columns

export function codeMap(view: View<Design>, fmt: ReadonlySignal<FloatFormat>, width: ReadonlySignal<number>): HTMLElement {
  const grid = h("div", { role: "grid", class: "mw-design-map", "aria-label": t("designer.map") });
  const detail = h("p", { class: "mw-num mw-design-detail" });
  const element = h("div", { class: "mw-stack-tight" }, grid, detail);
  const columns = computed(() => Math.min(width.value < NARROW_PIXELS ? NARROW : WIDE, 2 ** Math.ceil(fmt.value.bits / 2)));
  let cells: HTMLElement[] = [];
  let rows: HTMLElement[][] = [];
  let focused = 0; // the cell that the Tab key reaches

  const point = (i: number) => setText(detail, describe(fmt.value, BigInt(i)));
  const indexOf = (target: EventTarget | null) => cells.findIndex((cell) => target instanceof Node && cell.contains(target));
  const stop = oneStop(grid, () => rows);
  grid.addEventListener("focusin", (event) => point((focused = indexOf(event.target))));
  grid.addEventListener("pointerover", (event) => {
    const i = indexOf(event.target);
    if (i >= 0) point(i);
  });
  grid.addEventListener("pointerleave", () => point(focused));

  const arrange = (codes: number) => {
    const count = columns.value;
    if (cells.length === codes && grid.dataset.columns === String(count)) return;
    cells = Array.from({ length: codes }, () => h("div", { role: "gridcell", tabindex: -1 },
      h("span", { class: "mw-design-letter", "aria-hidden": "true" }), h("span", { "aria-hidden": "true" })));
    rows = Array.from({ length: Math.ceil(codes / count) }, (_, i) => cells.slice(i * count, (i + 1) * count));
    set(grid, { "data-columns": count });
    grid.style.setProperty("--columns", String(count));
    grid.replaceChildren(...rows.map((row) => h("div", { role: "row", class: "mw-design-row" }, ...row)));
  };
  view.effect(() => {
    const { bits } = fmt.value;
    grid.hidden = bits > MAP_BITS;
    if (grid.hidden) return setText(detail, t("designer.too_wide", { codes: integer(1n << BigInt(bits)), bits }));
    arrange(1 << bits);
    cells.forEach((cell, i) => paint(cell, fmt.value, BigInt(i)));
    focused = Math.min(focused, cells.length - 1);
    stop(cells[focused]);
    point(focused);
  });
  return element;
}

function paint(cell: HTMLElement, fmt: FloatFormat, code: bigint): void {
  const kind = classify(fmt, code);
  const [letter, value] = cell.children;
  set(cell, {
    class: `mw-design-cell mw-design-${kind}`,
    "aria-label": t("designer.cell", { code: fmt.toHex(code), kind: t(`class.${kind}`), value: figure(fmt, code).text }),
  });
  setText(letter!, t(`designer.letter_${kind}`));
  setText(value!, shortText(fmt, code));
}

/** The exact value if it fits a cell, else the shortest decimal. */
function shortText(fmt: FloatFormat, code: bigint): string {
  const { text } = figure(fmt, code);
  return text.length <= CELL_CHARACTERS ? text : withMinus(shortest(fmt, code));
}

/** "0x7E = 0 1111 110 · normal · 448" */
function describe(fmt: FloatFormat, code: bigint): string {
  const kind = t(`class.${classify(fmt, code)}`);
  return t("designer.detail", { code: fmt.toHex(code), bits: binary(fmt, code), kind, value: figure(fmt, code).text });
}
