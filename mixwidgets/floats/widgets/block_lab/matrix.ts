// All elements as a matrix, the scales beside the rows they act on, and the stepper that chooses a row. A press on a cell
// chooses its element.

import { computed } from "@preact/signals-core";
import { button } from "#ui/buttons.ts";
import { h, set, setText } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { lossOf, type Block } from "./outcome.ts";
import { is2d, type EditableLab, type Shown } from "./state.ts";
import { number, scaleText } from "./words.ts";

const SHORT = 3; // characters of a number that fit a cell, of a matrix of at most this many columns
const WIDEST = 16;
const FAINTEST = 22; // percent of the colour of an element whose code is 0

/** Whether there is more than one row. */
export const hasRows = ({ lab: { values, columns } }: Shown): boolean => values.length > columns;

export function matrix({ view, shown, choose }: EditableLab): HTMLElement {
  const cells = h("div", { class: "mw-matrix-cells" });
  const frame = h("div", { class: "mw-matrix-frame" });
  const scales = h("div", { class: "mw-matrix-scales" });
  const picture = h("div", { class: "mw-matrix", role: "img" }, h("div", { class: "mw-matrix-field" }, cells, frame), scales);
  const heading = h("h4");
  const element = h("div", { class: "mw-lab-matrix" }, h("div", { class: "mw-row mw-lab-matrix-head" }, heading, h("span", { class: "mw-muted" }, t("blocks.shade"))), picture);
  const shape = computed(() => {
    const { values, columns } = shown.value?.lab ?? { values: [], columns: 1 };
    return `${values.length / columns} ${columns}`;
  });
  const drawn = computed(() => {
    const [rows, columns] = shape.value.split(" ").map(Number) as [number, number];
    return rows > 1 ? Array.from({ length: rows * columns }, drawnCell) : [];
  });

  view.effect(() => {
    const [rows, columns] = shape.value.split(" ");
    picture.style.setProperty("--rows", rows!);
    picture.style.setProperty("--columns", columns!);
    cells.replaceChildren(...drawn.value.map(({ root }) => root));
  });
  cells.addEventListener("pointerdown", ({ target }) => {
    const index = drawn.value.findIndex(({ root }) => root === target);
    if (index >= 0) choose(index);
  });
  view.effect(() => {
    if (!shown.value || !hasRows(shown.value)) return;
    const { lab, outcome, row } = shown.value;
    const largest = outcome.format.element.values.at(-1)!;
    const setters = new Set(ofRow(shown.value).map(({ setter }) => setter));
    drawn.value.forEach((cell, index) => {
      const { kind, result, value } = outcome.elements[index]!;
      const sets = setters.has(index);
      const text = sets && lab.columns <= WIDEST ? number(value, 3) : "";
      const share = Math.abs(result) / (largest * outcome.blockAt(index).unit || 1);
      cell.draw(sets ? "setter" : kind, text.length <= SHORT ? text : "", Math.round(FAINTEST + (100 - FAINTEST) * share));
    });
    frame.style.setProperty("--row", String(row));
    setText(heading, t("blocks.matrix", { rows: lab.values.length / lab.columns, columns: lab.columns }));
    set(picture, { "aria-label": t("blocks.matrix_is", { rows: lab.values.length / lab.columns, columns: lab.columns, lost: outcome.lost, all: outcome.all, row }) });
  });
  const isBracket = computed(() => shown.value !== null && is2d(shown.value.lab.format));
  /** A line for each row: its scales, and their share of the largest; of blocks in two dimensions, a line for each block. */
  const scaleLines = computed(() => {
    if (!shown.value || !hasRows(shown.value)) return "";
    const { lab: { columns, format }, outcome, outcome: { blocks } } = shown.value;
    if (is2d(format)) return blocks.map((block) => `${scaleText(outcome, block, 3)}\t${block.members.length}`).join("\n");
    const most = Math.max(...blocks.map(({ unit }) => unit));
    const across = Math.ceil(columns / format.block[1]);
    return outcome.rows.map((_, row) => {
      const own = blocks.slice(row * across, (row + 1) * across);
      const share = most === 0 ? 0 : Math.max(...own.map(({ unit }) => unit)) / most;
      return `${own.map((block) => scaleText(outcome, block, 2)).join(" ")}\t${(100 * share).toFixed(0)}`;
    }).join("\n");
  });
  view.effect(() => { // drawn anew only where a text differs
    set(scales, { class: isBracket.value ? "mw-matrix-scales mw-matrix-bracket" : "mw-matrix-scales" });
    scales.replaceChildren(...scaleLines.value.split("\n").map((line) => {
      const [text, figure] = line.split("\t") as [string, string];
      if (isBracket.value) return h("div", {}, h("strong", {}, text), h("span", {}, t("blocks.for_all", { count: figure })));
      const bar = h("i");
      bar.style.setProperty("inline-size", `${figure}%`);
      return h("div", {}, h("span", {}, text), h("b", {}, bar));
    }));
  });
  view.effect(() => {
    scaleLines.value;
    [...scales.children].forEach((line, at) => line.classList.toggle("mw-matrix-chosen", !isBracket.value && at === shown.value?.row));
  });
  view.effect(() => set(element, { hidden: !shown.value || !hasRows(shown.value) }));
  return element;
}

