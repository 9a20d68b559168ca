// The names of a chart's lines: beside the lines or, without enough room, as a key above the charts.

import { h, s, set } from "#ui/dom.ts";
import { SAMPLE, styleClass } from "./chart.ts";

interface Named {
  readonly name: string;
  readonly style: number;
}

const LABEL_CHARACTER = 7.4; // px, about, at the labels' size
const NARROW = 400; // px; below this width, and if names are long, the key is above the charts
const MOST_NAMES = 0.3; // of the width

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
    /** Whether lines have their names beside them in a chart of this width, and the room at its right. */
    place(width: number, lines: readonly Named[]): { named: boolean; right: number } {
      const longest = lines.reduce((most, { name }) => Math.max(most, name.length), 0);
      const room = Math.round(38 + longest * LABEL_CHARACTER);
      const named = width >= NARROW && room <= MOST_NAMES * width;
      show(named ? [] : lines);
      return { named, right: named && longest > 0 ? room : 12 };
    },
  };
}

/** A short piece of a line; invisible without a style. */
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
