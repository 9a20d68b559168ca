// The decision as three cells: the neighbour below, the midpoint, the neighbour above, and which was taken.

import type { FloatFormat } from "../../formats/float_format.ts";
import { h } from "../../ui/dom.ts";
import { t } from "../../ui/messages.ts";
import { type Mark } from "./marks.ts";

export function decision(): { element: HTMLElement; show(fmt: FloatFormat, marks: readonly Mark[]): void } {
  const element = h("dl", { class: "mw-nl-decision" });
  const show = (fmt: FloatFormat, marks: readonly Mark[]) => {
    const rounded = marks.some(({ role }) => role === "midpoint");
    const cells = marks.filter(({ role }) => role !== "input" || !rounded);
    element.replaceChildren(...cells.map((mark) => cellOf(fmt, mark, rounded)));
  };
  return { element, show };
}

function cellOf(fmt: FloatFormat, mark: Mark, rounded: boolean): HTMLElement {
  const { role, label, taken } = mark;
  const name = role === "input" ? t("line.this") : t(`line.${role}`);
  return h("div", { class: "mw-nl-cell", "data-taken": taken ? "true" : undefined },
    h("dt", {}, name, taken && rounded ? h("b", {}, t("line.taken")) : null),
    h("dd", { class: "mw-num" }, label),
    h("dd", { class: "mw-nl-parity" }, noteOf(fmt, mark)));
}

function noteOf(fmt: FloatFormat, { role, code, even, beyond }: Mark): string {
  if (role === "midpoint") return t("line.turns");
  if (code === null) return t("line.no_code");
  const parity = even === null ? fmt.toHex(code) : t(even ? "line.even" : "line.odd", { code: fmt.toHex(code) });
  return beyond ? `${parity} · ${t("line.overflows")}` : parity;
}
