// What opens below the lab: runs side by side, and a run's gradients in a LossScaleExplorer. Where the host shows no widget in a
// widget, the panel has the line of Python that opens it.

import { signal } from "@preact/signals-core";
import { button } from "#ui/buttons.ts";
import { lineSample } from "#ui/chart/chart.ts";
import { h, setText, uniqueId } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { grouped } from "./fields.ts";
import type { Lab } from "./lab.ts";
import { lineOf } from "./lines.ts";
import type { Comparison, State } from "./state.ts";
import { fieldName, fieldValue, spaced, titlesOf } from "./words.ts";

export function panel(close: () => void) {
  const heading = h("h4", { id: uniqueId("panel"), tabindex: -1 });
  const body = h("div", { class: "mw-panel-body" });
  let from: HTMLElement | undefined;
  let isExpected = false;
  const closing = button(t("lab.close"), () => {
    close();
    from?.focus();
  });
  const element = h("section", { class: "mw-panel", "aria-labelledby": heading.id, hidden: true }, h("div", { class: "mw-head" }, heading, closing), body);
  return {
    element,
    body,
    /** Open it with this heading; undefined closes it. */
    title(text: string | undefined) {
      const opens = element.hidden && text !== undefined;
      element.hidden = text === undefined;
      setText(heading, text ?? "");
      if (opens && isExpected) heading.focus();
      if (opens) isExpected = false;
    },
    /** The button that gets the focus when it closes, also if Python or a saved page opened it. */
    opener: (by: HTMLElement) => void (from = by),
    /** Give it the focus when it opens, since the user has just pressed this button. */
    expect(by: HTMLElement) {
      from = by;
      isExpected = element.hidden === true;
    },
  };
}

export type ComparisonPanel = ReturnType<typeof comparisonPanel>;

export function comparisonPanel({ view, names, rows, styles, hasKernel, ask }: Lab) {
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
    const byId = new Map(rows.value.map((row) => [row.id, row]));
    const alike = grouped(comparison.runs.map((id, i) => ({ id, i })), ({ id }) => (byId.has(id) ? lineOf(byId.get(id)!) : id));
    const heads = alike.map(([, runs]) => ({
      name: runs.length > 1 ? t("lab.line_of_seeds", { name: spaced(byId.get(runs[0]!.id)!.recipe), seeds: runs.length }) : (names.value.get(runs[0]!.id) ?? runs[0]!.id),
      style: styles.value.get(runs[0]!.id), columns: runs.map(({ i }) => i),
    }));
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

/** A column: a run, or the seeds of one recipe. */
interface Head {
  name: string;
  style: number | undefined;
  columns: readonly number[];
}

/** The values of a column's runs: their mean and range if they are numbers, else each that there is, once. */
function together(field: string, values: readonly (string | number | boolean | null)[], titles: ReadonlyMap<string, string>, unit: string): string {
  const write = (value: string | number | boolean | null) => fieldValue(field, value, titles, unit);
  const [numbers, written] = [values.filter((value) => typeof value === "number"), [...new Set(values.map(write))]];
  if (numbers.length < values.length || written.length === 1 || field === "seed") return listed(written);
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  return t("lab.mean_and_range", { mean: write(mean), low: write(Math.min(...numbers)), high: write(Math.max(...numbers)) });
}

/** Roles are named: on a narrow card the rows are drawn as blocks, which in some browsers takes a table's from it. */
function tableOf({ rows }: Comparison, heads: readonly Head[], titles: ReadonlyMap<string, string>): HTMLElement {
  const part = (kind: "setting" | "result", heading: string) => {
    const some = rows.filter((row) => row.kind === kind);
    const lines = some.map(({ field, values, unit }) =>
      h("tr", { role: "row" },
        h("th", { scope: "row", role: "rowheader", title: field }, fieldName(field, titles)),
        ...heads.map(({ name, columns }) => h("td", { role: "cell", "data-run": name, class: "mw-num" },
          together(field, columns.map((i) => values[i] ?? null), titles, unit)))));
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

/** What ipywidgets' manager offers, beyond what anywidget's types tell. */
interface ViewManager {
  get_model(id: string): Promise<unknown>;
  create_view(model: unknown): Promise<{ el: HTMLElement; remove(): void }>;
}

const managerOf = (model: { widget_manager?: unknown }): ViewManager | undefined => {
  const manager = model.widget_manager as Partial<ViewManager> | undefined;
  return typeof manager?.create_view === "function" && typeof manager.get_model === "function" ? (manager as ViewManager) : undefined;
};

export type GradientsPanel = ReturnType<typeof gradientsPanel>;

export function gradientsPanel({ view, names, drawn, hasKernel, ask }: Lab) {
  const manager = managerOf(view.model);
  const [explorer, explorerRun] = [view.trait("_explorer"), view.trait("_explorer_run")]; // a reference, and whose gradients it shows
  const byHand = signal<string | null>(null); // the run whose gradients the page offers without the kernel
  const { element, body, title, opener, expect } = panel(() => {
    byHand.value = null;
    if (manager && hasKernel.value) ask("gradients", { run: null });
    else view.send("_explorer", null);
  });
  const why = h("p", { class: "mw-note", id: uniqueId("why") }, t("lab.gradients_by_hand"));
  const line = h("code", { class: "mw-num mw-python", tabindex: 0, role: "group", "aria-labelledby": why.id });
  const python = h("div", { class: "mw-stack-tight" }, why, line);
  let shown: string | null = null; // a reference; "" for the line of Python
  let inside: { remove(): void } | undefined;

  const clear = () => {
    inside?.remove();
    inside = undefined;
    body.replaceChildren();
  };
  const put = async (reference: string) => {
    try {
      const model = await manager!.get_model(reference.replace(/^IPY_MODEL_/, ""));
      if (shown !== reference) return;
      const made = await manager!.create_view(model);
      if (shown !== reference) return made.remove();
      inside = made;
      body.replaceChildren(made.el);
    } catch {
      if (shown === reference) body.replaceChildren(python); // the kernel that had it is gone
    }
  };

  view.effect(() => {
    const run = byHand.value ?? (explorer.value ? explorerRun.value : null);
    title(run ? t("lab.gradients_of", { name: names.value.get(run) ?? run }) : undefined);
    setText(line, run ? `mw.LossScaleExplorer(mw.open_run(${JSON.stringify(`${view.model.get("_runs_dir")}/${run}`)}))` : "");
    const wanted = run ? (manager && explorer.value) || "" : null;
    if (wanted === shown) return;
    clear();
    shown = wanted;
    if (wanted) void put(wanted);
    else if (run) body.replaceChildren(python);
  });
  view.onClose(() => {
    shown = null; // what is still on its way comes too late
    clear();
  });
  return {
    element,
    opener,
    needsKernel: manager !== undefined,
    /** Ask for a run's gradients, by a button; of its newest step, if none is named. */
    open(by: HTMLElement, wanted: { run: string; step?: number }) {
      expect(by);
      if (manager) ask("gradients", wanted);
      else byHand.value = wanted.run;
    },
    /** Show those of another step; 0: the newest. */
    follow(step: number) {
      const run = explorerRun.value;
      if (explorer.value && drawn.value.some(({ row }) => row.id === run)) ask("gradients", { run, step });
    },
  };
}
