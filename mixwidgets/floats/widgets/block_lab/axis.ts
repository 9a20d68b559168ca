// The axis of a row's bars, which fits what they show, and the lines on it, at what the row's blocks can store.

import { clamp } from "#core/range.ts";

const SPREAD = 16; // an axis is linear if the largest is at most so many typical elements
const USUAL = 4; // typical elements: the linear part of an axis that goes on logarithmically
const LINEAR_SHARE = 0.6; // of the height, that this part takes
const BEYOND = 10; // doublings to which half the plot's height leads above its top
const LEAST = 0.25; // of the largest's height, that there is above and below 0
const LARGEST = 2 ** 127;
const SLACK = 1 + 2 ** -20; // the ends come from sums of logarithms
const APART = 0.016; // of the plot's height, between lines
const LABELS_APART = 0.14;

export type Axis = ReturnType<typeof axisFor>;

/** An axis for these numbers, in fractions of the plot's height: as far above 0 as they are, and below. It is linear, or linear
 * up to `bend` and logarithmic from there. What is past its ends doubles at each step. */
export function axisFor(numbers: readonly number[]) {
  const sizes = numbers.map(Math.abs).filter((size) => size > 0).sort((a, b) => a - b);
  const largest = sizes.at(-1) ?? 1;
  const typical = sizes[sizes.length >> 1] ?? largest;
  const bend = largest <= SPREAD * typical ? null : Math.max(USUAL * typical, largest * 2 ** -60);
  const doublings = bend === null ? 0 : Math.log2(largest / bend);
  /** From 0 at zero to 1 at the largest, and on. */
  const height = (size: number) => (size > largest ? 1 + Math.log2(size / largest) / BEYOND
    : bend === null ? size / largest
    : size <= bend ? (LINEAR_SHARE * size) / bend : LINEAR_SHARE + ((1 - LINEAR_SHARE) * Math.log2(size / bend)) / doublings);
  const sizeAt = (height: number) => (height > 1 ? largest * 2 ** (BEYOND * (height - 1))
    : bend === null ? height * largest
    : height <= LINEAR_SHARE ? (height / LINEAR_SHARE) * bend : bend * 2 ** ((doublings * (height - LINEAR_SHARE)) / (1 - LINEAR_SHARE)));
  const end = (sign: number) => Math.max(LEAST, ...numbers.map((value) => (Math.sign(value) === sign ? height(Math.abs(value)) : 0)));
  const [up, down] = [end(1), end(-1)];
  const [top, bottom] = [sizeAt(up), -sizeAt(down)];
  /** The place of a number of any size, also past the ends. */
  const reach = (value: number) => (down + Math.sign(value) * height(Math.abs(value))) / (up + down);
  return {
    top, bottom, bend, reach,
    /** Where a number stands; what is past an end stands there. */
    place: (value: number) => clamp(reach(value), 0, 1),
    /** The number at a place, in three digits, rounded to float32: the inverse of `reach`. */
    value: (place: number) => {
      const from = place * (up + down) - down;
      return Math.fround(Number((Math.sign(from) * Math.min(sizeAt(Math.abs(from)), LARGEST)).toPrecision(3)));
    },
  };
}

/** Which of some increasing numbers have a line, and which lines a label: those within the axis that do not touch others. */
export function linesOf({ place, top, bottom }: Axis, numbers: readonly number[]) {
  const within = numbers.filter((value) => value <= top * SLACK && value >= bottom * SLACK);
  const spaced = (apart: number, from: readonly number[]) => {
    const zeroOut = [...from].sort((a, b) => Math.abs(a) - Math.abs(b));
    const kept: number[] = [];
    for (const value of zeroOut) if (kept.every((other) => Math.abs(place(other) - place(value)) >= apart)) kept.push(value);
    return kept;
  };
  const lines = spaced(APART, within);
  const ends = [Math.max(...lines), Math.min(...lines)].filter((end) => Math.abs(place(end) - place(0)) >= LABELS_APART);
  const inner = lines.filter((value) => ends.every((end) => Math.abs(place(end) - place(value)) >= LABELS_APART));
  const labels = [...ends, ...spaced(LABELS_APART, inner)];
  return { lines, labels, isAll: lines.length === within.length, places: lines.map(place) };
}
