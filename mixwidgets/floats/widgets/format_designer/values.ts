// The values of a narrow format: a row for each binade, a cell for each fraction. The first row is shown, the others are a drawer,
// whose cells are made when it is opened.

import { computed, signal, type ReadonlySignal } from "@preact/signals-core";
import { classify } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { binary, figure, integer, rounded, twoTo } from "#ui/digits.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { oneStop } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { raised } from "#ui/powers.ts";
import type { View } from "#ui/view.ts";
import type { Design } from "./design.ts";
import { largest } from "./words.ts";

/** Formats up to this width have their values listed. */
export const LISTED_BITS = 8;
const DIGITS = 4;
const WIDE = 8; // cells side by side, at most

export function valueRows(view: View<Design>, fmt: ReadonlySignal<FloatFormat>): HTMLElement {
  const grid = h("div", { role: "grid", id: uniqueId("values"), class: "mw-design-values", "aria-label": t("designer.values_title") });
  const detail = h("p", { class: "mw-num mw-design-detail", id: uniqueId("detail") });
  const note = h("span", { class: "mw-note" });
  const isOpen = signal(false);
  const more = h("button", { type: "button", class: "mw-design-drawer", "aria-controls": grid.id });
  more.addEventListener("click", () => (isOpen.value = !isOpen.value));
  const isListed = computed(() => fmt.value.bits <= LISTED_BITS);
  let rows: HTMLElement[][] = [];
  let focused = 0; // the code of the cell that the Tab key reaches

  const cells = () => rows.flat();
  const point = (code: number) => setText(detail, describe(fmt.value, BigInt(code)));
  const indexOf = (target: EventTarget | null) => cells().findIndex((cell) => target instanceof Node && cell.contains(target));
  const stop = oneStop(grid, () => rows);
  grid.addEventListener("focusin", (event) => point((focused = Math.max(indexOf(event.target), 0))));
  grid.addEventListener("pointerover", (event) => {
    const i = indexOf(event.target);
    if (i >= 0) point(i);
  });
  grid.addEventListener("pointerleave", () => point(focused));

  /** Rows of so many cells, those that are there kept. */
  const arrange = (count: number, columns: number) => {
    if (rows[0]?.length !== columns) {
      rows = [];
      grid.replaceChildren();
      set(grid, { "data-columns": Math.min(columns, WIDE) });
      grid.style.setProperty("--columns", String(Math.min(columns, WIDE)));
    }
    for (; rows.length > count; rows.pop()) grid.lastElementChild!.remove();
    while (rows.length < count) {
      const row = Array.from({ length: columns }, () => h("div", { role: "gridcell", tabindex: -1, "aria-describedby": detail.id }));
      rows.push(row);
      grid.append(h("div", { role: "row", class: "mw-design-row" }, h("div", { role: "rowheader" }), h("div", { role: "none", class: "mw-design-codes" }, ...row)));
    }
  };
  const below = h("div", { class: "mw-row mw-design-below" }, more, detail);
  view.effect(() => {
    const { value } = fmt;
    for (const element of [grid, below]) element.hidden = !isListed.value;
    setText(note, isListed.value ? t("designer.values_note") : t("designer.too_wide", { codes: integer(1n << BigInt(value.bits)), bits: value.bits }));
    if (!isListed.value) return;
    const [all, columns] = [1 << value.exponentBits, 1 << value.fractionBits];
    arrange(isOpen.value ? all : 1, columns);
    rows.forEach((row, field) => {
      grid.children[field]!.firstElementChild!.replaceChildren(...raised(nameOf(value, field)));
      row.forEach((cell, i) => paint(cell, value, BigInt(field * columns + i)));
    });
    more.hidden = all === 1;
    set(more, { "aria-expanded": String(isOpen.value) });
    setText(more, isOpen.value ? t("designer.fewer_rows") : t("designer.more_rows", { count: all - 1, high: largest(value) }));
    focused = Math.min(focused, rows.length * columns - 1);
    stop(cells()[focused]);
    point(focused);
  });
  return h("div", { class: "mw-stack-tight" }, h("div", { class: "mw-row" }, h("h4", {}, t("designer.values_title")), note), grid, below);
}

/** What a row has: the numbers from a power of two on, subnormals, or special codes alone. */
function nameOf(fmt: FloatFormat, field: number): string {
  const codes = [BigInt(field) << BigInt(fmt.fractionBits), (BigInt(field + 1) << BigInt(fmt.fractionBits)) - 1n] as const;
  if (codes[0] > fmt.maxCode) return t("designer.special");
  if (codes[1] < fmt.smallestCode) return t("designer.class_zero");
  return codes[1] < fmt.smallestNormalCode ? t("designer.class_subnormal") : twoTo(fmt.exponentOf(field));
}

function paint(cell: HTMLElement, fmt: FloatFormat, code: bigint): void {
  set(cell, { class: `mw-design-cell mw-design-${classify(fmt, code)}` });
  setText(cell, textOf(fmt, code));
}

function textOf(fmt: FloatFormat, code: bigint): string {
  const kind = classify(fmt, code);
  return kind === "normal" || kind === "subnormal" ? rounded(fmt.magnitude(code), DIGITS) : figure(fmt, code).text;
}

/** "0x7E = 0 1111 110 · normal · 448" */
function describe(fmt: FloatFormat, code: bigint): string {
  const kind = t(`class.${classify(fmt, code)}`);
  return t("designer.detail", { code: fmt.toHex(code), bits: binary(fmt, code), kind, value: figure(fmt, code).text });
}
