// The list of runs: finding them, and a table of those that are found.

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { button } from "#ui/buttons.ts";
import { lineSample } from "#ui/chart/chart.ts";
import { integer } from "#ui/digits.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { finder, wordsIn } from "#ui/finder/finder.ts";
import { t } from "#ui/messages.ts";
import { axisNumber, decimal, metric, metricName, percent, statusWord } from "#ui/run_words.ts";
import { kept } from "#ui/view.ts";
import type { Lab } from "./lab.ts";
import { isFailure, type Row } from "./state.ts";
import { dateOf, metricOf, spaced, status } from "./words.ts";

const FEW = 8; // runs that the table shows without scrolling, where nothing needs to be found

const ORDERS = ["newest", "oldest", "selected", "starred", "task", "recipe", "status", "score", "loss"] as const;

/** `found`: the runs that are looked for, in the order that is chosen. */
export function runFinder({ view, rows, names, ids }: Lab): { element: HTMLElement; found: ReadonlySignal<Row[]> } {
  const titles = new Map(view.model.get("_tasks").map(({ name, title }) => [name, title]));

  /** A list of the values that the runs have; "" stands for any. */
  function choice(kind: "task" | "recipe" | "status", word: (value: string) => string) {
    const chosen = signal("");
    const any = h("option", { value: "" }, t(`lab.any_${kind}`));
    const select = h("select", { "aria-label": t(`lab.filter_${kind}`) }, any);
    select.addEventListener("change", () => (chosen.value = select.value));
    const values = kept<string[]>([], (last) => {
      const now = [...new Set(rows.value.map((row) => row[kind]))].sort();
      return now.length === last.length && now.every((value, i) => value === last[i]) ? last : now;
    });
    view.effect(() => {
      select.replaceChildren(any, ...values.value.map((value) => h("option", { value }, word(value))));
      if (!values.value.includes(chosen.peek())) chosen.value = "";
      select.value = chosen.peek();
    });
    return { select, takes: (row: Row) => chosen.value === "" || row[kind] === chosen.value };
  }
  const choices = [choice("task", (name) => titles.get(name) ?? name), choice("recipe", spaced), choice("status", statusWord)];
  const { element, text, order, told } = finder(t("lab.search"), t("lab.order"),
    ORDERS.map((name) => [name, t(`lab.order_${name}`)] as const), ...choices.map(({ select }) => select));
  const textOf = (row: Row) =>
    [row.task, titles.get(row.task), row.recipe, names.value.get(row.id), row.note, details(row, true, true)].join(" ").toLowerCase();
  const seed = /(\d+)/[Symbol.split](t("lab.seed_is", { seed: 7 })); // its words before the number, and after
  const seedAsked = new RegExp(`(?<![\\p{L}\\d])${seed[0]!.trim()}\\s*(\\d+)(?!\\d)`, "iu");

  const found = computed(() => {
    const asked = seedAsked.exec(text.value); // "seed 0" is that seed, and no other number with a 0
    const words = wordsIn(asked ? text.value.replace(asked[0], " ") : text.value);
    const hasWords = (row: Row) => {
      if (asked && row.seed !== Number(asked[1])) return false;
      const shown = words.length > 0 ? textOf(row) : "";
      return words.every((word) => shown.includes(word) || row.id.startsWith(word)); // an id begins with the date
    };
    const some = rows.value.filter((row) => choices.every(({ takes }) => takes(row)) && hasWords(row));
    return order.value === "selected" ? some.sort((a, b) => Number(ids.value.includes(b.id)) - Number(ids.value.includes(a.id))) : sorted(some, order.value);
  });
  view.effect(() => {
    set(element, { hidden: rows.value.length <= FEW });
    const [some, all] = [found.value.length, rows.value.length];
    setText(told, some === all ? t("lab.runs_count", { count: integer(all) }) : t("lab.runs_found", { count: integer(some), all: integer(all) }));
  });
  return { element, found };
}

/** Rows that are equal in `order` stay newest first; numbers that are unknown or not finite come last. */
function sorted(rows: Row[], order: Exclude<(typeof ORDERS)[number], "selected">): Row[] {
  const by = (key: (row: Row) => number) => rows.sort((a, b) => compare(key(a), key(b)));
  switch (order) {
    case "newest": return rows;
    case "oldest": return rows.reverse();
    case "starred": return by((row) => (row.star ? 0 : 1));
    case "score": return by((row) => -finite(row.metrics[metricOf(row) ?? ""], -Infinity));
    case "loss": return by((row) => finite(row.metrics["loss"], Infinity));
    default: return rows.sort((a, b) => a[order].localeCompare(b[order]));
  }
}

const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);
const finite = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise);

const WINDOW = 100; // rows that are drawn at first, and more of them each time that more are asked for

