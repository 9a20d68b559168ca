// A linear scale in the few bytes that a ruler needs; charts, whose axes are also logarithmic, have d3-scale.

export type Scale = ReturnType<typeof linear>;

/** Maps `from` … `to` to `start` … `end`. */
export function linear([from, to]: readonly [number, number], [start, end]: readonly [number, number]) {
  const at = (value: number): number => {
    const part = (value - from) / (to - from);
    return start * (1 - part) + end * part;
  };
  return Object.assign(at, {
    range: (): [number, number] => [start, end],
    invert: (place: number): number => from + ((place - start) / (end - start)) * (to - from),
    /** About `count` values: multiples of 1, 2 or 5 times a power of ten. */
    ticks(count: number): number[] {
      const rough = (to - from) / count;
      const power = 10 ** Math.floor(Math.log10(rough));
      const factor = [10, 5, 2].find((one) => rough / power >= Math.sqrt(one * (one === 10 ? 5 : one === 5 ? 2 : 1))) ?? 1;
      const step = factor * power;
      const first = Math.ceil(from / step);
      return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step);
    },
  });
}
