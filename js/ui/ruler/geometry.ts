// The geometry of the histogram's bars and zones, in pixels. No DOM.

import type { FloatFormat } from "#core/formats/float_format.ts";
import { BINADE, boundaries, CLASSES, log2Of } from "#core/gradients/boundaries.ts";
import type { GradientSummary } from "#core/gradients/summary.ts";
import { clamp } from "#core/range.ts";
import { linear } from "#ui/scale.ts";

const BELOW = 25; // binades drawn below the smallest subnormal, enough for usual gradients
const ABOVE = 4; // and above the largest finite value
const LEAST_HEIGHT = 1.5; // pixels: a single gradient in a million stays visible

interface Zone {
  /** Index into CLASSES. */
  readonly kind: number;
  /** In binades: log2 of the magnitude after scaling. */
  readonly from: number;
  readonly to: number;
}

/** The binades that are drawn, `low` … `high` − 1. The outermost also contain what is further out. */
export interface Domain {
  readonly low: number;
  readonly high: number;
}

export const within = ({ low, high }: Domain, at: number): number => clamp(at, low, high);

/** The binades around a format's range. */
export function domain(format: FloatFormat): Domain {
  return { low: format.emin - format.fractionBits - 1 - BELOW, high: format.emax + 1 + ABOVE };
}

/** The zones of the classes, from left to right. */
export function zones(format: FloatFormat, drawn: Domain = domain(format)): Zone[] {
  const ends = [drawn.low, ...boundaries(format).map((place) => within(drawn, log2Of(place))), drawn.high];
  return CLASSES.map((_, kind) => ({ kind, from: ends[kind]!, to: ends[kind + 1]! }));
}

/** Counts by drawn binade and class: `table[binade * 4 + class]`. */
export function binned(total: GradientSummary, format: FloatFormat, log2LossScale: number, drawn: Domain = domain(format)): Float64Array {
  const { low, high } = drawn;
  const places = boundaries(format);
  const table = new Float64Array((high - low) * CLASSES.length);
  for (const exponent of total.exponents) {
    const scaled = exponent + log2LossScale;
    const bin = within({ low, high: high - 1 }, scaled) - low;
    // In a binade, the classes are in order; each ends at its boundary or at the end of the binade.
    const start = total.below({ exponent, fraction: 0 });
    const end = total.below({ exponent, fraction: BINADE });
    let from = start;
    CLASSES.forEach((_, kind) => {
      const place = places[kind];
      const ends = place === undefined || place.exponent > scaled ? end
        : place.exponent < scaled ? start
        : total.below({ exponent, fraction: place.fraction });
      table[bin * CLASSES.length + kind]! += Math.max(0, ends - from);
      from = Math.max(from, ends);
    });
  }
  return table;
}

export type Frame = ReturnType<typeof frame>;

/** Scales for a plot of `width` × `height` pixels whose tallest binade holds `most` values. */
export function frame({ low, high }: Domain, width: number, height: number, most: number) {
  const y = (count: number) => height * clamp(count / Math.max(1, most), 0, 1);
  return { x: linear([low, high], [0, width]), y, low, bins: high - low };
}

/** The largest count of any one binade, wherever it is drawn. */
export function tallest(total: GradientSummary): number {
  const height = (exponent: number) =>
    total.below({ exponent, fraction: BINADE }) - total.below({ exponent, fraction: 0 });
  return Math.max(0, ...total.exponents.map(height));
}

/** One path per class: the bars of a table of counts, stacked within a binade, upwards from `floor`. */
export function barPaths(table: Float64Array, { x, y, low, bins }: Frame, floor: number): string[] {
  const paths = CLASSES.map(() => "");
  const step = x(low + 1) - x(low);
  const gap = step >= 4 ? 1 : 0;
  for (let bin = 0; bin < bins; bin++) {
    const left = (x(low + bin) + gap / 2).toFixed(1);
    const width = (step - gap).toFixed(1);
    let below = 0;
    let top = floor;
    for (let kind = 0; kind < CLASSES.length; kind++) {
      const count = table[bin * CLASSES.length + kind]!;
      if (count === 0) continue;
      below += count;
      const next = Math.min(floor - y(below), top - LEAST_HEIGHT);
      paths[kind] += `M${left} ${top.toFixed(1)}V${next.toFixed(1)}h${width}V${top.toFixed(1)}z`;
      top = next;
    }
  }
  return paths;
}

/** The outline of bars of these counts, by drawn binade; a binade without values is a gap. */
export function outlinePath(counts: readonly number[], { x, y, low }: Frame, floor: number): string {
  let path = "";
  counts.forEach((count, bin) => {
    if (count === 0) return;
    const top = (floor - Math.max(y(count), LEAST_HEIGHT)).toFixed(1);
    const [left, right] = [x(low + bin).toFixed(1), x(low + bin + 1).toFixed(1)];
    path += counts[bin - 1] ? `V${top}H${right}` : `M${left} ${floor}V${top}H${right}`;
    if (!counts[bin + 1]) path += `V${floor}`;
  });
  return path;
}
