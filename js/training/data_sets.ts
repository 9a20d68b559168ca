// The tasks' examples: four kinds of points in the plane, drawn by the seed, and scikit-learn's digits.

import { clamp } from "#core/range.ts";
import { Stream } from "./random.ts";
import { EXTENT, type DataSet, type DigitRows, type Examples, type Task } from "./types.ts";

const POINTS = 256; // for training, and again for the test
const PIXELS = 64;
const HELD_OUT = 360; // digits, the first of the rows

type Point = [number, number];
/** Point number i, of label i % 2. */
type Draw = (i: number, stream: Stream) => Point;

const between = (stream: Stream, low: number, high: number) => low + (high - low) * stream.next();
const anywhere = (stream: Stream): Point => [between(stream, -EXTENT, EXTENT), between(stream, -EXTENT, EXTENT)];

/** The first drawn point that satisfies a condition. */
function drawUntil(stream: Stream, isRight: (x: number, y: number) => boolean): Point {
  for (;;) {
    const [x, y] = anywhere(stream);
    if (isRight(x, y)) return [x, y];
  }
}

/** Nearly normal, with mean 0 and standard deviation 1: twelve uniform numbers have a variance of 1. */
function nearlyNormal(stream: Stream): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += stream.next();
  return sum;
}

/** cos and sin of 1.75/128 of a turn: the 128 points of an arm make 1.75 turns. */
const COS = 0.996312612182778;
const SIN = 0.0857973123444399;

/** The unit vector at each point of a spiral's arm, turned on from the one before. */
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

/** A task's examples. `stream` draws those of the plane; the digits come as bytes, see types.ts. */
export function dataSet(task: Task, stream: Stream, rows?: DigitRows): DataSet {
  if (task !== "digits") {
    const training = points(draws[task], stream);
    return { features: 2, classes: 2, training, test: points(draws[task], stream) };
  }
  if (!rows) throw new RangeError("the digits are data: give Trainer their rows");
  const count = rows.length / (PIXELS + 1);
  return { features: PIXELS, classes: 10, training: digits(rows, HELD_OUT, count), test: digits(rows, 0, HELD_OUT) };
}
