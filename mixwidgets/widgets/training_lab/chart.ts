// A chart of lines: one per run, with its marks and its label.

import { s, set, setText } from "#ui/dom.ts";
import { spread } from "./geometry.ts";
import { type Axed, plot, type Plot } from "./plot.ts";

/** How many line styles the style sheet tells apart. */
export const STYLES = 6;
export const styleClass = (style: number): string => `mw-run mw-run-${style % STYLES}`;

export interface Series {
  id: string;
  name: string;
  style: number;
  path: string;
  marks: string;
  end: number; // the height at which its label should stand
}

export interface Drawing extends Axed {
  series: Series[];
  named: boolean; // whether the lines carry their names, right of the plot
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

export function chart(heading: string, about: string): Omit<Plot, "draw"> & { draw: (drawing: Drawing) => void } {
  const lines = s("g");
  const { draw: drawAxes, ...rest } = plot(heading, about, lines);
  const drawn = new Map<string, Marked>();

  const draw = ({ series, named, ...axed }: Drawing) => {
    drawAxes({ ...axed, empty: series.length === 0 ? axed.empty : "" });
    set(lines, { class: named ? undefined : "mw-unnamed" });
    const { width, height, right, bottom, top } = axed.frame;
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
  return { ...rest, draw };
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
