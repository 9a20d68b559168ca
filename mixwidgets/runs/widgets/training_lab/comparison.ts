// Runs side by side: the settings in which they differ, how each ended, and what each lost.

import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { lineSample } from "#ui/chart/chart.ts";
import { fieldName, fieldValue, titlesOf } from "./comparison_words.ts";
import type { Lab } from "./lab.ts";
import { panel } from "./panel.ts";
import type { Comparison, State } from "./state.ts";

export type ComparisonPanel = ReturnType<typeof comparisonPanel>;

export function comparisonPanel({ view, names, styles, hasKernel, ask }: Lab) {
  const shown = view.trait("_comparison");
  const { element, body, title, opener, expect } = panel(() => {
    if (hasKernel.value) ask("compare", { runs: [] });
    else view.send("_comparison", {});
  });
  const titles = titlesOf(view.model.get("_recipe_form"), view.model.get("_tasks"));
  let drawn = "";

  view.effect(() => {
    const comparison = shown.value;
    const isOpen = isComparison(comparison);
    title(isOpen ? t("lab.compared", { count: comparison.runs.length }) : undefined);
    if (!isOpen) return;
    const heads = comparison.runs.map((id) => ({ name: names.value.get(id) ?? id, style: styles.value.get(id) }));
    const key = JSON.stringify([comparison, heads]);
    if (key === drawn) return;
    drawn = key;
    body.replaceChildren(tableOf(comparison, heads, titles));
  });
  return {
    element,
    opener,
    /** Ask for a comparison of these runs, by a button. */
    open(by: HTMLElement, runs: string[]) {
      expect(by);
      ask("compare", { runs });
    },
  };
}

function isComparison(value: State["_comparison"]): value is Comparison {
  return Array.isArray(value?.["runs"]) && value["runs"].length > 0 && Array.isArray(value["rows"]);
}

interface Head {
  name: string;
  style: number | undefined;
}

/** Roles are named: on a narrow card the rows are drawn as blocks, which in some browsers takes a table's from it. */
function tableOf({ rows }: Comparison, heads: readonly Head[], titles: ReadonlyMap<string, string>): HTMLElement {
  const part = (kind: "setting" | "result", heading: string) => {
    const some = rows.filter((row) => row.kind === kind);
    const lines = some.map(({ field, values }) =>
      h("tr", { role: "row" },
        h("th", { scope: "row", role: "rowheader", title: field }, fieldName(field, titles)),
        ...heads.map(({ name }, i) => h("td", { role: "cell", "data-run": name, class: "mw-num" }, fieldValue(field, values[i] ?? null, titles)))));
    const head = h("tr", { role: "row" }, h("th", { scope: "rowgroup", role: "rowheader", class: "mw-part", colspan: heads.length + 1 }, heading));
    return h("tbody", { role: "rowgroup" }, head, ...lines);
  };
  const columns = heads.map(({ name, style }) =>
    h("th", { scope: "col", role: "columnheader" }, h("span", { class: "mw-row" }, style === undefined ? null : lineSample(style).element, name)));
  const isSame = !rows.some((row) => row.kind === "setting");
  const table = h("table", { role: "table", "aria-label": t("lab.comparison") },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, h("th", { role: "columnheader", scope: "col" }, t("lab.field")), ...columns)),
    part("setting", t(isSame ? "lab.same_settings" : "lab.settings")),
    part("result", t("lab.results")));
  return h("div", { class: "mw-comparison", role: "region", "aria-label": t("lab.comparison"), tabindex: 0 }, table);
}
