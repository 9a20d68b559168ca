// Two tables of formats: the same gradients at the same scale in other formats, and what block formats lose of them.

import { computed } from "@preact/signals-core";
import { getFormat } from "#core/formats/catalogue.ts";
import { Answers, estimatedError } from "#core/gradients/answers.ts";
import type { GradientSummary } from "#core/gradients/summary.ts";
import { twoTo, withMinus } from "#ui/digits.ts";
import { h, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { percent, share } from "#ui/ruler/words.ts";
import { openState } from "#ui/view.ts";
import { choices, type Explored } from "./state.ts";

const MOST = 3; // formats beside the one that is explored
const COLUMNS = ["flushed", "subnormal", "overflow", "best", "error"] as const;
const BLOCK_COLUMNS = ["flushed", "clipped", "error", "range", "amax"] as const;

/** The same gradients at the same scale in other formats. */
export function comparison({ view, answers, scale }: Explored): HTMLElement {
  const own = h("span");
  const selects = Array.from({ length: MOST }, (_, i) => h("select", { "aria-label": t("explorer.compare_with", { which: i + 1 }) },
    h("option", { value: "" }, t("explorer.compare_none")), ...choices.map(({ name }) => h("option", { value: name }, name))));
  for (const select of selects) {
    select.addEventListener("change", () => view.send("compare", [...new Set(selects.map(({ value }) => value).filter(Boolean))]));
  }
  const rows = [own, ...selects].map((head) => formatRow(head, COLUMNS.map(() => "")));
  const { table, body } = formatTable(t("explorer.compare"), COLUMNS.map((column) => t(`explorer.column_${column}`)));
  body.append(...rows);
  const element = h("details", { class: "mw-unfolding" },
    h("summary", {}, t("explorer.compare")), table, h("p", { class: "mw-note" }, t("explorer.compare_note")));
  const isOpen = openState(element);
  const names = view.trait("compare");
  const formats = computed(() => names.value.map(getFormat).filter((format) => format !== undefined));
  const compared = computed(() => [answers.value, ...formats.value.map((format) =>
    format === answers.value.format ? answers.value : new Answers([answers.value.total], format))]);

  view.effect(() => {
    setText(own, answers.value.format.name);
    selects.forEach((select, i) => (select.value = formats.value[i]?.name ?? ""));
  });
  view.effect(() => {
    if (!isOpen.value) return;
    rows.forEach((row, i) => {
      const results = compared.value[i];
      const words = results ? cellsOf(results, scale.value) : [];
      [...row.cells].slice(1).forEach((cell, column) => setText(cell, words[column] ?? ""));
    });
  });
  return element;
}

/** A row's cells, in the order of COLUMNS. */
function cellsOf(answers: Answers, log2: number): string[] {
  const { total, format, best } = answers;
  const [flushed, subnormal, , overflow] = answers.totals(log2);
  const shares = [flushed, subnormal, overflow].map((count) => share(count!, total.finite));
  return [...shares, twoTo(best.log2), percent(estimatedError(total, format, log2))];
}

/** What block formats lose of the tensors shown. This does not follow from the counts, and is shown where it was recorded. */
export function blockFormats({ view, all, answers }: Explored): HTMLElement {
  const { table, body } = formatTable(t("explorer.blocks"), BLOCK_COLUMNS.map((column) => t(`explorer.blocks_${column}`)));
  const element = h("section", { class: "mw-stack-tight" },
    h("h4", {}, t("explorer.blocks")), table, h("p", { class: "mw-note" }, t("explorer.blocks_note")));

  view.effect(() => {
    const formats = new Set(all.value.summaries.flatMap(({ blocks }) => blocks.map(({ format }) => format)));
    element.hidden = formats.size === 0;
    body.replaceChildren(...[...formats].map((format) => blockRow(format, answers.value.summaries)));
  });
  return element;
}

function blockRow(format: string, shown: readonly GradientSummary[]): HTMLElement {
  const records = shown.map(({ blocks }) => blocks.find((block) => block.format === format));
  if (!records.every((record) => record !== undefined)) return formatRow(format, [t("explorer.blocks_unknown")], { colspan: BLOCK_COLUMNS.length });
  const all = shown.reduce((sum, { finite }) => sum + finite, 0);
  const total = (field: "flushed" | "clipped") => share(records.reduce((sum, record) => sum + record[field], 0), all);
  const single = records.length === 1 ? records[0] : undefined;
  const tenths = (value: number) => withMinus(value.toFixed(1));
  const span = (low: number | null | undefined, high: number | null | undefined) =>
    low == null || high == null ? "–" : `${tenths(low)} … ${tenths(high)}`;
  const log2 = (amax: number | null | undefined) => amax && Math.log2(amax);
  const cells = [
    total("flushed"), total("clipped"), single ? percent(single.relative_error ?? Infinity) : "–",
    span(single?.block_range_p50, single?.block_range_max), span(log2(single?.block_amax_min), log2(single?.block_amax_max)),
  ];
  const head = single?.blocks_along ? t("explorer.blocks_row", { format, axes: single.blocks_along }) : format;
  return formatRow(head, cells);
}

/** A table of formats. The roles, which the elements have by themselves, are stated because a narrow page lays the table out
 * as a grid, and a browser then drops them. */
function formatTable(label: string, columns: readonly string[]): { table: HTMLElement; body: HTMLElement } {
  const heads = [t("common.formats"), ...columns].map((text) => h("th", { scope: "col", role: "columnheader" }, text));
  const body = h("tbody", { role: "rowgroup" });
  const table = h("table", { class: "mw-compare", role: "table", "aria-label": label },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...heads)), body);
  return { table, body };
}

function formatRow(head: HTMLElement | string, cells: readonly string[], attributes = {}): HTMLTableRowElement {
  return h("tr", { role: "row" }, h("th", { scope: "row", role: "rowheader" }, head), ...cells.map((text) => h("td", { role: "cell", ...attributes }, text)));
}
