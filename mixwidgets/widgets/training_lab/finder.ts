// Finding runs in a long list: words, choices of task, recipe and state, and an order.

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { h, set, setText } from "#ui/dom.ts";
import { finder as finderOf } from "#ui/finder.ts";
import { t } from "#ui/messages.ts";
import { kept } from "#ui/view.ts";
import { integer } from "#ui/digits.ts";
import { statusWord } from "#ui/run_words.ts";
import type { Lab } from "./lab.ts";
import { ORDERS, search } from "./search.ts";
import type { Row } from "./state.ts";
import { spaced } from "./words.ts";

const FEW = 8; // runs that the table shows without scrolling, where nothing needs to be found

export function finder({ view, rows, names }: Lab): { element: HTMLElement; found: ReadonlySignal<Row[]> } {
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
    return { select, chosen };
  }
  const task = choice("task", (name) => titles.get(name) ?? name);
  const recipe = choice("recipe", spaced);
  const status = choice("status", statusWord);
  const { element, text, order, told } = finderOf(t("lab.search"), t("lab.order"),
    ORDERS.map((one) => [one, t(`lab.order_${one}`)] as const), task.select, recipe.select, status.select);

  const found = computed(() => search(rows.value, {
    text: text.value, task: task.chosen.value, recipe: recipe.chosen.value, status: status.chosen.value, order: order.value,
  }, names.value, titles));
  view.effect(() => {
    set(element, { hidden: rows.value.length <= FEW });
    const [some, all] = [found.value.length, rows.value.length];
    setText(told, some === all ? t("lab.runs_count", { count: integer(all) }) : t("lab.runs_found", { count: integer(some), all: integer(all) }));
  });
  return { element, found };
}
