// The histogram of |gradient| × S over the format's zones.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { CLASSES } from "#core/gradients/boundaries.ts";
import type { GradientSummary } from "#core/gradients/summary.ts";
import { twoTo } from "#ui/digits.ts";
import { s, set } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { raised } from "#ui/powers.ts";
import type { View } from "#ui/view.ts";
import { barPaths, binned, type Domain, domain, frame, tallest, zones } from "./geometry.ts";
import type { Textures } from "./textures.ts";

const HEIGHT = 118; // of the plot, unless it is said
const FOOT = 40; // below it, for the axis
const BARE_FOOT = 24; // for the axis without its name
const LINE = 16; // of the axis's name, where it does not fit beside the note
const LETTER = 7; // at most, of a word
const LEAST_WIDTH = 120;
export const HEAD = 26; // above the bars, for the zones' names
export const SIDE = 18; // so that the outermost tick labels fit

/** What the ruler shows: magnitudes before scaling, the format that they are cast to, log2 of the scale. */
export interface Ruled {
  readonly view: View;
  readonly answers: ReadonlySignal<{ readonly total: GradientSummary; readonly format: FloatFormat }>;
  readonly scale: ReadonlySignal<number>;
  /** What is drawn, if it is not the range of the format. */
  readonly drawn?: ReadonlySignal<Domain>;
  /** What the axis counts; left out: gradients times the scale; "": what stands beside the histogram says it. */
  readonly axis?: string;
  /** The height of the plot, in pixels. */
  readonly tall?: number;
  /** The most values that a binade holds, if it is not that of `total`, so that two histograms can be compared. */
  readonly most?: ReadonlySignal<number>;
}

export type Histogram = ReturnType<typeof histogram>;

export function histogram({ view, answers, scale, axis: counted = t("ruler.axis"), tall = HEIGHT, most, drawn }: Ruled, textures: Textures) {
  const floor = HEAD + tall; // where the bars stand
  const ground = s("g");
  const bars = CLASSES.map((kind) => s("path", { fill: textures.fill(kind), class: "mw-binade" }));
  const axis = s("g", { class: "mw-ticks" });
  const element = s("svg", { role: "img", class: "mw-histogram" }, ground, ...bars, axis);
  const width = view.width(element);
  const plot = computed(() => Math.max(width.value - 2 * SIDE, LEAST_WIDTH));
  const ends = drawn ?? computed(() => domain(answers.value.format));
  const shape = computed(() => frame(ends.value, plot.value, tall, most?.value ?? tallest(answers.value.total)));
  /** What the bars show: counts by drawn binade and class. */
  const table = computed(() => binned(answers.value.total, answers.value.format, scale.value, ends.value));

  view.effect(() => {
    const { x } = shape.value;
    const note = counted && t("ruler.gathered");
    const room = width.value === 0 ? innerWidth : plot.value; // not laid out yet: so that the height need not change then
    const below = (note.length + counted.length + 2) * LETTER < room ? 0 : LINE;
    const height = floor + (counted ? FOOT + below : BARE_FOOT);
    set(element, { viewBox: `${-SIDE} 0 ${plot.value + 2 * SIDE} ${height}`, height });
    ground.replaceChildren(...zones(answers.value.format, ends.value).flatMap((zone) => zoneMarks(zone.kind, x(zone.from), x(zone.to), floor)));
    const ticks = x.ticks(Math.min(8, Math.max(3, plot.value / 80))).filter(Number.isInteger);
    axis.replaceChildren(
      s("line", { x1: 0, x2: plot.value, y1: floor, y2: floor, class: "mw-floor" }),
      ...ticks.map((tick) => tickMark(tick, x(tick), floor)),
      counted ? s("text", { x: 0, y: floor + 36 }, note) : "",
      counted ? s("text", { x: plot.value, y: floor + 36 + below, "text-anchor": "end" }, counted) : "",
    );
  });
  view.effect(() => barPaths(table.value, shape.value, floor).forEach((path, kind) => set(bars[kind]!, { d: path })));
  return { element, width, frame: shape, table, floor };
}

function zoneMarks(kind: number, from: number, to: number, floor: number): SVGElement[] {
  const name = CLASSES[kind]!;
  const marks: SVGElement[] = [
    s("rect", { x: from, y: 0, width: to - from, height: floor, class: `mw-zone mw-zone-${name}` }),
  ];
  const words = [t(`ruler.zone_${name}`), t(`ruler.short_${name}`)];
  const text = words.find((name) => name.length * LETTER + 8 < to - from);
  if (text) marks.push(s("text", { x: (from + to) / 2, y: 17, "text-anchor": "middle", class: "mw-zone-name" }, text));
  return marks;
}

/** A tick at a power of two, under `floor`. */
export function tickMark(exponent: number, x: number, floor: number): SVGElement {
  return s("g", {},
    s("line", { x1: x, x2: x, y1: floor, y2: floor + 4, class: "mw-floor" }),
    s("text", { x, y: floor + 19, "text-anchor": "middle" }, ...raised(twoTo(exponent), (power) => s("tspan", { dy: -5 }, power))),
  );
}
