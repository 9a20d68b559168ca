// The engine's rounder beside the exact `encode`: at every code, every midpoint, and what float32 and float64 have beside each.

import { expect, test } from "vitest";
import { formats, getFormat } from "#core/formats/catalogue.ts";
import { customFormat, type FloatFormat } from "#core/formats/float_format.ts";
import { classify, exactOf } from "#core/formats/decode.ts";
import { encode } from "#core/formats/encode.ts";
import { holdsTensors, round, rounderOf, roundStochastically } from "#training/rounder.ts";

const float32 = new Float32Array(1);
const bits = new Uint32Array(float32.buffer);

function beside(x: number, by: number): number {
  float32[0] = x;
  bits[0]! += by;
  return float32[0];
}

const float64 = new Float64Array(1);
const bits64 = new BigInt64Array(float64.buffer);

/** Of a finite number. */
function beside64(x: number, by: bigint): number {
  float64[0] = x;
  bits64[0]! += by;
  return float64[0];
}

/** The value of a code, by its fields: a Number. */
function numberOf(fmt: FloatFormat, code: bigint): number {
  const kind = classify(fmt, code);
  const sign = (code & fmt.signBit) !== 0n ? -1 : 1;
  if (kind === "nan") return NaN;
  if (kind === "infinity") return sign * Infinity;
  const { numerator, denominator } = fmt.magnitude(code & fmt.allOnes);
  return (sign * Number(numerator)) / Number(denominator);
}

function wrong(fmt: FloatFormat, values: Iterable<number>): string[] {
  const rounder = rounderOf(fmt);
  const errors: string[] = [];
  for (const x of values) {
    const expected = Number.isNaN(x) && fmt.nanCode === null ? NaN : numberOf(fmt, encode(fmt, exactOf(x)));
    if (!Object.is(round(rounder, x), expected)) errors.push(`${x}: ${round(rounder, x)}, not ${expected}`);
  }
  return errors;
}

/** Every value and every midpoint, also that beyond the largest value, with their neighbours in float32 and float64; both signs. */
function* everywhere(fmt: FloatFormat): Iterable<number> {
  yield* [0, -0, Infinity, -Infinity, NaN, beside(Infinity, -1), 2 ** -149, -(2 ** -149)];
  let last = 0;
  for (let code = 1n; code <= fmt.maxCode + 1n; code++) {
    const { numerator, denominator } = fmt.magnitude(code);
    const value = Number(numerator) / Number(denominator);
    for (const x of [value, (last + value) / 2]) {
      for (const near of [x, beside(x, 1), beside(x, -1), beside64(x, 1n), beside64(x, -1n)]) yield* [near, -near];
    }
    last = value;
  }
}

const small = formats.filter((fmt) => fmt.bits <= 16 && holdsTensors(fmt));
const customs = [
  customFormat({ name: "e5m0", exponentBits: 5, fractionBits: 0, infinity: "none", nan: "none" }),
  customFormat({ name: "e4m0", exponentBits: 4, fractionBits: 0, infinity: "top", nan: "top" }),
  customFormat({ name: "e1m2", exponentBits: 1, fractionBits: 2, infinity: "none", nan: "none" }),
  customFormat({ name: "e8m5", exponentBits: 8, fractionBits: 5 }),
  customFormat({ name: "e3m3b40", exponentBits: 3, fractionBits: 3, bias: 140 }),
];

test("of the small formats only those of scales, without a sign, hold no tensors", () => {
  const others = formats.filter((fmt) => fmt.bits <= 16 && !small.includes(fmt)).map(({ name }) => name);
  expect(others).toEqual(["float8_e5m3fnu", "float8_e8m0fnu"]);
});

test.each([...small, ...customs])("$name rounds as encode does", { timeout: 60_000 }, (fmt) => {
  expect(wrong(fmt, everywhere(fmt))).toEqual([]);
});

test.each(["tfloat32", "float32"])("%s rounds as encode does in all of float32's binades", (name) => {
  const fmt = getFormat(name)!;
  const shift = 23 - fmt.fractionBits;
  const values: number[] = [];
  for (let exponent = 0; exponent < 256; exponent++) {
    for (const fraction of [0, 1, 2, 0x155555, 0x2aaaaa, 0x400000, 0x7ffffe, 0x7fffff]) {
      for (const tie of [-1, 0, 1]) {
        bits[0] = (exponent << 23) | (((fraction >> shift) << shift) + ((1 << shift) >> 1) + tie);
        values.push(float32[0]!, -float32[0]!);
      }
    }
  }
  expect(wrong(fmt, values)).toEqual([]);
  expect(wrong(fmt, [0.5 * 2 ** -149, 1.5 * 2 ** -149, (2 - 2 ** -24) * 2 ** 127, 2 ** 128])).toEqual([]);
});

test.each([...small, getFormat("float32")!])("$name rounds stochastically to the neighbour that the draw says", (fmt) => {
  const rounder = rounderOf(fmt);
  const [low, high] = [numberOf(fmt, 4n), numberOf(fmt, 5n)];
  for (const sign of [1, -1]) {
    const x = sign * (low + (high - low) * 0.25);
    expect(roundStochastically(rounder, x, 0.25)).toBe(sign * low);
    expect(roundStochastically(rounder, x, 0.25 - 2 ** -24)).toBe(sign * high);
    expect(roundStochastically(rounder, sign * low, 0)).toBe(sign * low); // what is on the grid stays
  }
  expect(roundStochastically(rounder, rounder.max, 0)).toBe(rounder.max);
  expect(roundStochastically(rounder, -Infinity, 0)).toBe(-rounder.past);
});
