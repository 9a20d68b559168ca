// The decision as three cells: the neighbour below, the midpoint, the neighbour above, and which was taken. A click on a
// cell sets the number to its value.

import type { ReadonlySignal } from "@preact/signals-core";
import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { EditedNumber } from "#widgets/bit_editor/state.ts";
import type { Effects } from "#ui/view.ts";
import type { Mark } from "#ui/number_line/marks.ts";
import { targetOf, type Target } from "#ui/number_line/targets.ts";

export function decision(view: Effects, number: ReadonlySignal<EditedNumber>, marks: ReadonlySignal<readonly Mark[]>, take: (target: Target) => void): HTMLElement {
  const element = h("ul", { class: "mw-nl-decision" });
  let cells: Mark[] = [];
  element.addEventListener("click", ({ target }) => {
    const i = [...element.children].findIndex((cell) => target instanceof Node && cell.contains(target));
    if (!cells[i]) return;
    take(targetOf(cells[i]));
    element.querySelector<HTMLElement>("[data-taken] button")?.focus(); // the cells were made anew
  });
  view.effect(() => {
    const rounded = marks.value.some(({ role }) => role === "midpoint");
    cells = marks.value.filter(({ role }) => role !== "input" || !rounded);
    element.replaceChildren(...cells.map((mark) => cellOf(number.value, mark, rounded)));
  });
  return element;
}

function cellOf(number: EditedNumber, mark: Mark, rounded: boolean): HTMLElement {
  const { role, label, taken } = mark;
  const name = role === "input" ? t("line.this") : t(`line.${role}`);
  return h("li", { "data-taken": taken ? "true" : undefined },
    h("button", { type: "button", class: "mw-nl-cell", title: t("line.take") },
      h("span", { class: "mw-nl-cell-name" }, name, taken && rounded ? h("b", {}, t("line.taken")) : null),
      h("span", { class: "mw-num" }, label),
      h("span", { class: "mw-nl-parity" }, noteOf(number, mark))));
}

function noteOf({ fmt, rounding }: EditedNumber, { role, code, even, beyond }: Mark): string {
  if (role === "midpoint") return t(rounding?.startsWith("ties") === false ? "line.turns_not" : "line.turns");
  if (code === null) return t("line.no_code");
  const parity = even === null ? fmt.toHex(code) : t(even ? "line.even" : "line.odd", { code: fmt.toHex(code) });
  return beyond ? `${parity} · ${t("line.overflows")}` : parity;
}
