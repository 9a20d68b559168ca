// A line chart; lines have bands, marks and labels.

import { s, set, setText } from "#ui/dom.ts";
import { spread } from "./geometry.ts";
import { type Axed, plot } from "./plot.ts";

/** The number of line styles in the style sheet. */
const STYLES = 6;
const colourClass = (style: number): string => `mw-run-${style % STYLES}`;
export const styleClass = (style: number): string => `mw-run ${colourClass(style)}`;

export interface Series {
  id: string;
  name: string;
  style: number;
  path: string;
  band?: string;
  marks?: string;
  end: number; // the height at which its label should stand
}

interface Drawing extends Axed {
  series: Series[];
  named: boolean; // whether the lines carry their names, right of the plot
}

const LABEL_GAP = 17;
export const SAMPLE = 24;

export function chart(heading: string, about: string) {
  const [lines, labels] = [s("g"), s("g")];
  const { draw: drawAxes, ...rest } = plot(heading, about, lines, labels);
  const drawn = new Map<string, ReturnType<typeof add>>();

  const draw = ({ series, named, ...axed }: Drawing) => {
    drawAxes({ ...axed, empty: series.length === 0 ? axed.empty : "" });
    set(labels, { class: named ? undefined : "mw-unnamed" });
    const { width, height, right, bottom, top } = axed.frame;
    const ends = spread(series.map((one) => one.end), LABEL_GAP, top + 4, height - bottom);
    const x = width - right + 10;
    series.forEach((one, i) => {
      const marked = drawn.get(one.id) ?? add(one.id);
      set(marked.group, { class: styleClass(one.style) });
      set(marked.named, { class: colourClass(one.style) });
      set(marked.band, { d: one.band ?? "" });
      set(marked.line, { d: one.path });
      set(marked.marks, { d: one.marks ?? "" });
      set(marked.sample, { x1: x, x2: x + SAMPLE, y1: ends[i], y2: ends[i] });
      set(marked.label, { x: x + SAMPLE + 6, y: ends[i], dy: "0.32em" });
      setText(marked.label, one.name);
    });
    const wanted = new Set(series.map((one) => one.id));
    for (const [key, { group, named }] of drawn) {
      if (wanted.has(key)) continue;
      group.remove();
      named.remove();
      drawn.delete(key);
    }
  };

  const add = (key: string) => {
    const band = s("path", { class: "mw-band" });
    const line = s("path", { class: "mw-line" });
    const marks = s("path", { class: "mw-marks" });
    const sample = s("line", { class: "mw-line mw-sample" });
    const label = s("text", { class: "mw-label" });
    const marked = { group: s("g", {}, band, line, marks), named: s("g", {}, sample, label), band, line, marks, sample, label };
    lines.append(marked.group);
    labels.append(marked.named);
    drawn.set(key, marked);
    return marked;
  };
  return { ...rest, draw };
}
