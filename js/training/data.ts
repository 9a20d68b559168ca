// Everything that a run draws from its seed: random numbers, the examples of the tasks and the order of the batches. The
// examples are points in the plane in four patterns, or scikit-learn's digits, which are data.

import { clamp } from "#core/range.ts";
import type { Task } from "./settings.ts";

/** The plane tasks' points lie in −EXTENT … EXTENT. */
export const EXTENT = 3;

const POINTS = 256; // for training, and again for the test
const PIXELS = 64;
const HELD_OUT = 360; // digits, the first of the rows

/** Rows of examples; inputs (count × features), row by row, labels 0 … classes − 1. */
export interface Examples {
  readonly count: number;
  readonly inputs: Float32Array;
  readonly labels: Uint8Array;
}

export interface DataSet {
  readonly features: number;
  readonly classes: number;
  readonly training: Examples;
  readonly test: Examples;
}

/** scikit-learn's digits as bytes, 65 for each of 1,797 rows: 64 pixels of 0 … 16, then the label; the first 360 rows are the
 * test set. Python's mixwidgets.runs.task.digit_rows writes them; a page gets them as a bytes trait, so no bundle contains
 * them. */
export type DigitRows = Uint8Array;

/** Inputs and outputs of a task's network. */
export const shapeOf = (task: Task) => (task === "digits" ? { features: PIXELS, classes: 10 } : { features: 2, classes: 2 });

/** A task's examples. `stream` draws the points of a plane task; `rows` are needed for the digits. */
export function dataSet(task: Task, stream: Stream, rows?: DigitRows): DataSet {
  if (task !== "digits") {
    const training = points(draws[task], stream);
    return { ...shapeOf(task), training, test: points(draws[task], stream) };
  }
  if (!rows) throw new RangeError("the digits are data: give Trainer their rows");
  const count = rows.length / (PIXELS + 1);
  return { ...shapeOf(task), training: digits(rows, HELD_OUT, count), test: digits(rows, 0, HELD_OUT) };
}

/** Random numbers by counting: number i is a hash of the stream's key and i, so that a page and NumPy draw the same. Public, as of Batches, so that a look
 * can draw from a copy. */
export class Stream {
  readonly key: number;
  count = 0;

  /** Streams of the same seed and of different names, which are numbers, are independent. */
  constructor(seed: number, name: number) {
    this.key = mixed(mixed(seed + 0x9e3779b9) + name);
  }

  /** The next number, uniform among the multiples of 2^-24 from 0 to below 1. */
  next(): number {
    const bits = mixed(mixed(this.count++) + this.key);
    return (bits >>> 8) / 2 ** 24;
  }

  /** The next integer from 0 to below n ≤ 2^24. */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }
}

/** murmur3's finaliser (Austin Appleby, public domain): a bijection of 32 bits that mixes every bit into every other. */
function mixed(bits: number): number {
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** Endless batches of row numbers: each epoch has all rows in a new random order, and a batch may reach into the next epoch. */
export class Batches {
  readonly stream: Stream;
  readonly order: Uint32Array;
  at: number;

  constructor(count: number, stream: Stream) {
    this.stream = stream;
    this.order = Uint32Array.from({ length: count }, (_, row) => row);
    this.at = count;
  }

  next(size: number): Uint32Array {
    const rows = new Uint32Array(size);
    for (let i = 0; i < size; i++) {
      if (this.at === this.order.length) {
        shuffle(this.order, this.stream);
        this.at = 0;
      }
      rows[i] = this.order[this.at++]!;
    }
    return rows;
  }
}

/** Fisher and Yates, from the end. */
function shuffle(order: Uint32Array, stream: Stream): void {
  for (let last = order.length - 1; last > 0; last--) {
    const other = stream.below(last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
}

type Point = [number, number];
/** Draws point number i, whose label is i % 2. */
type Draw = (i: number, stream: Stream) => Point;

function points(draw: Draw, stream: Stream): Examples {
  const inputs = new Float32Array(2 * POINTS);
  for (let i = 0; i < POINTS; i++) inputs.set(draw(i, stream), 2 * i);
  return { count: POINTS, inputs, labels: Uint8Array.from({ length: POINTS }, (_, i) => i % 2) };
}

function digits(rows: DigitRows, from: number, to: number): Examples {
  const inputs = new Float32Array(PIXELS * (to - from));
  const labels = new Uint8Array(to - from);
  for (let i = from; i < to; i++) {
    const at = i * (PIXELS + 1);
    for (let k = 0; k < PIXELS; k++) inputs[(i - from) * PIXELS + k] = rows[at + k]! / 16;
    labels[i - from] = rows[at + PIXELS]!;
  }
  return { count: to - from, inputs, labels };
}

const between = (stream: Stream, low: number, high: number) => low + (high - low) * stream.next();
const anywhere = (stream: Stream): Point => [between(stream, -EXTENT, EXTENT), between(stream, -EXTENT, EXTENT)];

/** The first drawn point that satisfies a condition. */
function drawUntil(stream: Stream, isRight: (x: number, y: number) => boolean): Point {
  for (;;) {
    const [x, y] = anywhere(stream);
    if (isRight(x, y)) return [x, y];
  }
}

/** Nearly normal, with mean 0 and standard deviation 1: the sum of twelve uniform numbers has a variance of 1. */
function nearlyNormal(stream: Stream): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += stream.next();
  return sum;
}

/** cos and sin of 1.75/128 of a turn: the 128 points of an arm make 1.75 turns. */
const COS = 0.996312612182778;
const SIN = 0.0857973123444399;

/** The unit vector to each point of a spiral's arm, each rotated from the one before. */
const arm: Point[] = [[1, 0]];
while (arm.length < POINTS / 2) {
  const [c, s] = arm.at(-1)!;
  arm.push([c * COS - s * SIN, s * COS + c * SIN]);
}

const draws: Record<Exclude<Task, "digits">, Draw> = {
  circle: (i, stream) =>
    drawUntil(stream, (x, y) => {
      const square = (x * x + y * y) / (EXTENT * EXTENT);
      return i % 2 ? square < 0.25 : square > 0.49 && square < 1;
    }),
  xor: (i, stream) =>
    drawUntil(stream, (x, y) => (i % 2 ? x * y < 0 : x * y > 0) && Math.min(Math.abs(x), Math.abs(y)) > 0.06 * EXTENT),
  gaussians: (i, stream) => {
    const centre = (i % 2 ? 0.4 : -0.4) * EXTENT;
    const [x, y] = [centre + 0.3 * EXTENT * nearlyNormal(stream), centre + 0.3 * EXTENT * nearlyNormal(stream)];
    return [clamp(x, -EXTENT, EXTENT), clamp(y, -EXTENT, EXTENT)];
  },
  spiral: (i, stream) => {
    const along = (i >> 1) % arm.length;
    const [c, s] = arm[along]!;
    const radius = (i % 2 ? -0.95 : 0.95) * EXTENT * ((along + 1) / arm.length);
    const noise = 0.03 * EXTENT;
    return [radius * c + between(stream, -noise, noise), radius * s + between(stream, -noise, noise)];
  },
};
