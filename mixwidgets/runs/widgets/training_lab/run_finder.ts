// Finding runs in a long list: words, choices of task, recipe and state, and an order.

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { h, set, setText } from "#ui/dom.ts";
import { finder, wordsIn } from "#ui/finder.ts";
import { t } from "#ui/messages.ts";
import { kept } from "#ui/view.ts";
import { integer } from "#ui/digits.ts";
import { statusWord } from "#ui/run_words.ts";
import type { Lab } from "./lab.ts";
import type { Row } from "./state.ts";
import { metricOf, spaced } from "./words.ts";

const FEW = 8; // runs that the table shows without scrolling, where nothing needs to be found

const ORDERS = ["newest", "oldest", "task", "recipe", "status", "score", "loss"] as const;

/** `found`: the runs that are looked for, in the order that is chosen. */
export function runFinder({ view, rows, names }: Lab): { element: HTMLElement; found: ReadonlySignal<Row[]> } {
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
    ORDERS.map((one) => [one, t(`lab.order_${one}`)] as const), ...choices.map(({ select }) => select));
  const says = (row: Row) =>
    [row.task, titles.get(row.task), row.recipe, names.value.get(row.id), statusWord(row.status), row.seed].join(" ").toLowerCase();

  const found = computed(() => {
    const words = wordsIn(text.value);
    const hasWords = (row: Row) => {
      const said = words.length > 0 ? says(row) : "";
      return words.every((word) => said.includes(word) || row.id.startsWith(word)); // an id begins with the date
    };
    return sorted(rows.value.filter((row) => choices.every(({ takes }) => takes(row)) && hasWords(row)), order.value);
  });
  view.effect(() => {
    set(element, { hidden: rows.value.length <= FEW });
    const [some, all] = [found.value.length, rows.value.length];
    setText(told, some === all ? t("lab.runs_count", { count: integer(all) }) : t("lab.runs_found", { count: integer(some), all: integer(all) }));
  });
  return { element, found };
}

/** Rows that are equal in `order` stay newest first; numbers that are unknown or not finite come last. */
function sorted(rows: Row[], order: (typeof ORDERS)[number]): Row[] {
  const by = (key: (row: Row) => number) => rows.sort((a, b) => compare(key(a), key(b)));
  switch (order) {
    case "newest": return rows;
    case "oldest": return rows.reverse();
    case "score": return by((row) => -finite(row.metrics[metricOf(row) ?? ""], -Infinity));
    case "loss": return by((row) => finite(row.metrics["loss"], Infinity));
    default: return rows.sort((a, b) => a[order].localeCompare(b[order]));
  }
}

const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);
const finite = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise);
