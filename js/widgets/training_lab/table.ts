// The table of runs: which are drawn, and how each one ended.

import { h, set, setText } from "../../ui/dom.ts";
import { t } from "../../ui/messages.ts";
import { lineSample } from "./chart.ts";
import type { Row } from "./state.ts";
import { axisNumber, count, decimal, metric, metricName, metricOf, status } from "./words.ts";

interface Line {
  element: HTMLTableRowElement;
  box: HTMLInputElement;
  show: (row: Row, name: string, style: number | undefined, named: boolean) => void;
}

export function runTable(toggle: (id: string, shown: boolean) => void): {
  element: HTMLElement;
  show: (rows: readonly Row[], names: ReadonlyMap<string, string>, styles: ReadonlyMap<string, number>) => void;
} {
  const body = h("tbody");
  const column = (text: string, kind = "mw-cell") => h("th", { scope: "col", class: kind }, text);
  const score = column("");
  const head = h("tr", {}, column(t("lab.run"), ""), score, column(t("lab.loss")), column(t("lab.skipped")));
  const table = h("table", {}, h("caption", {}, t("lab.table_caption")), h("thead", {}, head), body);
  const empty = h("p", { class: "mw-note" }, t("lab.no_runs"));
  const element = h("div", { class: "mw-runs" }, table, empty);
  const lines = new Map<string, Line>();

  const show = (rows: readonly Row[], names: ReadonlyMap<string, string>, styles: ReadonlyMap<string, number>) => {
    set(table, { hidden: rows.length === 0 });
    set(empty, { hidden: rows.length > 0 });
    // One metric is named in the head; where tasks differ, each in its cell.
    const metrics = new Set(rows.map(metricOf).filter((name) => name !== undefined));
    setText(score, metrics.size === 1 ? metricName([...metrics][0]!) : t("lab.score"));
    rows.forEach((row, i) => {
      let line = lines.get(row.id);
      if (!line) lines.set(row.id, (line = tableLine(row.id, toggle)));
      if (body.children[i] !== line.element) body.insertBefore(line.element, body.children[i] ?? null);
      line.show(row, names.get(row.id) ?? row.recipe, styles.get(row.id), metrics.size > 1);
    });
    const wanted = new Set(rows.map((row) => row.id));
    for (const [id, line] of lines) {
      if (wanted.has(id)) continue;
      line.element.remove();
      lines.delete(id);
    }
  };
  return { element, show };
}

function details(row: Row): string {
  const weight = row.loss_weight === 1 ? [] : [t("lab.loss_weight_is", { weight: axisNumber(row.loss_weight) })];
  const seed = row.seed === null ? t("lab.watched") : t("lab.seed_is", { seed: row.seed });
  return [seed, ...weight, status(row)].join(" · ");
}

function tableLine(id: string, toggle: (id: string, shown: boolean) => void): Line {
  const box = h("input", { type: "checkbox" });
  box.addEventListener("change", () => toggle(id, box.checked));
  const sample = lineSample();
  const title = h("span", { class: "mw-run-name" });
  const detail = h("span", { class: "mw-run-detail" });
  const score = h("td", { class: "mw-cell mw-num" });
  const loss = h("td", { class: "mw-cell mw-num" });
  const skipped = h("td", { class: "mw-cell mw-num" });
  const element = h(
    "tr",
    {},
    h("th", { scope: "row" }, h("label", {}, box, sample.element, title), detail),
    score,
    loss,
    skipped,
  );
  const show = (row: Row, name: string, style: number | undefined, named: boolean) => {
    box.checked = style !== undefined;
    sample.show(style);
    setText(title, name);
    setText(detail, details(row));
    set(detail, { title: row.message === "" ? undefined : row.message });
    const own = metricOf(row);
    const value = own === undefined ? "–" : metric(own, row.metrics[own] ?? null);
    setText(score, named && own !== undefined ? `${value} ${metricName(own)}` : value);
    setText(loss, decimal(row.metrics["loss"] ?? null));
    setText(skipped, row.scaled ? count(row.skipped) : "–");
  };
  return { element, box, show };
}
