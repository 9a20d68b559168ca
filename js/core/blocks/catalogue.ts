// The block formats, from the same block_catalogue.json that Python reads.

import catalogue from "#mixwidgets/floats/formats/block_catalogue.json";
import { getFormat } from "../formats/catalogue.ts";
import type { FloatFormat } from "../formats/float_format.ts";
import { type ElementFormat, floatElement, int8 } from "./element.ts";

export interface BlockFormat {
  readonly name: string;
  readonly element: ElementFormat;
  /** Block size k: how many elements share a scale. */
  readonly blockSize: number;
  /** The format of the shared scale. */
  readonly scale: FloatFormat;
  /** The format of the scale that all blocks of a tensor share; null for formats without one. */
  readonly tensorScale: FloatFormat | null;
  /** The bits of an element, plus those of the scale divided by k. */
  readonly bitsPerElement: number;
}

export const blockFormats: readonly BlockFormat[] = catalogue.formats.map((row) => {
  const element = row.element === int8.name ? int8 : floatElement(getFormat(row.element)!);
  const scale = getFormat(row.scale)!;
  return {
    name: row.name,
    element,
    blockSize: row.block_size,
    scale,
    tensorScale: row.tensor_scale ? getFormat(row.tensor_scale)! : null,
    bitsPerElement: element.bits + scale.bits / row.block_size,
  };
});

/** The block format of a canonical name; undefined for anything else. */
export function getBlockFormat(name: unknown): BlockFormat | undefined {
  return blockFormats.find((fmt) => fmt.name === name);
}
