// The block formats, from the same block_catalogue.json that Python reads.

import { getFormat } from "../formats/catalogue.ts";
import type { FloatFormat } from "../formats/float_format.ts";
import { type ElementFormat, fixedPoint, floatElement, valueTable } from "./elements.ts";
import { rulesOf, type ScaleRule } from "./scale_rules.ts";
import catalogue from "#mixwidgets/floats/formats/block_catalogue.json";

/** The twin of BlockFormat in mixwidgets/floats/formats/block_format.py. */
export interface BlockFormat {
  readonly name: string;
  readonly element: ElementFormat;
  /** How many rows and columns of a matrix share a scale. There is one row unless blocks are in two dimensions. */
  readonly block: readonly [rows: number, columns: number];
  /** The format of the shared scale. */
  readonly scale: FloatFormat;
  /** The format of the scale that all blocks of a tensor share; null for formats without one. */
  readonly tensorScale: FloatFormat | null;
  /** Whether every shared scale is a power of two. */
  readonly scalesByPowersOfTwo: boolean;
  /** The rules by which the scale can be chosen, the default first. */
  readonly scaleRules: readonly [ScaleRule, ...ScaleRule[]];
  /** The bits of an element, plus those of the scale divided by the elements that share it. */
  readonly bitsPerElement: number;
}

const elements = new Map(catalogue.elements.map((row) => {
  const { name, bits, fraction_bits, values } = row as { name: string; bits?: number; fraction_bits?: number; values?: number[] };
  return [name, values ? valueTable(name, values) : fixedPoint(name, bits!, fraction_bits!)] as const;
}));

export const blockFormats: readonly BlockFormat[] = catalogue.formats.map((row) => {
  const element = elements.get(row.element) ?? floatElement(getFormat(row.element)!);
  const scale = getFormat(row.scale)!;
  const tensorScale = row.tensor_scale ? getFormat(row.tensor_scale)! : null;
  const scalesByPowersOfTwo = !tensorScale && !scale.hasZero && scale.fractionBits === 0;
  const block = typeof row.block_size === "number" ? [1, row.block_size] as const : row.block_size as [number, number];
  return {
    name: row.name, element, block, scale, tensorScale, scalesByPowersOfTwo,
    scaleRules: rulesOf(element, scalesByPowersOfTwo, tensorScale !== null),
    bitsPerElement: element.bits + scale.bits / (block[0] * block[1]),
  };
});

/** The block format of a canonical name; undefined for anything else. */
export function getBlockFormat(name: unknown): BlockFormat | undefined {
  return blockFormats.find((fmt) => fmt.name === name);
}
