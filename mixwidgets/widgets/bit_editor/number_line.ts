// The number among its neighbours, drawn to scale.

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { h, s, set } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { drawMarks, drawRow, LINE } from "#ui/number_line/drawing.ts";
import { addHandle } from "#ui/number_line/handle.ts";
import { fitted, labelOf, marksAndFar } from "#ui/number_line/marks.ts";
import { rowOf } from "#ui/number_line/ticks.ts";
import { type Viewport, widthOf } from "#ui/number_line/viewport.ts";
import type { View } from "#ui/view.ts";
import { movedTo, type EditedNumber, type State } from "./state.ts";

const LAYOUT = { midpoint: 12, input: 30, axis: 54, tick: 7, labels: 80 };
const HEIGHT = LAYOUT.labels + LINE + 4;
const SHARES = { midpoint: 0.15, exact: 0.22 }; // room for the values beyond the neighbours

interface Actions {
  edit(next: EditedNumber): void;
  /** A drag: its paints are one edit. */
  stroke: { start(): void; paint(next: EditedNumber): void; cancel(): void };
}

export function numberLine(view: View<State>, number: ReadonlySignal<EditedNumber>, { edit, stroke }: Actions): HTMLElement {
  const [values, marked] = [s("g"), s("g")];
  const svg = s("svg", { class: "mw-nl", role: "img" }, values, marked);
  const element = h("div", { class: "mw-bit-line" }, svg);
  const width = view.measured(element, () => widthOf(element));
  const marks = computed(() => marksAndFar(number.value));
  const held = signal<Viewport | null>(null); // while the dot is dragged
  const viewport = computed(() => held.value ?? fitted(marks.value, width.value, SHARES));
  const fmt = computed(() => number.value.fmt);
  const row = computed(() => rowOf(fmt.value, viewport.value));
  view.effect(() => {
    set(svg, { viewBox: `0 0 ${viewport.value.width} ${HEIGHT}`, height: HEIGHT });
    values.replaceChildren(...drawRow(row.value, LAYOUT));
  });
  view.effect(() => {
    const labels = listed(marks.value.map(labelOf));
    set(svg, { "aria-label": labels ? t("bits.line", { marks: labels }) : t("bits.line_nan") });
    marked.replaceChildren(...drawMarks(marks.value, viewport.value, LAYOUT));
  });
  addHandle(view, {
    element, number, row, axis: LAYOUT.axis,
    grab() {
      stroke.start();
      held.value = viewport.value;
    },
    take: (target) => (held.value ? stroke.paint : edit)(movedTo(number.value, target)),
    back: stroke.cancel,
    release: () => (held.value = null),
  });
  return element;
}
