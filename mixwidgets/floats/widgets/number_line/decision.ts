// The decision as three cells: the neighbour below, the midpoint, the neighbour above, and which was taken. A click on a
// cell sets the number to its value.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { EditedNumber } from "#mixwidgets/floats/widgets/bit_editor/state.ts";
import type { View } from "#ui/view.ts";
import type { Mark } from "#ui/number_line/marks.ts";
import { targetOf, type Target } from "#ui/number_line/targets.ts";

export function decision(view: View, number: ReadonlySignal<EditedNumber>, marks: ReadonlySignal<readonly Mark[]>, take: (target: Target) => void): HTMLElement {
  const isRounded = () => marks.value.some(({ role }) => role === "midpoint");
  const shown = computed(() => marks.value.filter(({ role }) => role !== "input" || !isRounded()));
  const cells = [0, 1, 2].map((i) => {
    const [name, taken, value, note] = [h("span"), h("b"), h("span", { class: "mw-num" }), h("span", { class: "mw-nl-parity" })];
    const button = h("button", { type: "button", class: "mw-nl-cell", title: t("line.take") },
      h("span", { class: "mw-nl-cell-name" }, name, taken), value, note);
    const cell = h("li", {}, button);
    button.addEventListener("click", () => {
      take(targetOf(shown.value[i]!));
      cells.find(({ dataset }) => dataset.taken)?.querySelector("button")!.focus();
    });
    view.effect(() => {
      const mark = shown.value[i];
      cell.hidden = !mark;
      if (!mark) return;
      set(cell, { "data-taken": mark.taken ? "true" : undefined });
      setText(name, mark.role === "input" ? t("line.this") : t(`line.${mark.role as "below" | "midpoint" | "above"}`));
      setText(taken, mark.taken && isRounded() ? t("line.taken") : "");
      setText(value, mark.label);
      setText(note, noteOf(number.value, mark));
    });
    return cell;
  });
  return h("ul", { class: "mw-nl-decision" }, ...cells);
}

function noteOf({ fmt, rounding }: EditedNumber, { role, code, even, beyond }: Mark): string {
  if (role === "midpoint") return t(rounding?.startsWith("ties") === false ? "line.turns_not" : "line.turns");
  if (code === null) return t("line.no_code");
  const parity = even === null ? fmt.toHex(code) : t(even ? "line.even" : "line.odd", { code: fmt.toHex(code) });
  return beyond ? `${parity} · ${t("line.overflows")}` : parity;
}
