// The result of quantising, for each element and each block, as the page describes it.

import { quantize } from "#core/blocks/quantize.ts";
import { toNumber } from "#core/formats/rational.ts";
import type { Lab } from "./lab.ts";

/** "zero": it was 0. "lost": it became 0. "clipped": it was above the overflow threshold × scale. */
type Kind = "zero" | "lost" | "clipped" | "rounded";

export type Outcome = ReturnType<typeof outcome>;
export type Element = Outcome["elements"][number];
export type Block = Outcome["blocks"][number];

export function outcome({ format, rule, values }: Lab) {
  const found = quantize(format, values, rule);
  const clips = toNumber(format.element.overflowThreshold);
  const blocks = found.scales.map((scale, index) => {
    const start = index * format.blockSize; // index of its first element
    const magnitudes = Array.from(values.subarray(start, start + format.blockSize), Math.abs);
    const amax = Math.max(...magnitudes);
    return {
      start,
      size: magnitudes.length,
      /** Index of the element of the largest magnitude, which sets the scale; null if all are 0. */
      setter: amax === 0 ? null : start + magnitudes.indexOf(amax),
      scale,
      scaleCode: found.scaleCodes[index]!,
      /** The factor from stored elements to values: scale × tensor scale. */
      unit: scale * (found.tensorScale ?? 1),
    };
  });
  const elements = Array.from(values, (value, index) => {
    const result = found.dequantized[index]!;
    const error = result - value;
    const limit = clips * blocks[Math.floor(index / format.blockSize)]!.unit;
    const kind: Kind = value === 0 ? "zero" : result === 0 ? "lost" : Math.abs(value) > limit ? "clipped" : "rounded";
    return { value, result, code: found.codes[index]!, kind, error, relative: value === 0 ? 0 : Math.abs(error / value) };
  });
  const norm = Math.hypot(...values);
  return {
    elements,
    blocks,
    tensorScale: found.tensorScale,
    /** ‖error‖ / ‖values‖ over all elements; 0 if all are 0. */
    relative: norm === 0 ? 0 : Math.hypot(...elements.map(({ error }) => error)) / norm,
    lost: elements.filter(({ kind }) => kind === "lost").length,
    /** The largest value of the element format. */
    largest: toNumber(format.element.max),
  };
}
