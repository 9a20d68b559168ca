// The number among its neighbours, drawn to scale.

import { h, s, set } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { drawLine, LINE } from "#ui/number_line/drawing.ts";
import { fitted, labelOf, marksAndFar } from "#ui/number_line/marks.ts";
import { widthOf } from "#ui/number_line/view.ts";
import type { EditedNumber } from "./state.ts";

const LAYOUT = { midpoint: 12, input: 30, axis: 54, tick: 7, labels: 80 };
const HEIGHT = LAYOUT.labels + LINE + 4;
const SHARES = { midpoint: 0.15, exact: 0.22 }; // room for the values beyond the neighbours

export function numberLine(): { element: HTMLElement; show(number: EditedNumber): void; close(): void } {
  const svg = s("svg", { class: "mw-nl", role: "img" });
  const element = h("div", { class: "mw-bit-line" }, svg);
  let width = widthOf(element);
  let shown: EditedNumber | undefined;
  const show = (number: EditedNumber) => {
    shown = number;
    const { fmt } = number;
    const marks = marksAndFar(number);
    set(svg, { "aria-label": marks.length ? t("bits.line", { marks: listed(marks.map(labelOf)) }) : t("bits.line_nan") });
    const view = fitted(marks, width, SHARES);
    set(svg, { viewBox: `0 0 ${view.width} ${HEIGHT}`, height: HEIGHT });
    svg.replaceChildren(...drawLine(fmt, marks, view, LAYOUT));
  };
  const observer = new ResizeObserver(() => {
    width = widthOf(element); // here measuring is free: the page is laid out
    if (shown) show(shown);
  });
  observer.observe(element);
  return { element, show, close: () => observer.disconnect() };
}
