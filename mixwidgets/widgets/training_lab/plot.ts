// What every chart has: a heading, axes with ticks, and itself in words. It touches only what changed.

import { h, s, set, setText, uniqueId } from "#ui/dom.ts";
import type { Frame } from "./geometry.ts";

export interface Tick {
  at: number;
  text: string;
}

export interface Axed {
  frame: Frame;
  xTicks: Tick[];
  yTicks: Tick[];
  empty: string; // said where there is nothing to draw
  summary: string; // the chart in words
}

export interface Plot {
  readonly element: HTMLElement;
  readonly note: HTMLElement; // beside the heading
  readonly svg: SVGSVGElement;
  draw(axed: Axed): void;
  /** A line at this place; null: none. */
  mark(x: number | null): void;
}

/** `content` is drawn between the grid and the labels. */
export function plot(heading: string, about: string, ...content: SVGElement[]): Plot {
  const id = uniqueId("chart");
  const title = s("title", { id });
  const grid = s("g", { class: "mw-grid" });
  const axis = s("path", { class: "mw-axis" });
  const yLabels = s("g", { class: "mw-ticks", "text-anchor": "end" });
  const xLabels = s("g", { class: "mw-ticks", "text-anchor": "middle" });
  const nothing = s("text", { class: "mw-empty", "text-anchor": "middle" });
  const cursor = s("path", { class: "mw-cursor" });
  let reach = "";
  const svg = s("svg", { role: "img", "aria-labelledby": id }, title, grid, axis, yLabels, xLabels, ...content, nothing, cursor);
  const note = h("span", { class: "mw-chart-note" }, about);
  const element = h("div", { class: "mw-chart" }, h("h4", {}, heading, note), svg);

  const draw = ({ frame, xTicks, yTicks, empty, summary }: Axed) => {
    const { width, height, left, right, bottom, top } = frame;
    set(svg, { viewBox: `0 0 ${width} ${height}`, height });
    setText(title, summary);
    reach = `,${top}V${height - bottom}`;
    set(axis, { d: `M${left},${top}V${height - bottom}H${width - right}` });
    ticks(grid, "line", yTicks, (tick) => ({ x1: left, x2: width - right, y1: tick.at, y2: tick.at }));
    ticks(yLabels, "text", yTicks, (tick) => ({ x: left - 6, y: tick.at, dy: "0.32em" }));
    ticks(xLabels, "text", xTicks, (tick) => ({ x: tick.at, y: height - bottom + 16 }));
    set(nothing, { x: (left + width - right) / 2, y: (top + height - bottom) / 2 });
    setText(nothing, empty);
  };
  return { element, note, svg, draw, mark: (x) => set(cursor, { d: x === null ? "" : `M${x}${reach}` }) };
}

/** As many elements in `group` as there are ticks, each with its attributes and, where it is a text, its words. */
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
