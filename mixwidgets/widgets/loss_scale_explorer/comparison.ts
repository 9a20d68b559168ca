// The same gradients at the same scale in other formats.

import type { FloatFormat } from "#core/formats/float_format.ts";
import { Answers } from "#core/gradients/answers.ts";
import { estimatedError } from "#core/gradients/rounding_error.ts";
import type { GradientSummary } from "#core/gradients/summary.ts";
import { h, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { percent, power, share } from "./words.ts";

const MOST = 3; // formats beside the one that is explored
const COLUMNS = ["flushed", "subnormal", "overflow", "best", "error"] as const;

export interface Comparison {
  readonly element: HTMLElement;
  /** Take other gradients or other formats. */
  replace(answers: Answers, compared: readonly FloatFormat[]): void;
  draw(log2LossScale: number): void;
}

interface Row {
  readonly element: HTMLTableRowElement;
  readonly cells: HTMLTableCellElement[];
  answers?: Answers;
}

/** `choose` is called with the names of the formats that are compared. */
export function comparison(choices: readonly FloatFormat[], choose: (names: string[]) => void): Comparison {
  const own = h("span");
  const selects = Array.from({ length: MOST }, (_, i) => h("select", { "aria-label": t("explorer.compare_with", { which: i + 1 }) },
    h("option", { value: "" }, t("explorer.compare_none")), ...choices.map(({ name }) => h("option", { value: name }, name))));
  for (const select of selects) {
    select.addEventListener("change", () => choose([...new Set(selects.map(({ value }) => value).filter(Boolean))]));
  }
  // The roles are those of the elements, said aloud because a narrow page lays them out as a grid.
  const rows = [own, ...selects].map((head): Row => {
    const cells = COLUMNS.map(() => h("td", { role: "cell" }));
    return { element: h("tr", { role: "row" }, h("th", { scope: "row", role: "rowheader" }, head), ...cells), cells };
  });
  const heading = (text: string) => h("th", { scope: "col", role: "columnheader" }, text);
  const head = h("tr", { role: "row" }, heading(t("common.formats")), ...COLUMNS.map((column) => heading(t(`explorer.column_${column}`))));
  const summary = h("summary", {}, t("explorer.compare"));
  const table = h("table", { class: "mw-compare", role: "table", "aria-label": t("explorer.compare") },
    h("thead", { role: "rowgroup" }, head), h("tbody", { role: "rowgroup" }, ...rows.map((row) => row.element)));
  const element = h("details", { class: "mw-unfolding" }, summary, table, h("p", { class: "mw-note" }, t("explorer.compare_note")));
  let total: GradientSummary | undefined;
  let log2 = 0;

  element.addEventListener("toggle", () => draw(log2));

  function replace(answers: Answers, compared: readonly FloatFormat[]): void {
    total = answers.total;
    setText(own, answers.format.name);
    [answers.format, ...compared].forEach((format, i) => {
      rows[i]!.answers = format === answers.format ? answers : new Answers([answers.total], format);
    });
    selects.forEach((select, i) => {
      select.value = compared[i]?.name ?? "";
      if (!compared[i]) delete rows[i + 1]!.answers;
    });
    draw(log2);
  }

  function draw(next: number): void {
    log2 = next;
    if (!element.open || !total) return;
    for (const { answers, cells } of rows) {
      const words = answers ? said(answers, total, log2) : COLUMNS.map(() => "");
      cells.forEach((cell, i) => setText(cell, words[i]!));
    }
  }
  return { element, replace, draw };
}

/** A row's cells, in the order of COLUMNS. */
function said(answers: Answers, total: GradientSummary, log2: number): string[] {
  const [flushed, subnormal, , overflow] = answers.totals(log2);
  const shares = [flushed, subnormal, overflow].map((count) => share(count!, total.finite));
  return [...shares, power(answers.best.log2), percent(estimatedError(total, answers.format, log2))];
}
