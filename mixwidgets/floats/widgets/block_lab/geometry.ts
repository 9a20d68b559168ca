// The geometry of the bars, in fractions of the plot's height. No DOM.

import { clamp } from "#core/range.ts";

const BINADES_ABOVE = 7; // room for outliers above the typical element
const COLUMN = 24; // pixels: the least width of a bar, so that a finger can hit it
const PER_ROW = [32, 16, 8];
const TICKS = [0.13, 0.29, 0.45]; // about how far above 0 they are: 1, 8 and 64 typical elements, if there is no outlier

export type Axis = ReturnType<typeof axisFor>;

/** An axis for typical elements and much larger outliers: linear near zero, logarithmic further out. */
export function axisFor(values: ArrayLike<number>) {
  const sizes = Array.from(values, Math.abs).filter((size) => size > 0).sort((a, b) => a - b);
  const typical = binade(sizes[sizes.length >> 1] ?? 1);
  /** The largest magnitude that can be shown. */
  const limit = clamp(typical * 2 ** BINADES_ABOVE, binade(sizes.at(-1) ?? 1) * 4, 2 ** 127);
  const linear = typical / 4; // the axis is about linear up to here
  const reach = Math.log1p(limit / linear);
  const above = (height: number) => linear * Math.expm1(2 * height * reach);
  const positive = TICKS.map((height) => 2 ** Math.round(Math.log2(above(height))));
  return {
    limit,
    /** 0 at the bottom … 1 at the top. */
    place: (value: number) => clamp(0.5 + (0.5 * Math.sign(value) * Math.log1p(Math.abs(value) / linear)) / reach, 0, 1),
    /** The value at a place, in three digits, rounded to float32. */
    value: (place: number) => {
      const height = clamp(place, 0, 1) - 0.5;
      return Math.fround(Number((Math.sign(height) * above(Math.abs(height))).toPrecision(3)));
    },
    ticks: [...positive.map((tick) => -tick).reverse(), 0, ...positive],
  };
}

/** The power of two at or below a size, or near it: only for drawing, because Math.log2 is not exact. */
function binade(size: number): number {
  return 2 ** Math.max(Math.floor(Math.log2(size)), -126);
}

/** How many bars fit a row of `width` pixels. */
export function perRow(width: number): number {
  return PER_ROW.find((count) => width >= count * COLUMN) ?? PER_ROW.at(-1)!;
}
