// What holds a number line: it fits its view to the number, or keeps one that was chosen by wheel, pinch, drag or keys.

import { computed, signal, type ReadonlySignal } from "@preact/signals-core";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { rational } from "#core/formats/rational.ts";
import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { View } from "#ui/view.ts";
import { fitted, type Mark, type Shares } from "./marks.ts";
import { navigate } from "./navigation.ts";
import { largest, rowOf } from "./ticks.ts";
import { contains, panned, viewportOf, zoomed, type Viewport } from "./viewport.ts";

const NARROWEST = 240; // pixels, also before the page has been laid out

interface Shown {
  readonly fmt: ReadonlySignal<FloatFormat>;
  readonly marks: ReadonlySignal<readonly Mark[]>;
  readonly shares?: Shares;
  /** The id of the text that names the keys. */
  readonly keys: string;
  /** To the next value of the format. */
  step(direction: 1 | -1): void;
  /** Called when another view was chosen. */
  looked?(): void;
}

export type Board = ReturnType<typeof lineBoard>;

export function lineBoard(view: View, { fmt, marks, shares, keys, step, looked }: Shown) {
  const element = h("div", { class: "mw-nl-board", tabindex: 0, role: "group", "aria-label": t("line.board"), "aria-describedby": keys });
  const width = view.measured(element, () => Math.max(element.clientWidth, NARROWEST));
  const chosen = signal<Viewport | null>(null);
  const viewport = computed(() => (chosen.value ? { ...chosen.value, width: width.value } : fitted(marks.value, width.value, shares)));
  const look = (next: Viewport | null) => {
    chosen.value = next;
    looked?.();
  };
  const zoom = (steps: number, pixel = viewport.value.width / 2) => look(zoomed(viewport.value, steps, pixel));
  const pan = (pixels: number) => look(panned(viewport.value, pixels));
  const fit = () => look(null);
  navigate(element, { zoom, pan, fit, step });
  view.onChange(fmt, () => (chosen.value = null));
  view.onChange(marks, (all) => {
    const isIn = all.some(({ role, value }) => role === "input" && contains(viewport.value, value));
    if (chosen.value && !isIn) chosen.value = null;
  });
  return {
    element,
    /** The values of the format in view. */
    row: computed(() => rowOf(fmt.value, viewport.value)),
    /** Keep the view until the number leaves it. */
    hold: () => (chosen.value = viewport.value),
    /** Zoom by quarters of a doubling, out where positive. */
    zoom,
    /** Move by a share of the width, to the right where positive. */
    pan: (share: number) => pan(share * width.value),
    fit,
    /** The whole range of the format. */
    whole: () => look(viewportOf(rational(0n), largest(fmt.value), 0.46, width.value)),
  };
}
