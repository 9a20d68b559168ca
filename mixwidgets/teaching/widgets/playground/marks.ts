// What the playground draws over the ruler's bars: hollow bars for gradients that were lost on the way back, a dotted outline
// where the gradients are without a loss scale, and an arrow from there to the bars.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { CLASSES } from "#core/gradients/boundaries.ts";
import type { GradientSummary } from "#core/gradients/summary.ts";
import { s, set, setText } from "#ui/dom.ts";
import { binned, type Frame } from "#ui/ruler/geometry.ts";
import { HEAD, type Histogram } from "#ui/ruler/histogram.ts";
import { powerOfAny } from "#ui/ruler/words.ts";
import type { Page } from "./session.ts";

const GAP = 1; // pixels between bars
const TIP = 5;
const ARROW = HEAD + 12; // its height, above the bars

/** `scale`: log2 of the loss scale. Returns how many gradients of a drawn binade were lost on the way. */
export function rulerMarks({ view, answers }: Page, plot: Histogram, scale: ReadonlySignal<number>): (exponent: number) => number {
  const hollow = s("path", { class: "mw-play-hollow" });
  const outline = s("path", { class: "mw-play-outline" });
  const arrow = s("path", { class: "mw-play-arrow" });
  const factor = s("text", { class: "mw-zone-name", "text-anchor": "middle", y: ARROW - 5 });
  plot.element.append(outline, hollow, arrow, factor);
  /** The counts of all classes together, by drawn binade. */
  const heights = (summary: GradientSummary, log2: number): number[] => {
    const { low, bins } = plot.frame.value;
    const table = binned(summary, answers.value.format, log2, { low, high: low + bins });
    return Array.from({ length: bins }, (_, bin) => CLASSES.reduce((sum, _kind, kind) => sum + table[bin * CLASSES.length + kind]!, 0));
  };
  const early = computed(() => heights(answers.value.early, scale.value));

  view.effect(() => {
    const { early: lost, reached, total } = answers.value;
    const { frame: { value: frame }, floor } = plot;
    const below = heights(reached, scale.value);
    set(hollow, { d: lost.finite === 0 ? "" : early.value.map((count, bin) => (count ? bar(frame, floor, bin, below[bin]!, count, true) : "")).join("") });
    const from = scale.value === 0 ? [] : heights(total, 0);
    set(outline, { d: from.map((count, bin) => (count ? bar(frame, floor, bin, 0, count, false) : "")).join("") });
    const [start, end] = [middle(frame, from), middle(frame, heights(total, scale.value))];
    const isDrawn = Number.isFinite(start) && Math.abs(end - start) > 2 * TIP;
    const back = end > start ? -TIP : TIP;
    set(arrow, { d: isDrawn ? `M${start} ${ARROW}H${end}m${back} -4L${end} ${ARROW}l${back} 4` : "" });
    set(factor, { x: (start + end) / 2 || 0 });
    setText(factor, isDrawn ? `× ${powerOfAny(2 ** scale.value)}` : "");
  });
  return (exponent) => early.value[exponent - plot.frame.value.low] ?? 0;
}

/** A bar of `count` on top of `below`; struck through if it is `isLost`. */
function bar({ x, y, low }: Frame, floor: number, bin: number, below: number, count: number, isLost: boolean): string {
  const [left, right] = [x(low + bin) + GAP, x(low + bin + 1) - GAP];
  const [bottom, top] = [floor - y(below), floor - y(below + count)];
  return `M${left} ${bottom}V${top}H${right}V${bottom}z` + (isLost ? `L${right} ${top}` : "");
}

/** The pixel at the centre of all counts; NaN if there are none. */
function middle({ x, low }: Frame, counts: readonly number[]): number {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return x(low + 0.5 + counts.reduce((sum, count, bin) => sum + count * bin, 0) / all);
}
