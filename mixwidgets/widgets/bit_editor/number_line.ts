// The number among its neighbours, drawn to scale.

import type { ReadonlySignal } from "@preact/signals-core";
import { h, s, set } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { drawLine, LINE } from "#ui/number_line/drawing.ts";
import { fitted, labelOf, marksAndFar } from "#ui/number_line/marks.ts";
import { widthOf } from "#ui/number_line/viewport.ts";
import type { View } from "#ui/view.ts";
import type { EditedNumber, State } from "./state.ts";

const LAYOUT = { midpoint: 12, input: 30, axis: 54, tick: 7, labels: 80 };
const HEIGHT = LAYOUT.labels + LINE + 4;
const SHARES = { midpoint: 0.15, exact: 0.22 }; // room for the values beyond the neighbours

export function numberLine(view: View<State>, number: ReadonlySignal<EditedNumber>): HTMLElement {
  const svg = s("svg", { class: "mw-nl", role: "img" });
  const element = h("div", { class: "mw-bit-line" }, svg);
  const width = view.measured(element, () => widthOf(element));
  view.effect(() => {
    const marks = marksAndFar(number.value);
    set(svg, { "aria-label": marks.length ? t("bits.line", { marks: listed(marks.map(labelOf)) }) : t("bits.line_nan") });
    const seen = fitted(marks, width.value, SHARES);
    set(svg, { viewBox: `0 0 ${seen.width} ${HEIGHT}`, height: HEIGHT });
    svg.replaceChildren(...drawLine(number.value.fmt, marks, seen, LAYOUT));
  });
  return element;
}
