// Where the bars stand, as fractions of the plot's height; no element is touched here.

const BINADES_ABOVE = 7; // room for outliers above the typical element
const COLUMN = 24; // pixels: the least width of a bar that a finger still hits
const PER_ROW = [32, 16, 8];

export interface Axis {
  /** The largest magnitude there is room for. */
  readonly limit: number;
  /** 0 at the bottom … 1 at the top. */
  readonly place: (value: number) => number;
  /** The value at a place, to three digits, in float32. */
  readonly value: (place: number) => number;
  readonly ticks: readonly number[];
}

/**
 * An axis that shows the typical element and outliers many times larger: linear near zero, logarithmic beyond.
 * It stays as it is while elements are dragged.
 */
export function axisFor(values: ArrayLike<number>): Axis {
  const sizes = Array.from(values, Math.abs).filter((size) => size > 0).sort((a, b) => a - b);
  const typical = binade(sizes[sizes.length >> 1] ?? 1);
  const limit = Math.min(Math.max(typical * 2 ** BINADES_ABOVE, binade(sizes.at(-1) ?? 1) * 4), 2 ** 127);
  const linear = typical / 4; // about as far from zero as the axis is linear
  const reach = Math.log1p(limit / linear);
  const positive = [typical, typical * 8, typical * 64].filter((tick) => tick < limit);
  return {
    limit,
    place: (value) => between(0.5 + (0.5 * Math.sign(value) * Math.log1p(Math.abs(value) / linear)) / reach),
    value: (place) => {
      const from = 2 * between(place) - 1;
      return Math.fround(Number((Math.sign(from) * linear * Math.expm1(Math.abs(from) * reach)).toPrecision(3)));
    },
    ticks: [...positive.map((tick) => -tick).reverse(), 0, ...positive],
  };
}

function between(place: number): number {
  return Math.min(Math.max(place, 0), 1);
}

/** The power of two at or below a size: for drawing, where the last bit of a logarithm does not matter. */
function binade(size: number): number {
  return 2 ** Math.max(Math.floor(Math.log2(size)), -126);
}

/** How many bars stand in a row of `width` pixels. */
export function perRow(width: number): number {
  return PER_ROW.find((count) => width >= count * COLUMN) ?? PER_ROW.at(-1)!;
}
