// Charts over steps. `plot` has what all of them have: a heading, axes with ticks, marked steps and a summary in words; `chart`
// draws lines in it, with bands and marks, and `lineKey` names them. Drawing again updates only the elements that changed.

import type { ScaleLinear } from "d3-scale";
import { clamp } from "#core/range.ts";
import { integer } from "#ui/digits.ts";
import { h, s, set, setText, uniqueId } from "#ui/dom.ts";
import { pointIn } from "#ui/pointer.ts";
import { type Frame, spread, wholeTicks } from "./geometry.ts";

const TICK_ROOM = 64; // px for each tick of the steps
const LABEL_GAP = 17; // px from one name to the next, at least
const SAMPLE = 24; // px, the length of a line's sample
const LABEL_CHARACTER = 7.4; // px, about, at the labels' size
// The names are in a key above the charts if a chart is narrower, in px, or they would take a larger share of its width.
const NARROW = 400;
const MOST_NAMES = 0.3;

const STYLES = 6; // in style.css
export const colourClass = (style: number): string => `mw-run-${style % STYLES}`;
const styleClass = (style: number): string => `mw-run ${colourClass(style)}`;

interface Tick {
  at: number;
  text: string;
}

interface Axed {
  frame: Frame;
  x: ScaleLinear<number, number>; // of the steps
  yTicks: Tick[];
  empty: string; // shown if there is nothing to draw
  summary: string; // the chart in words
}

/** The marked steps, null for none. */
interface Marks {
  /** The step that is read out. */
  readonly read: number | null;
  readonly kept: number | null;
  /** The part that is being selected by a drag. */
  readonly dragged: readonly [number, number] | null;
}

export type Plot = ReturnType<typeof plot>;

/** `inside` is drawn within the axes and clipped at both sides; `beside` is on top of it and may extend to the right. */
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
  const note = h("span", { class: "mw-chart-note" }, about);
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
  /** The step under the pointer, within those that are shown. */
  const stepAt = (event: MouseEvent) => {
    const [from, to] = drawn?.x.domain() ?? [0, 0];
    const step = Math.round(drawn?.x.invert(pointIn(svg, event).x) ?? 0);
    return clamp(step, from!, to!);
  };
  return { element, note, svg, draw, mark, stepAt };
}

/** Make `group` contain an element for each tick: its line, or its text. */
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

export interface Series {
  id: string;
  name: string;
  style: number;
  path: string;
  band?: string;
  marks?: string;
  rules?: string; // vertical lines
  end: number; // the height at which its label should stand
}

interface Drawing extends Axed {
  series: Series[];
  named: boolean; // whether the names are shown, to the right of the lines
}

export function chart(heading: string, about: string) {
  const [lines, labels] = [s("g"), s("g")];
  const { draw: drawAxes, ...rest } = plot(heading, about, lines, labels);
  const drawn = new Map<string, ReturnType<typeof add>>();

  const draw = ({ series, named, ...axed }: Drawing) => {
    drawAxes({ ...axed, empty: series.length === 0 ? axed.empty : "" });
    set(labels, { class: named ? undefined : "mw-unnamed" });
    const { width, height, right, bottom, top } = axed.frame;
    const ends = spread(series.map(({ end }) => end), LABEL_GAP, top + 4, height - bottom);
    const x = width - right + 10;
    series.forEach(({ id, name, style, path, band = "", marks = "", rules = "" }, i) => {
      const parts = drawn.get(id) ?? add(id);
      set(parts.group, { class: styleClass(style) });
      set(parts.named, { class: colourClass(style) });
      set(parts.band, { d: band });
      set(parts.line, { d: path });
      set(parts.marks, { d: marks });
      set(parts.rules, { d: rules });
      set(parts.sample, { x1: x, x2: x + SAMPLE, y1: ends[i], y2: ends[i] });
      set(parts.label, { x: x + SAMPLE + 6, y: ends[i], dy: "0.32em" });
      setText(parts.label, name);
    });
    const ids = new Set(series.map(({ id }) => id));
    for (const [id, { group, named }] of drawn) {
      if (ids.has(id)) continue;
      group.remove();
      named.remove();
      drawn.delete(id);
    }
  };

  const add = (id: string) => {
    const band = s("path", { class: "mw-band" });
    const line = s("path", { class: "mw-line" });
    const marks = s("path", { class: "mw-marks" });
    const rules = s("path", { class: "mw-rules" });
    const sample = s("line", { class: "mw-line mw-sample" });
    const label = s("text", { class: "mw-label" });
    const parts = { group: s("g", {}, band, rules, line, marks), named: s("g", {}, sample, label), band, line, marks, rules, sample, label };
    lines.append(parts.group);
    labels.append(parts.named);
    drawn.set(id, parts);
    return parts;
  };
  return { ...rest, draw };
}

interface Named {
  readonly name: string;
  readonly style: number;
}

/** The names of the lines: beside them or, without enough room, as a key above the charts. */
export function lineKey() {
  const element = h("p", { class: "mw-row mw-key", "aria-hidden": "true" });
  let shown = "";
  const show = (lines: readonly Named[]) => {
    const wanted = lines.map(({ name, style }) => `${style} ${name}`).join("|");
    set(element, { hidden: lines.length === 0 });
    if (wanted === shown) return;
    shown = wanted;
    element.replaceChildren(...lines.map(({ name, style }) => h("span", { class: "mw-row" }, lineSample(style).element, name)));
  };
  return {
    element,
    /** Decide for a chart of this width: whether the names are beside the lines, and the room to leave at its right. */
    place(width: number, lines: readonly Named[]): { named: boolean; right: number } {
      const longest = lines.reduce((most, { name }) => Math.max(most, name.length), 0);
      const room = Math.round(38 + longest * LABEL_CHARACTER);
      const named = width >= NARROW && room <= MOST_NAMES * width;
      show(named ? [] : lines);
      return { named, right: named && longest > 0 ? room : 12 };
    },
  };
}

/** A sample of a line's style; invisible without a style. */
export function lineSample(first?: number): { element: SVGSVGElement; show: (style: number | undefined) => void } {
  const element = s(
    "svg",
    { width: SAMPLE, height: 12, "aria-hidden": "true" },
    s("line", { class: "mw-line", x1: 0, x2: SAMPLE, y1: 6, y2: 6 }),
  );
  const show = (style: number | undefined) => set(element, { class: style === undefined ? "mw-run-hidden" : styleClass(style) });
  show(first);
  return { element, show };
}
