// One chart: axes, a line per run with its marks and its label. It touches only what changed.

import { h, s, set, setText, uniqueId } from "../../ui/dom.ts";
import { type Frame, spread } from "./geometry.ts";

/** How many line styles the style sheet tells apart. */
export const STYLES = 6;
export const styleClass = (style: number): string => `mw-run mw-run-${style % STYLES}`;

export interface Tick {
  at: number;
  text: string;
}

export interface Series {
  id: string;
  name: string;
  style: number;
  path: string;
  marks: string;
  end: number; // the height at which its label should stand
}

export interface Drawing {
  frame: Frame;
  xTicks: Tick[];
  yTicks: Tick[];
  series: Series[];
  named: boolean; // whether the lines carry their names, right of the plot
  empty: string; // said where there is nothing to draw
  summary: string; // the chart in words
}

interface Marked {
  group: SVGGElement;
  line: SVGPathElement;
  marks: SVGPathElement;
  sample: SVGLineElement;
  label: SVGTextElement;
}

const LABEL_GAP = 17;
const SAMPLE = 24;

export function chart(heading: string, note: string): { element: HTMLElement; draw: (drawing: Drawing) => void } {
  const id = uniqueId("chart");
  const grid = s("g", { class: "mw-grid" });
  const axis = s("path", { class: "mw-axis" });
  const yLabels = s("g", { class: "mw-ticks", "text-anchor": "end" });
  const xLabels = s("g", { class: "mw-ticks", "text-anchor": "middle" });
  const lines = s("g");
  const empty = s("text", { class: "mw-empty", "text-anchor": "middle" });
  const svg = s("svg", { role: "img", "aria-labelledby": id }, s("title", { id }), grid, axis, yLabels, xLabels, lines, empty);
  const element = h(
    "div",
    { class: "mw-chart" },
    h("h4", {}, heading, h("span", { class: "mw-chart-note" }, note)),
    svg,
  );
  const drawn = new Map<string, Marked>();

  const draw = ({ frame, xTicks, yTicks, series, named, empty: nothing, summary }: Drawing) => {
    const { width, height, left, right, bottom, top } = frame;
    set(svg, { viewBox: `0 0 ${width} ${height}`, height });
    setText(svg.querySelector("title")!, summary);
    set(axis, { d: `M${left},${top}V${height - bottom}H${width - right}` });
    set(lines, { class: named ? undefined : "mw-unnamed" });
    ticks(grid, "line", yTicks, (tick) => ({ x1: left, x2: width - right, y1: tick.at, y2: tick.at }));
    ticks(yLabels, "text", yTicks, (tick) => ({ x: left - 6, y: tick.at, dy: "0.32em" }));
    ticks(xLabels, "text", xTicks, (tick) => ({ x: tick.at, y: height - bottom + 16 }));
    set(empty, { x: (left + width - right) / 2, y: (top + height - bottom) / 2 });
    setText(empty, series.length === 0 ? nothing : "");

    const ends = spread(series.map((one) => one.end), LABEL_GAP, top + 4, height - bottom);
    const x = width - right + 10;
    series.forEach((one, i) => {
      const marked = drawn.get(one.id) ?? add(one.id);
      set(marked.group, { class: styleClass(one.style) });
      set(marked.line, { d: one.path });
      set(marked.marks, { d: one.marks });
      set(marked.sample, { x1: x, x2: x + SAMPLE, y1: ends[i], y2: ends[i] });
      set(marked.label, { x: x + SAMPLE + 6, y: ends[i], dy: "0.32em" });
      setText(marked.label, one.name);
    });
    const wanted = new Set(series.map((one) => one.id));
    for (const [key, marked] of drawn) {
      if (wanted.has(key)) continue;
      marked.group.remove();
      drawn.delete(key);
    }
  };

  const add = (key: string): Marked => {
    const line = s("path", { class: "mw-line" });
    const marks = s("path", { class: "mw-marks" });
    const sample = s("line", { class: "mw-line mw-sample" });
    const label = s("text", { class: "mw-label" });
    const marked = { group: s("g", {}, line, marks, sample, label), line, marks, sample, label };
    lines.append(marked.group);
    drawn.set(key, marked);
    return marked;
  };
  return { element, draw };
}

/** A short piece of a run's line, for the table. */
export function lineSample(): { element: SVGSVGElement; show: (style: number | undefined) => void } {
  const element = s(
    "svg",
    { width: SAMPLE, height: 12, "aria-hidden": "true" },
    s("line", { class: "mw-line", x1: 0, x2: SAMPLE, y1: 6, y2: 6 }),
  );
  const show = (style: number | undefined) => set(element, { class: style === undefined ? "mw-run-hidden" : styleClass(style) });
  return { element, show };
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
