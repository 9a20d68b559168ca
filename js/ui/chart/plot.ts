// The common parts of charts over steps: heading, axes with ticks, marks at steps, and a summary in words. Only changed
// elements are updated.

import type { ScaleLinear } from "d3-scale";
import { clamp } from "#core/range.ts";
import { h, s, set, setText, uniqueId } from "#ui/dom.ts";
import { pointIn } from "#ui/pointer.ts";
import { integer } from "#ui/digits.ts";
import { type Frame, wholeTicks } from "./geometry.ts";

interface Tick {
  at: number;
  text: string;
}

export interface Axed {
  frame: Frame;
  x: ScaleLinear<number, number>; // of the steps
  yTicks: Tick[];
  empty: string; // shown if there is nothing to draw
  summary: string; // the chart in words
}

/** The marked steps, null if there are none: the one read out, the kept one, the part selected by a drag. */
interface Marks {
  readonly read: number | null;
  readonly kept: number | null;
  readonly dragged: readonly [number, number] | null;
}

export type Plot = ReturnType<typeof plot>;

const TICK_ROOM = 64; // px

/** `inside` is drawn in the plot, clipped at its sides; `beside` over it and to its right. */
export function plot(heading: string, about: string, inside: SVGElement, beside?: SVGElement) {
  const [id, clip] = [uniqueId("chart"), uniqueId("clip")];
  const title = s("title", { id });
  const grid = s("g", { class: "mw-grid" });
  const axis = s("path", { class: "mw-axis" });
  const yLabels = s("g", { class: "mw-ticks", "text-anchor": "end" });
  const xLabels = s("g", { class: "mw-ticks", "text-anchor": "middle" });
  const nothing = s("text", { class: "mw-empty", "text-anchor": "middle" });
  const window = s("rect");
  const [dragged, kept, cursor] = [s("path", { class: "mw-dragged" }), s("path", { class: "mw-kept" }), s("path", { class: "mw-cursor" })];
  const svg = s("svg", { role: "img", "aria-labelledby": id }, title, s("clipPath", { id: clip }, window), grid, axis, yLabels, xLabels,
    s("g", { "clip-path": `url(#${clip})` }, inside, dragged, kept, cursor), beside, nothing);
  const note = h("span", { class: "mw-chart-note" }, about); // beside the heading
  const element = h("div", { class: "mw-chart" }, h("h4", {}, heading, note), svg);
  let drawn: Axed | undefined;
  let marks: Marks = { read: null, kept: null, dragged: null };

  const draw = (axed: Axed) => {
    const { frame, x, yTicks, empty, summary } = (drawn = axed);
    const { width, height, left, right, bottom, top } = frame;
    set(svg, { viewBox: `0 0 ${width} ${height}`, height });
    setText(title, summary);
    set(window, { x: left - 1, y: 0, width: Math.max(0, width - left - right + 2), height: height - bottom + 1 });
    set(axis, { d: `M${left},${top}V${height - bottom}H${width - right}` });
    ticks(grid, "line", yTicks, (tick) => ({ x1: left, x2: width - right, y1: tick.at, y2: tick.at }));
    ticks(yLabels, "text", yTicks, (tick) => ({ x: left - 6, y: tick.at, dy: "0.32em" }));
    const xTicks = wholeTicks(x, (width - left - right) / TICK_ROOM).map((at) => ({ at: x(at), text: integer(at) }));
    ticks(xLabels, "text", xTicks, (tick) => ({ x: tick.at, y: height - bottom + 16 }));
    set(nothing, { x: (left + width - right) / 2, y: (top + height - bottom) / 2 });
    setText(nothing, empty);
    mark(marks);
  };
  const mark = (wanted: Marks) => {
    marks = wanted;
    if (!drawn) return;
    const { x, frame: { top, height, bottom } } = drawn;
    const line = (step: number | null) => (step === null ? "" : `M${x(step)},${top}V${height - bottom}`);
    set(cursor, { d: line(marks.read) });
    set(kept, { d: line(marks.kept) });
    set(dragged, { d: marks.dragged ? `M${x(marks.dragged[0])},${top}V${height - bottom}H${x(marks.dragged[1])}V${top}Z` : "" });
  };
  /** The shown step under the pointer. */
  const stepAt = (event: MouseEvent) => {
    const [from, to] = drawn?.x.domain() ?? [0, 0];
    const step = Math.round(drawn?.x.invert(pointIn(svg, event).x) ?? 0);
    return clamp(step, from!, to!);
  };
  return { element, note, svg, draw, mark, stepAt };
}

/** Make `group` contain an element for each tick, with its attributes and, if it is a text, its words. */
function ticks(
  group: SVGGElement,
  tag: "line" | "text",
  wanted: readonly Tick[],
  attributes: (tick: Tick) => Record<string, string | number>,
): void {
  while (group.childElementCount > wanted.length) group.lastElementChild!.remove();
  wanted.forEach((tick, i) => {
    const element = group.children[i] ?? group.appendChild(s(tag));
    set(element, attributes(tick));
    if (tag === "text") setText(element, tick.text);
  });
}
