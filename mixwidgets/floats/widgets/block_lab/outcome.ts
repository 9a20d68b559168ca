// What quantising makes of the lab's elements, as the page describes it.

import { type BlockFormat, blockFormats } from "#core/blocks/catalogue.ts";
import { hadamard, rotated, SIGNS, SIZE } from "#core/blocks/hadamard.ts";
import { quantize } from "#core/blocks/quantize.ts";
import type { ScaleRule } from "#core/blocks/scale_rules.ts";

/** "zero": it was 0. "lost": it became 0. "clipped": saturation changed it, because it rounds past the largest element × the
 * scale, as BlockRecord.clipped counts in Python. */
type Kind = "zero" | "lost" | "clipped" | "rounded";

export type Outcome = ReturnType<typeof outcome>;
export type Element = Outcome["elements"][number];
export type Block = Outcome["blocks"][number];

interface Quantizable {
  readonly format: BlockFormat;
  readonly rule: ScaleRule;
  readonly values: ArrayLike<number>;
  readonly columns: number;
}

/** The result of quantising, for each element and each block. */
export function outcome({ format, rule, values, columns }: Quantizable) {
  const quantized = quantize(format, values, rule, columns);
  const { overflowThreshold, overflowTieStays } = format.element;
  const blockOf = new Array<number>(values.length);
  const blocks = quantized.blocks.map((members, index) => {
    for (const member of members) blockOf[member] = index;
    const setter = members.reduce((most, member) => (Math.abs(values[member]!) > Math.abs(values[most]!) ? member : most));
    const scale = quantized.scales[index]!;
    return {
      /** The indexes of its elements. */
      members,
      /** Index of the element of the largest magnitude, which sets the scale; null if all are 0. */
      setter: values[setter] === 0 ? null : setter,
      scale,
      scaleCode: quantized.scaleCodes[index]!,
      /** The factor from stored elements to values: scale × tensor scale. */
      unit: scale * (quantized.tensorScale ?? 1),
    };
  });
  const elements = Array.from(values, (value, index) => {
    const result = quantized.dequantized[index]!;
    const error = result - value;
    const limit = overflowThreshold * blocks[blockOf[index]!]!.unit;
    const isPast = Math.abs(value) > limit || (Math.abs(value) === limit && !overflowTieStays);
    const kind: Kind = value === 0 ? "zero" : result === 0 ? "lost" : isPast ? "clipped" : "rounded";
    return { value, result, code: quantized.codes[index]!, kind, error, relative: value === 0 ? 0 : Math.abs(error / value) };
  });
  return {
    format, elements, blocks,
    blockAt: (index: number) => blocks[blockOf[index]!]!,
    rows: Array.from({ length: values.length / columns }, (_, row) => elements.slice(row * columns, (row + 1) * columns)),
    tensorScale: quantized.tensorScale,
    ...lossOf(elements),
  };
}

/** How many become 0, how many are clipped, and ‖error‖ / ‖values‖; 0 if all are 0. */
export function lossOf(elements: readonly { value: number; error: number; kind: Kind }[]) {
  const count = (wanted: Kind) => elements.filter(({ kind }) => kind === wanted).length;
  const norm = Math.hypot(...elements.map(({ value }) => value));
  const relative = norm === 0 ? 0 : Math.hypot(...elements.map(({ error }) => error)) / norm;
  return { all: elements.length, lost: count("lost"), clipped: count("clipped"), relative };
}

const MATRIX = hadamard(SIZE, SIGNS);

/** Each 16 elements of a row rotated; a row is a whole number of them. The twin of `BlockLab.rotated`. */
export const rotatedRows = ({ values }: { values: ArrayLike<number> }): Float64Array => rotated(values, MATRIX);

/** The other formats with the same elements and scales, in blocks of another shape. */
export function kinOf({ name, element, scale, tensorScale }: BlockFormat): BlockFormat[] {
  return blockFormats.filter((other) =>
    other.name !== name && other.element.name === element.name && other.scale === scale && other.tensorScale === tensorScale);
}
