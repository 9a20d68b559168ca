// The histogram of |gradient| × S over the format's zones.

import type { FloatFormat } from "#core/formats/float_format.ts";
import { CLASSES } from "#core/gradients/boundaries.ts";
import type { GradientSummary } from "#core/gradients/summary.ts";
import { s, set } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { barPaths, binned, type Frame, frame, tallest, zones } from "./geometry.ts";
import type { Textures } from "./textures.ts";

const HEIGHT = 176; // of the plot
const HEAD = 26; // above the bars, for the zones' names
const FOOT = 40; // below them, for the axis
export const SIDE = 18; // so that the outermost tick labels fit
export const FLOOR = HEAD + HEIGHT; // where the bars stand

export interface Histogram {
  readonly element: SVGSVGElement;
  /** Lay out anew for a format and a width in pixels. */
  layout(total: GradientSummary, format: FloatFormat, width: number): void;
  draw(log2LossScale: number): void;
  describe(text: string): void;
}

export function histogram(textures: Textures): Histogram {
  const ground = s("g");
  const bars = CLASSES.map((kind) => s("path", { fill: textures.fill(kind), class: `mw-bar mw-bar-${kind}` }));
  const axis = s("g", { class: "mw-ticks" });
  const element = s("svg", { role: "img", class: "mw-histogram" }, ground, ...bars, axis);
  let current: { total: GradientSummary; format: FloatFormat; frame: Frame } | undefined;

  function layout(total: GradientSummary, format: FloatFormat, width: number): void {
    const plot = Math.max(width - 2 * SIDE, 120);
    const shape = frame(format, plot, HEIGHT, tallest(total));
    current = { total, format, frame: shape };
    set(element, { viewBox: `${-SIDE} 0 ${plot + 2 * SIDE} ${FLOOR + FOOT}`, height: FLOOR + FOOT });
    ground.replaceChildren(...zones(format).flatMap((zone) => zoneMarks(zone.kind, shape.x(zone.from), shape.x(zone.to))));
    const ticks = shape.x.ticks(Math.min(8, Math.max(3, plot / 80))).filter(Number.isInteger);
    axis.replaceChildren(
      s("line", { x1: 0, x2: plot, y1: FLOOR, y2: FLOOR, class: "mw-floor" }),
      ...ticks.map((tick) => tickMark(tick, shape.x(tick))),
      s("text", { x: 0, y: FLOOR + 36 }, t("explorer.gathered")),
      s("text", { x: plot, y: FLOOR + 36, "text-anchor": "end" }, t("explorer.axis")),
    );
  }

  function zoneMarks(kind: number, from: number, to: number): SVGElement[] {
    const name = CLASSES[kind]!;
    const marks: SVGElement[] = [
      s("rect", { x: from, y: 0, width: to - from, height: FLOOR, class: `mw-zone mw-zone-${name}` }),
    ];
    const words = [t(`explorer.zone_${name}`), t(`explorer.short_${name}`)];
    const text = words.find((one) => one.length * 7 + 8 < to - from);
    if (text) marks.push(s("text", { x: (from + to) / 2, y: 17, "text-anchor": "middle", class: "mw-zone-name" }, text));
    return marks;
  }

  function tickMark(exponent: number, x: number): SVGElement {
    const raised = s("tspan", { dy: -5 }, String(exponent).replace("-", "−"));
    return s("g", {},
      s("line", { x1: x, x2: x, y1: FLOOR, y2: FLOOR + 4, class: "mw-floor" }),
      s("text", { x, y: FLOOR + 19, "text-anchor": "middle" }, "2", raised),
    );
  }

  function draw(log2LossScale: number): void {
    if (!current) return;
    const table = binned(current.total, current.format, log2LossScale);
    barPaths(table, current.frame, FLOOR).forEach((path, kind) => set(bars[kind]!, { d: path }));
  }

  return { element, layout, draw, describe: (text) => set(element, { "aria-label": text }) };
}
