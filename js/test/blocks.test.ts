// Block formats in the page, held to what plain rationals in Python say (tests/vectors/make_blocks.py).

import { describe, expect, test } from "vitest";
import { blockFormats, getBlockFormat } from "#core/blocks/catalogue.ts";
import { quantize, type ScaleRule } from "#core/blocks/quantize.ts";
import { exactOf } from "#core/formats/decode.ts";
import { toNumber } from "#core/formats/rational.ts";
import { committed } from "./vectors.ts";

interface Row {
  format: string;
  rule: ScaleRule | null;
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
      const got = quantize(fmt, row.values.map(Number), row.rule ?? "FLOOR");
      expect(got.scales).toEqual(row.scales);
      expect(got.tensorScale).toBe(row.tensor_scale);
      expect(plain(got.dequantized)).toEqual(plain(row.dequantized));
      const unit = (i: number) => got.scales[Math.floor(i / fmt.blockSize)]! * (got.tensorScale ?? 1);
      expect(plain(got.codes.map((code, i) => toNumber(fmt.element.decode(code)) * unit(i)))).toEqual(plain(got.dequantized));
    }
  });
});

test("bits an element", () => {
  expect(Object.fromEntries(blockFormats.map((fmt) => [fmt.name, fmt.bitsPerElement]))).toEqual({
    mxfp8_e4m3: 8.25, mxfp8_e5m2: 8.25, mxfp6_e3m2: 6.25, mxfp6_e2m3: 6.25, mxfp4: 4.25, mxint8: 8.25, nvfp4: 4.5,
  });
});

test("only canonical names are known", () => {
  for (const name of ["mxfp8", "__proto__", "MXFP4", null, 4]) expect(getBlockFormat(name)).toBeUndefined();
});

test("signs of zero", () => {
  const fmt = getBlockFormat("mxfp4")!;
  expect(quantize(fmt, [8, -0, 0, -1e-9], "FLOOR").codes).toEqual([6, 8, 0, 8]);
});

test("doubles as rationals, there and back", () => {
  for (const x of [0, 1, 0.1, 2 ** -1022, 1.7976931348623157e308, 8 - 2 ** -50, 2 ** 127 * 1.5]) {
    expect(toNumber(exactOf(x).magnitude)).toBe(x);
    expect(toNumber(exactOf(-x).magnitude)).toBe(x);
  }
});
