// The rotation in the page, held to what plain Fractions in Python say (tests/vectors/make_hadamard.py).

import { expect, test } from "vitest";
import { hadamard, rotated, SIGNS, SIZE } from "#core/blocks/hadamard.ts";
import { committed } from "./vectors.ts";

interface Vectors {
  signs_of_seed_0: number[];
  rows: { signs: number[]; values: number[]; rotated: number[] }[];
}

const { signs_of_seed_0, rows } = committed<Vectors>("hadamard.json");

test("every row, to the last bit", () => {
  expect(rows.length).toBeGreaterThan(50);
  for (const row of rows) expect([...rotated(row.values, hadamard(row.signs.length, row.signs))]).toEqual(row.rotated);
});

test("the signs of the lab are those of Python's seed 0", () => {
  expect(SIGNS).toEqual(signs_of_seed_0);
  expect(SIGNS).toHaveLength(SIZE);
});

test("without signs, twice is the identity", () => {
  const values = [50, -0.5, ...Array<number>(30).fill(0.37)].map(Math.fround);
  expect([...rotated(rotated(values, hadamard()), hadamard())]).toEqual(values);
});
