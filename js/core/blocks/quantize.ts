// Quantises finite values to a block format. The twin of BlockFormat.quantize in mixwidgets/floats/formats/block_format.py,
// which documents zeros and short blocks.

import { exactOf } from "../formats/decode.ts";
import { add, compare, multiply, negate, rational, subtract, toNumber, type Rational } from "../formats/rational.ts";
import type { BlockFormat } from "./catalogue.ts";
import { type Scale, type ScaleRule, scalesOf, tensorScaleOf } from "./scale_rules.ts";

/** Quantise a matrix of finite values, row by row; without `columns`, one row. As in Python, a quotient that is rounded to a
 * Number and then to a code is that of rounding once. */
export function quantize(fmt: BlockFormat, values: ArrayLike<number>, rule: ScaleRule, columns = values.length) {
  const blocks = blocksOf(fmt.block, values.length, columns);
  const amaxes = blocks.map((members) => exactOf(members.reduce((most, index) => Math.max(most, Math.abs(values[index]!)), 0)).magnitude);
  const tensorScale = tensorScaleOf(fmt, amaxes.reduce((most, amax) => (compare(amax, most) > 0 ? amax : most), rational(0n)), rule);
  const factor = toNumber(tensorScale);
  const codes = new Array<number>(values.length);
  const dequantized = new Array<number>(values.length);
  const scales = blocks.map((members, index) => {
    const block = members.map((member) => values[member]!);
    const result = best(block, scalesOf(fmt, amaxes[index]!, tensorScale, rule).map((scale) => scaled(fmt, block, scale, factor)));
    members.forEach((member, at) => {
      codes[member] = result.codes[at]!;
      dequantized[member] = result.values[at]!;
    });
    return result.scale;
  });
  return {
    /** The elements of each block, by their indexes. */
    blocks,
    /** The codes of the shared scales, one per block. */
    scaleCodes: scales.map(({ code }) => code),
    scales: scales.map(({ value }) => toNumber(value)),
    /** The codes of the elements. */
    codes,
    /** element × scale (× tensor scale), exactly. */
    dequantized,
    tensorScale: fmt.tensorScale ? factor : null,
  };
}

/** The blocks of a matrix, row by row: the indexes of the elements of each. */
function blocksOf([height, width]: BlockFormat["block"], count: number, columns: number): number[][] {
  const across = Math.ceil(columns / width);
  const blocks: number[][] = [];
  for (let index = 0; index < count; index++) {
    const [row, column] = [Math.floor(index / columns), index % columns];
    (blocks[Math.floor(row / height) * across + Math.floor(column / width)] ??= []).push(index);
  }
  return blocks;
}

interface Scaled {
  readonly scale: Scale;
  readonly codes: readonly number[];
  readonly values: readonly number[];
}

/** A block with this scale. Where the scale is 0, so are all elements, with their signs. */
function scaled({ element }: BlockFormat, block: readonly number[], scale: Scale, tensorScale: number): Scaled {
  const unit = toNumber(scale.value) * tensorScale; // exact, as are the products below
  const codes = block.map((value) => element.encode(unit === 0 ? value * 0 : value / unit));
  return { scale, codes, values: codes.map((code) => element.decode(code) * unit) };
}

const CLOSE = 2 ** -36; // as in scale_rules.py: sums of squares differ by less where their last bits decide
const TINY = 2 ** -960; // sums of squares below may have lost bits

/** The first, unless another leaves a smaller squared error, decided exactly. */
function best(block: readonly number[], results: readonly Scaled[]): Scaled {
  return results.reduce((one, other) => (isBetter(block, other.values, one.values) ? other : one));
}

function isBetter(block: readonly number[], values: readonly number[], than: readonly number[]): boolean {
  const [error, other] = [values, than].map((of) => of.reduce((sum, value, index) => sum + (value - block[index]!) ** 2, 0)) as [number, number];
  const sum = error + other;
  if (sum > TINY && Math.abs(error - other) > CLOSE * sum) return error < other;
  return compare(squaredError(block, values), squaredError(block, than)) < 0;
}

function squaredError(block: readonly number[], values: readonly number[]): Rational {
  return values.reduce((sum, value, index) => {
    const error = subtract(rationalOf(value), rationalOf(block[index]!));
    return add(sum, multiply(error, error));
  }, rational(0n));
}

function rationalOf(value: number): Rational {
  const { negative, magnitude } = exactOf(value);
  return negative ? negate(magnitude) : magnitude;
}