/** A cell, which is touched only where it changes. */
function drawnCell() {
  const root = h("div", { class: "mw-cell" });
  let last = "";
  return {
    root,
    draw(kind: string, text: string, shade: number): void {
      const look = `${kind} ${text} ${shade}`;
      if (look === last) return;
      last = look;
      set(root, { class: `mw-cell mw-cell-${kind}`, "data-value": text });
      root.style.setProperty("--shade", `${shade}%`);
    },
  };
}

/** The blocks that have elements in the chosen row. */
function ofRow({ outcome, row, lab: { columns } }: Shown): Block[] {
  return [...new Set(Array.from({ length: columns }, (_, column) => outcome.blockAt(row * columns + column)))];
}

/** Chooses the row: two buttons, and between them its number, which the arrow keys change. */
export function rowStepper({ view, shown, choose }: EditableLab): HTMLElement {
  const place = h("span", { class: "mw-num mw-row-number", role: "spinbutton", tabindex: 0, "aria-label": t("blocks.row") });
  const goTo = (row: number) => {
    if (!shown.value) return;
    const { lab: { values, columns }, active, row: from } = shown.value;
    if (row >= 0 && row < values.length / columns) choose(active + (row - from) * columns);
  };
  const step = (by: number) => goTo(shown.value!.row + by);
  place.addEventListener("keydown", (event) => {
    const last = shown.value!.lab.values.length / shown.value!.lab.columns - 1;
    const to = ({ ArrowUp: shown.value!.row - 1, ArrowDown: shown.value!.row + 1, ArrowLeft: shown.value!.row - 1, ArrowRight: shown.value!.row + 1, Home: 0, End: last } as Record<string, number>)[event.key];
    if (to === undefined || hasModifier(event)) return;
    event.preventDefault();
    goTo(to);
  });
  const element = h("div", { class: "mw-lab-control" }, h("span", { class: "mw-muted", "aria-hidden": "true" }, t("blocks.row")),
    h("div", { class: "mw-row" },
      button("‹", () => step(-1), { "aria-label": t("blocks.row_before") }), place, button("›", () => step(1), { "aria-label": t("blocks.row_after") })));
  view.effect(() => {
    if (!shown.value) return;
    const { outcome, row } = shown.value;
    const { lost, all } = lossOf(outcome.rows[row]!);
    setText(place, String(row));
    set(place, { "aria-valuenow": row, "aria-valuemin": 0, "aria-valuemax": outcome.rows.length - 1, "aria-valuetext": t("blocks.row_is", { row, lost, all }) });
    set(element, { hidden: !hasRows(shown.value) });
  });
  return element;
}
