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
    return rows > 1 ? Array.from({ length: rows * columns }, (): HTMLElement => h("div", { class: "mw-cell" })) : [];
  });

  view.effect(() => {
    const [rows, columns] = shape.value.split(" ");
    picture.style.setProperty("--rows", rows!);
    picture.style.setProperty("--columns", columns!);
    cells.replaceChildren(...drawn.value);
  });
  cells.addEventListener("pointerdown", ({ target }) => {
    const index = drawn.value.indexOf(target as HTMLElement);
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
      set(cell, { class: sets ? "mw-cell mw-cell-setter" : `mw-cell mw-cell-${kind}`, "data-value": text.length <= SHORT ? text : "" });
      const share = Math.abs(result) / (largest * outcome.blockAt(index).unit || 1);
      cell.style.setProperty("--shade", `${Math.round(FAINTEST + (100 - FAINTEST) * share)}%`);
    });
    frame.style.setProperty("--row", String(row));
    setText(heading, t("blocks.matrix", { rows: lab.values.length / lab.columns, columns: lab.columns }));
    set(picture, { "aria-label": t("blocks.matrix_is", { rows: lab.values.length / lab.columns, columns: lab.columns, lost: outcome.lost, all: outcome.all, row }) });
  });
  view.effect(() => {
    if (!shown.value || !hasRows(shown.value)) return;
    const { lab: { values, columns, format }, outcome, row } = shown.value;
    const most = Math.max(...outcome.blocks.map(({ unit }) => unit));
    set(scales, { class: is2d(format) ? "mw-matrix-scales mw-matrix-bracket" : "mw-matrix-scales" });
    if (is2d(format)) {
      return scales.replaceChildren(...outcome.blocks.map((block) => h("div", {}, h("strong", {}, scaleText(outcome, block, 3)), h("span", {}, t("blocks.for_all", { count: block.members.length })))));
    }
    const across = Math.ceil(columns / format.block[1]);
    scales.replaceChildren(...Array.from({ length: values.length / columns }, (_, at) => {
      const blocks = outcome.blocks.slice(at * across, (at + 1) * across);
      const bar = h("i");
      bar.style.setProperty("inline-size", `${most === 0 ? 0 : 100 * Math.max(...blocks.map(({ unit }) => unit)) / most}%`);
      return h("div", { class: at === row ? "mw-matrix-chosen" : undefined }, h("span", {}, blocks.map((block) => scaleText(outcome, block, 2)).join(" ")), h("b", {}, bar));
    }));
  });
  view.effect(() => set(element, { hidden: !shown.value || !hasRows(shown.value) }));
  return element;
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
