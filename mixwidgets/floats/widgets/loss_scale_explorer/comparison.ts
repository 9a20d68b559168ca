// The same gradients at the same scale in other formats.

import { computed } from "@preact/signals-core";
import { getFormat } from "#core/formats/catalogue.ts";
import { Answers } from "#core/gradients/answers.ts";
import { estimatedError } from "#core/gradients/rounding_error.ts";
import { twoTo } from "#ui/digits.ts";
import { h, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { percent, share } from "#ui/ruler/words.ts";
import { openState } from "#ui/view.ts";
import { formatRow, formatTable } from "./format_table.ts";
import { choices, type Explored } from "./state.ts";

const MOST = 3; // formats beside the one that is explored
const COLUMNS = ["flushed", "subnormal", "overflow", "best", "error"] as const;

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
      const its = compared.value[i];
      const words = its ? said(its, scale.value) : [];
      [...row.cells].slice(1).forEach((cell, column) => setText(cell, words[column] ?? ""));
    });
  });
  return element;
}

/** A row's cells, in the order of COLUMNS. */
function said(answers: Answers, log2: number): string[] {
  const { total, format, best } = answers;
  const [flushed, subnormal, , overflow] = answers.totals(log2);
  const shares = [flushed, subnormal, overflow].map((count) => share(count!, total.finite));
  return [...shares, twoTo(best.log2), percent(estimatedError(total, format, log2))];
}
