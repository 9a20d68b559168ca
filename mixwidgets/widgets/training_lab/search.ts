// Which runs the table lists, and in which order. No DOM.

import { wordsIn } from "#ui/finder.ts";
import { statusWord } from "#ui/run_words.ts";
import type { Row } from "./state.ts";
import { metricOf } from "./words.ts";

/** What is looked for; "" where any will do. */
export interface Wanted {
  text: string; // words, each of which occurs in what the row says
  task: string;
  recipe: string;
  status: string;
  order: Order;
}

export const ORDERS = ["newest", "oldest", "task", "recipe", "status", "score", "loss"] as const;
export type Order = (typeof ORDERS)[number];

type Texts = ReadonlyMap<string, string>;

/** Those of `rows`, newest first, that are wanted. `titles` are the tasks' for the eye. */
export function search(rows: readonly Row[], wanted: Wanted, names: Texts, titles: Texts): Row[] {
  const words = wordsIn(wanted.text);
  const says = (row: Row) =>
    [row.task, titles.get(row.task), row.recipe, names.get(row.id), statusWord(row.status), row.seed].join(" ").toLowerCase();
  const isFound = (row: Row) => {
    const text = words.length > 0 ? says(row) : "";
    return words.every((word) => text.includes(word) || row.id.startsWith(word)); // an id begins with the date
  };
  const isOf = (kind: "task" | "recipe" | "status", row: Row) => wanted[kind] === "" || row[kind] === wanted[kind];
  return sorted(rows.filter((row) => isOf("task", row) && isOf("recipe", row) && isOf("status", row) && isFound(row)), wanted.order);
}

/** Rows that are equal in `order` stay newest first; numbers that are unknown or not finite come last. */
function sorted(rows: Row[], order: Order): Row[] {
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
