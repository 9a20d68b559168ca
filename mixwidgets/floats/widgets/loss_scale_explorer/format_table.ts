// A table of formats. The roles are those of the elements, said aloud because a narrow page lays them out as a grid.

import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";

export function formatTable(label: string, columns: readonly string[]): { table: HTMLElement; body: HTMLElement } {
  const heads = [t("common.formats"), ...columns].map((text) => h("th", { scope: "col", role: "columnheader" }, text));
  const body = h("tbody", { role: "rowgroup" });
  const table = h("table", { class: "mw-compare", role: "table", "aria-label": label },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...heads)), body);
  return { table, body };
}

export function formatRow(head: HTMLElement | string, cells: readonly string[], attributes = {}): HTMLTableRowElement {
  return h("tr", { role: "row" }, h("th", { scope: "row", role: "rowheader" }, head), ...cells.map((text) => h("td", { role: "cell", ...attributes }, text)));
}
