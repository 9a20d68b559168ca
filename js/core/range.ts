// Ranges of numbers.

export const clamp = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high);

/** The least and the greatest value; `none` if there are no values. Math.min(...values) fails on a long curve. */
export function extent(values: readonly number[], none: [low: number, high: number] = [0, 0]): [low: number, high: number] {
  if (values.length === 0) return none;
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return [low, high];
}
