// The result of quantising, for each element and each block, as the page describes it.

import { quantize } from "#core/blocks/quantize.ts";
import { toNumber } from "#core/formats/rational.ts";
import type { Lab } from "./lab.ts";

/** "zero": it was 0. "lost": it became 0. "clipped": it was above the overflow threshold × scale. */
export type Kind = "zero" | "lost" | "clipped" | "rounded";

export interface Element {
  readonly value: number;
  readonly result: number;
  readonly code: number;
  readonly kind: Kind;
  readonly error: number;
  /** |error| / |value|; 0 for a value of 0. */
  readonly relative: number;
}

export interface Block {
  /** Index of its first element. */
  readonly start: number;
  readonly size: number;
  /** Index of the element of the largest magnitude, which sets the scale; null if all are 0. */
  readonly setter: number | null;
  readonly scale: number;
  readonly scaleCode: number;
  /** The factor from stored elements to values: scale × tensor scale. */
  readonly unit: number;
}

export interface Outcome {
  readonly elements: readonly Element[];
  readonly blocks: readonly Block[];
  readonly tensorScale: number | null;
  /** ‖error‖ / ‖values‖ over all elements; 0 if all are 0. */
  readonly relative: number;
  readonly lost: number;
  /** The largest value of the element format. */
  readonly largest: number;
}

export function outcome({ format, rule, values }: Lab): Outcome {
  const found = quantize(format, values, rule);
  const clips = toNumber(format.element.overflowThreshold);
  const blocks = found.scales.map((scale, index): Block => {
    const start = index * format.blockSize;
    const magnitudes = Array.from(values.subarray(start, start + format.blockSize), Math.abs);
    const amax = Math.max(...magnitudes);
    return {
      start,
      size: magnitudes.length,
      setter: amax === 0 ? null : start + magnitudes.indexOf(amax),
      scale,
      scaleCode: found.scaleCodes[index]!,
      unit: scale * (found.tensorScale ?? 1),
    };
  });
  const elements = Array.from(values, (value, index): Element => {
    const result = found.dequantized[index]!;
    const error = result - value;
    const limit = clips * blocks[Math.floor(index / format.blockSize)]!.unit;
    const kind = value === 0 ? "zero" : result === 0 ? "lost" : Math.abs(value) > limit ? "clipped" : "rounded";
    return { value, result, code: found.codes[index]!, kind, error, relative: value === 0 ? 0 : Math.abs(error / value) };
  });
  const norm = Math.hypot(...values);
  return {
    elements,
    blocks,
    tensorScale: found.tensorScale,
    relative: norm === 0 ? 0 : Math.hypot(...elements.map(({ error }) => error)) / norm,
    lost: elements.filter(({ kind }) => kind === "lost").length,
    largest: toNumber(format.element.max),
  };
}
