// Block formats in the page, held to what plain rationals in Python say (tests/vectors/make_blocks.py).

import { describe, expect, test } from "vitest";
import { blockFormats, getBlockFormat } from "#core/blocks/catalogue.ts";
import { quantize } from "#core/blocks/quantize.ts";
import type { ScaleRule } from "#core/blocks/scale_rules.ts";
import { exactOf } from "#core/formats/decode.ts";
import { toNumber } from "#core/formats/rational.ts";
import { committed } from "./vectors.ts";

interface Row {
  format: string;
  rule: ScaleRule;
  shape: number[];
  values: string[];
  scales: number[];
  tensor_scale: number | null;
  dequantized: number[];
}

const rows = committed<Row[]>("blocks.json");
const plain = (values: number[]) => values.map((x) => x + 0); // −0 as 0

describe("vectors", () => {
  test.each(blockFormats.map(({ name }) => name))("%s", (name) => {
    const mine = rows.filter(({ format }) => format === name);
    expect(mine.length).toBeGreaterThan(20);
    for (const row of mine) {
      const fmt = getBlockFormat(name)!;
      expect(fmt.scaleRules).toContain(row.rule);
      const got = quantize(fmt, row.values.map(Number), row.rule, row.shape.at(-1));
      expect(got.scales).toEqual(row.scales);
      expect(got.tensorScale).toBe(row.tensor_scale);
      expect(plain(got.dequantized)).toEqual(plain(row.dequantized));
      const unit = (i: number) => got.scales[got.blocks.findIndex((members) => members.includes(i))]! * (got.tensorScale ?? 1);
      expect(plain(got.codes.map((code, i) => fmt.element.decode(code) * unit(i)))).toEqual(plain(got.dequantized));
    }
  });
});

test("bits an element", () => {
  expect(Object.fromEntries(blockFormats.map((fmt) => [fmt.name, fmt.bitsPerElement]))).toEqual({
    mxfp8_e4m3: 8.25, mxfp8_e5m2: 8.25, mxfp6_e3m2: 6.25, mxfp6_e2m3: 6.25, mxfp4: 4.25, mxint8: 8.25, mxint4: 4.25,
    nvfp4: 4.5, nvfp4_16x16: 4.03125, nvfp4_one_level: 4.5, fp8_1x128: 8.25, fp8_128x128: 8 + 32 / 128 ** 2,
    int8_g128: 8.125, int4_g128: 4.125, nf4: 4.5,
  });
});

test("only canonical names are known", () => {
  for (const name of ["mxfp8", "__proto__", "MXFP4", null, 4]) expect(getBlockFormat(name)).toBeUndefined();
});

test("signs of zero", () => {
  const fmt = getBlockFormat("mxfp4")!;
  const { codes, dequantized } = quantize(fmt, [8, -0, 0, -1e-9], "FLOOR");
  expect(codes).toEqual([6, 8, 0, 8]);
  expect(dequantized).toEqual([8, -0, 0, -0]);
  const far = quantize(getBlockFormat("nvfp4")!, [2688, ...Array<number>(15).fill(0), 0.005, -0.005], "TE");
  expect([far.scales[1], ...far.codes.slice(16), ...far.dequantized.slice(16)]).toEqual([0, 0, 8, 0, -0]);
  expect(quantize(getBlockFormat("int8_g128")!, [127, -0, -1e-9], "AMAX").dequantized).toEqual([127, 0, 0]);
  expect(quantize(getBlockFormat("nf4")!, [8, -0, -1e-9], "AMAX").codes).toEqual([15, 7, 7]);
});

test("of two scales whose squared errors are equal the first is taken, also where sums of numbers differ", () => {
  // 0.625 ± d are as far from 0.5 as from 0.75, the values next to them at the scales 1 and 1.5
  const values = [6, 0.5866451859474182, 0.0070337047800421715, 0.0018251481233164668, 0.6633548140525818];
  const squares = (of: number[]) => of.reduce((sum, value, i) => sum + (value - values[i]!) ** 2, 0);
  expect(squares([6, 0.75, 0, 0, 0.75])).toBeLessThan(squares([6, 0.5, 0, 0, 0.5]));
  expect(quantize(getBlockFormat("nvfp4_one_level")!, values, "FOUR_OVER_SIX").scales).toEqual([1]);
});

test("doubles as rationals, there and back", () => {
  for (const x of [0, 1, 0.1, 2 ** -1022, 1.7976931348623157e308, 8 - 2 ** -50, 2 ** 127 * 1.5]) {
    expect(toNumber(exactOf(x).magnitude)).toBe(x);
    expect(toNumber(exactOf(-x).magnitude)).toBe(x);
  }
});
