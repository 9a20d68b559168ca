// The number among its neighbours, drawn to scale.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { cut } from "#ui/digits.ts";
import { h, s, set, uniqueId } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { lineBoard } from "#ui/number_line/board.ts";
import { drawMarks, drawRow, LINE } from "#ui/number_line/drawing.ts";
import { addHandle } from "#ui/number_line/handle.ts";
import { labelOf, marksAndFar } from "#ui/number_line/marks.ts";
import { endsOf } from "#ui/number_line/viewport.ts";
import type { View } from "#ui/view.ts";
import { movedTo, stepped, type EditedNumber, type State } from "./state.ts";

const LAYOUT = { midpoint: 12, input: 30, axis: 54, tick: 7, labels: 80 };
const HEIGHT = LAYOUT.labels + LINE + 4;
const SHARES = { midpoint: 0.15, exact: 0.22 }; // room for the values beyond the neighbours

interface Actions {
  edit(next: EditedNumber): void;
  /** A drag: its paints are one edit. */
  stroke: { start(): void; paint(next: EditedNumber): void; cancel(): void };
  say(words: string): void;
}

export function numberLine(view: View<State>, number: ReadonlySignal<EditedNumber>, { edit, stroke, say }: Actions): HTMLElement {
  const marks = computed(() => marksAndFar(number.value));
  const fmt = computed(() => number.value.fmt);
  const keys = h("span", { class: "mw-hidden", id: uniqueId("keys") }, t("line.keys"));
  const board = lineBoard(view, {
    fmt, marks, shares: SHARES, keys: keys.id,
    step: (direction) => edit(stepped(number.value, direction)),
    looked() {
      const [from, to] = endsOf(row.value.view);
      say(t("bits.line_part", { from: cut(from, 17), to: cut(to, 17) }));
    },
  });
  const { row } = board;
  const [values, marked] = [s("g"), s("g")];
  const svg = s("svg", { class: "mw-nl", role: "img" }, values, marked);
  board.element.append(svg);
  view.effect(() => {
    set(svg, { viewBox: `0 0 ${row.value.view.width} ${HEIGHT}`, height: HEIGHT });
    values.replaceChildren(...drawRow(row.value, LAYOUT));
  });
  view.effect(() => {
    const labels = listed(marks.value.map(labelOf));
    set(svg, { "aria-label": labels ? t("bits.line", { marks: labels }) : t("bits.line_nan") });
    marked.replaceChildren(...drawMarks(marks.value, row.value.view, LAYOUT));
  });
  addHandle(view, board, number, LAYOUT.axis, {
    grab: stroke.start,
    take: (target, isDrag) => (isDrag ? stroke.paint : edit)(movedTo(number.value, target)),
    back: stroke.cancel,
  });
  return h("div", { class: "mw-bit-line" }, board.element, keys);
}