/** Of `found`, those in the window are drawn, and those that are selected. */
export function runTable({ view, rows, names, ids, styles, select }: Lab, found: ReadonlySignal<Row[]>): HTMLElement {
  const body = h("tbody");
  const column = (text: string, kind = "mw-cell") => h("th", { scope: "col", class: kind }, text);
  const [score, last] = [column(""), column("")];
  const head = h("tr", {}, column(t("lab.run"), ""), score, column(t("lab.loss")), last);
  const caption = h("p", { class: "mw-note", id: uniqueId("caption") });
  const table = h("table", { "aria-describedby": caption.id }, h("thead", {}, head), body);
  const empty = h("p", { class: "mw-note" });
  const more = button("", () => {
    limit.value += WINDOW;
    if (more.hidden) region.focus(); // the button that had it is gone
  }, { class: "mw-more-runs" });
  const region = h("div", { class: "mw-runs", role: "region", "aria-label": t("lab.runs"), tabindex: 0 }, table, empty, more);
  const lines = new Map<string, ReturnType<typeof tableLine>>();
  const limit = signal(WINDOW);
  const listed = computed(() => found.value.filter((row, i) => i < limit.value || ids.value.includes(row.id)));

  view.effect(() => {
    const some = found.value;
    set(table, { hidden: some.length === 0, "aria-rowcount": some.length + 1 });
    set(empty, { hidden: some.length > 0 });
    setText(empty, some.length > 0 ? "" : t(rows.value.length > 0 ? "lab.no_runs_found" : "lab.no_runs"));
    // One metric is named in the head; where tasks differ, each in its cell.
    const metrics = new Set(some.map(metricOf).filter((name) => name !== undefined));
    setText(score, metrics.size === 1 ? metricName([...metrics][0]!) : t("lab.score"));
    table.classList.toggle("mw-scores-named", metrics.size > 1);
    const areSeveralTasks = some.some((row) => row.task !== some[0]!.task);
    // What was flushed is known where a run was told to look for it; skipped steps are always.
    const isFlushedKnown = some.some((row) => row.flushed !== null);
    setText(last, t(isFlushedKnown ? "lab.flushed" : "lab.skipped"));
    setText(caption, t(isFlushedKnown ? "lab.table_caption_flushed" : "lab.table_caption"));
    const focused = body.querySelector<HTMLElement>(":focus");
    const wanted = new Set(listed.value.map((row) => row.id));
    for (const [id, line] of lines) {
      if (wanted.has(id)) continue;
      line.element.remove();
      lines.delete(id);
    }
    let next = body.firstElementChild; // lines that stay are not moved
    for (const row of listed.value) {
      let line = lines.get(row.id);
      if (!line) lines.set(row.id, (line = tableLine(row.id, select)));
      if (next === line.element) next = next.nextElementSibling;
      else body.insertBefore(line.element, next);
      line.show(row, names.value.get(row.id)!, ids.value.includes(row.id), styles.value.get(row.id), metrics.size > 1, areSeveralTasks, isFlushedKnown);
    }
    if (focused?.isConnected) focused.focus({ preventScroll: true }); // a line that is moved loses it
    else if (focused) region.focus();
    const others = some.length - listed.value.length;
    set(more, { hidden: others === 0 });
    setText(more, t("lab.more_runs", { count: integer(Math.min(WINDOW, others)), all: integer(others) }));
  });
  const first = computed(() => listed.value.find((row) => ids.value.includes(row.id))?.id ?? "");
  view.effect(() => {
    const line = lines.get(first.value)?.element;
    if (!line || region.matches(":focus-within")) return; // the list stays under the hand that selects
    const isSeen = line.offsetTop >= region.scrollTop && line.offsetTop + line.offsetHeight <= region.scrollTop + region.clientHeight;
    if (!isSeen) region.scrollTop = line.offsetTop - line.offsetHeight;
  });
  return h("div", { class: "mw-stack-tight" }, region, caption);
}

function details(row: Row, withTask: boolean, withSkips: boolean): string {
  const weight = row.loss_weight === 1 ? [] : [t("lab.loss_weight_is", { weight: axisNumber(row.loss_weight) })];
  const what = row.seed === null ? [t("lab.watched")] : [...(withTask ? [row.task] : []), t("lab.seed_is", { seed: row.seed })];
  const skips = withSkips && row.skipped > 0 ? [t("lab.skipped_is", { count: integer(row.skipped) })] : [];
  const date = dateOf(row.id);
  return [...what, ...weight, status(row), ...skips, ...(date ? [date] : [])].join(" · ");
}

function tableLine(id: string, toggle: (id: string, shown: boolean) => void) {
  const box = h("input", { type: "checkbox" });
  box.addEventListener("change", () => toggle(id, box.checked));
  const sample = lineSample();
  const title = h("span", { class: "mw-run-name" });
  const detail = h("span", { class: "mw-run-detail" });
  const note = h("span", { class: "mw-run-detail mw-run-note" });
  const reason = h("span", { class: "mw-run-detail mw-run-reason" });
  const cell = () => h("td", { class: "mw-cell mw-num" });
  const [score, loss, last] = [cell(), cell(), cell()];
  const element = h("tr", {}, h("th", { scope: "row" }, h("label", {}, box, sample.element, title), detail, note, reason), score, loss, last);
  let drawn: readonly unknown[] = [];

  const show = (...now: [row: Row, name: string, isSelected: boolean, style: number | undefined, named: boolean, tasked: boolean, flushed: boolean]) => {
    if (now.every((part, i) => part === drawn[i])) return; // of 200 runs most have not changed
    drawn = now;
    const [row, name, isSelected, style, named, tasked, flushed] = now;
    box.checked = isSelected;
    sample.show(style);
    setText(title, row.star ? `★ ${name}` : name);
    setText(note, row.note ?? "");
    set(note, { hidden: !row.note });
    setText(detail, details(row, tasked, flushed));
    const why = isFailure(row) ? row.message : "";
    setText(reason, why);
    set(reason, { title: why || undefined, hidden: why === "" });
    const own = metricOf(row);
    const value = own === undefined ? "–" : metric(own, row.metrics[own] ?? null);
    setText(score, named && own !== undefined ? `${value} ${metricName(own)}` : value);
    setText(loss, decimal(row.metrics["loss"] ?? null));
    setText(last, flushed ? percent(row.flushed) : row.scaled ? integer(row.skipped) : "–");
  };
  return { element, show };
}
