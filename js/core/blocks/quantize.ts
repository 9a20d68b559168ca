// Quantises finite values to a block format. The twin of BlockFormat.quantize in mixwidgets/floats/formats/block.py, which
// documents zeros, short blocks and the scale rules of MX blocks.

import { exact, exactOf } from "../formats/decode.ts";
import { encode } from "../formats/encode.ts";
import type { FloatFormat } from "../formats/float_format.ts";
import { compare, divide, floorLog2, multiply, power, rational, subtract, toNumber, type Rational } from "../formats/rational.ts";
import { clamp } from "../range.ts";
import type { BlockFormat, ElementFormat } from "./catalogue.ts";

export const SCALE_RULES = ["FLOOR", "CEIL", "RCEIL", "EVEN"] as const;
export type ScaleRule = (typeof SCALE_RULES)[number];

/** log2 of the shared scale, not yet clamped to the range of the scale's format. `amax` is positive. */
export function scaleExponent(amax: Rational, element: ElementFormat, rule: ScaleRule): number {
  const exponent = floorLog2(amax);
  const emax = floorLog2(element.max);
  const significand = multiply(amax, power(2n, -exponent));
  const roundsUp = {
    FLOOR: () => false,
    CEIL: () => compare(significand, rational(1n)) > 0,
    RCEIL: () => compare(significand, multiply(element.max, power(2n, -emax))) > 0,
    EVEN: () => compare(significand, subtract(rational(2n), power(2n, -element.fractionBits - 1))) >= 0,
  }[rule]();
  return exponent - emax + Number(roundsUp);
}

interface Scale {
  readonly code: number;
  readonly value: Rational;
}

const ZERO = rational(0n);
const ONE = rational(1n);

/** Quantise a row of finite values. Formats with a tensor scale have their own rule and ignore `rule`. */
export function quantize(fmt: BlockFormat, values: ArrayLike<number>, rule: ScaleRule) {
  const row = Array.from(values, exactOf);
  const blocks = Array.from({ length: Math.ceil(row.length / fmt.blockSize) }, (_, block) =>
    row.slice(block * fmt.blockSize, (block + 1) * fmt.blockSize));
  const amaxes = blocks.map((block) => largest(block.map(({ magnitude }) => magnitude)));
  const tensorScale = fmt.tensorScale ? tensorScaleOf(fmt, fmt.tensorScale, largest(amaxes)) : ONE;
  const scales = amaxes.map((amax) => (fmt.tensorScale ? quotientScale(fmt, amax, tensorScale) : powerScale(fmt, amax, rule)));
  const elements = blocks.flatMap((block, index) => {
    const unit = multiply(scales[index]!.value, tensorScale);
    return block.map(({ negative, magnitude }) => {
      const code = fmt.element.encode(negative, divide(magnitude, unit));
      return { code, value: toNumber(multiply(fmt.element.decode(code), unit)) };
    });
  });
  return {
    /** The codes of the shared scales, one per block. */
    scaleCodes: scales.map(({ code }) => code),
    scales: scales.map(({ value }) => toNumber(value)),
    /** The codes of the elements. */
    codes: elements.map(({ code }) => code),
    /** element × scale (× tensor scale), exactly. */
    dequantized: elements.map(({ value }) => value),
    tensorScale: fmt.tensorScale ? toNumber(tensorScale) : null,
  };
}

function largest(magnitudes: readonly Rational[]): Rational {
  return magnitudes.reduce((most, magnitude) => (compare(magnitude, most) > 0 ? magnitude : most), ZERO);
}

function powerScale(fmt: BlockFormat, amax: Rational, rule: ScaleRule): Scale {
  const { emin, emax } = fmt.scale;
  const wanted = amax.numerator === 0n ? emin : scaleExponent(amax, fmt.element, rule);
  return rounded(fmt.scale, power(2n, clamp(wanted, emin, emax)));
}

function quotientScale(fmt: BlockFormat, amax: Rational, tensorScale: Rational): Scale {
  return rounded(fmt.scale, divide(amax, multiply(fmt.element.max, tensorScale)));
}

function tensorScaleOf(fmt: BlockFormat, format: FloatFormat, amax: Rational): Rational {
  const full = multiply(fmt.scale.magnitude(fmt.scale.maxCode), fmt.element.max);
  return rounded(format, divide(amax, full)).value;
}

/** A scale rounded to its format, but at least its smallest positive value and at most its largest. */
function rounded(format: FloatFormat, magnitude: Rational): Scale {
  const code = encode(format, { kind: "finite", negative: false, magnitude }, { overflow: "saturate" });
  const positive = code === 0n && format.hasZero ? 1n : code;
  return { code: Number(positive), value: exact(format, positive) };
}
