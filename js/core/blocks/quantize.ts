// Quantises finite values to a block format. The twin of BlockFormat.quantize in mixwidgets/floats/formats/block_format.py,
// which documents zeros and short blocks.

import { exactOf } from "../formats/decode.ts";
import type { Exact } from "../formats/parse.ts";
import { add, compare, divide, multiply, negate, rational, subtract, toNumber, type Rational } from "../formats/rational.ts";
import type { BlockFormat } from "./catalogue.ts";
import { type Scale, type ScaleRule, scalesOf, tensorScaleOf } from "./scale_rules.ts";

const ZERO = rational(0n);

/** Quantise a matrix of finite values, row by row; without `columns`, one row. */
export function quantize(fmt: BlockFormat, values: ArrayLike<number>, rule: ScaleRule, columns = values.length) {
  const all = Array.from(values, exactOf);
  const blocks = blocksOf(fmt.block, all.length, columns);
  const amaxes = blocks.map((members) => largest(members.map((index) => all[index]!.magnitude)));
  const tensorScale = tensorScaleOf(fmt, largest(amaxes), rule);
  const quantized = blocks.map((members, index) => {
    const block = members.map((member) => all[member]!);
    return best(block, scalesOf(fmt, amaxes[index]!, tensorScale, rule).map((scale) => scaled(fmt, block, scale, tensorScale)));
  });
  const zero = fmt.element.encode(false, ZERO);
  const codes = new Array<number>(all.length);
  const dequantized = new Array<number>(all.length);
  blocks.forEach((members, block) => members.forEach((index, at) => {
    const code = codes[index] = quantized[block]!.codes[at]!;
    const value = toNumber(quantized[block]!.values[at]!);
    dequantized[index] = value === 0 && code !== zero ? -0 : value; // a rational has no −0
  }));
  return {
    /** The elements of each block, by their indexes. */
    blocks,
    /** The codes of the shared scales, one per block. */
    scaleCodes: quantized.map(({ scale }) => scale.code),
    scales: quantized.map(({ scale }) => toNumber(scale.value)),
    /** The codes of the elements. */
    codes,
    /** element × scale (× tensor scale), exactly. */
    dequantized,
    tensorScale: fmt.tensorScale ? toNumber(tensorScale) : null,
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
  readonly values: readonly Rational[];
}

/** A block with this scale. Where the scale is 0, so are all elements, with their signs. */
function scaled(fmt: BlockFormat, block: readonly Exact[], scale: Scale, tensorScale: Rational): Scaled {
  const unit = multiply(scale.value, tensorScale);
  const codes = block.map(({ negative, magnitude }) =>
    fmt.element.encode(negative, unit.numerator === 0n ? ZERO : divide(magnitude, unit)));
  return { scale, codes, values: codes.map((code) => multiply(fmt.element.decode(code), unit)) };
}

/** The first, unless another leaves a smaller squared error. */
function best(block: readonly Exact[], results: readonly Scaled[]): Scaled {
  if (results.length === 1) return results[0]!;
  const errors = results.map(({ values }) => values.reduce((sum, value, index) => {
    const { negative, magnitude } = block[index]!;
    const error = subtract(value, negative ? negate(magnitude) : magnitude);
    return add(sum, multiply(error, error));
  }, ZERO));
  return results.reduce((one, other) => (compare(errors[results.indexOf(other)]!, errors[results.indexOf(one)]!) < 0 ? other : one));
}

function largest(magnitudes: readonly Rational[]): Rational {
  return magnitudes.reduce((most, magnitude) => (compare(magnitude, most) > 0 ? magnitude : most), ZERO);
}
