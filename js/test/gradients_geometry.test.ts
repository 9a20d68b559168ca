// The histogram draws every gradient once, in the class and the binade that it belongs to.

import { describe, expect, test } from "vitest";
import { formats } from "#core/formats/catalogue.ts";
import { HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { CLASSES } from "#core/gradients/boundaries.ts";
import { summaryFromBytes } from "#core/gradients/serialization.ts";
import { GradientSummary } from "#core/gradients/summary.ts";
import { barPaths, binned, domain, frame, tallest, zones } from "#ui/ruler/geometry.ts";
import { committed } from "./vectors.ts";

const { cases } = committed<{ cases: { name: string; bytes: string }[] }>("gradients.json");
const shown = formats.filter(({ bits, signed }) => signed && bits <= 32);

describe.each(cases)("$name", ({ bytes }) => {
  const summary = summaryFromBytes(new DataView(Uint8Array.from(Buffer.from(bytes, "hex")).buffer));

  test("the bars hold what the summary counts, class by class", () => {
    for (const format of shown) {
      for (let log2 = LOWEST; log2 <= HIGHEST; log2++) {
        const table = binned(summary, format, log2);
        const sums = CLASSES.map((_, kind) => table.filter((_, i) => i % CLASSES.length === kind).reduce((a, b) => a + b, 0));
        expect(sums, `${format.name} at 2^${log2}`).toEqual([...summary.counts(format, log2).finite]);
      }
    }
  });

  test("a bar stands within its class's zone, or in a binade that the zones share", () => {
    for (const format of shown) {
      const { low } = domain(format);
      const table = binned(summary, format, 3);
      const where = zones(format);
      table.forEach((count, i) => {
        if (count === 0) return;
        const binade = low + Math.floor(i / CLASSES.length);
        const { from, to } = where[i % CLASSES.length]!;
        // The tie at a zone's lower end is the only value that is drawn a hair outside it.
        expect(binade + 1 > from && binade <= to, `${format.name}: binade ${binade}`).toBe(true);
      });
    }
  });
});

test("zones meet, in order, and fill the plot", () => {
  for (const format of shown) {
    const { low, high } = domain(format);
    const found = zones(format);
    expect(found.map(({ kind }) => kind)).toEqual([0, 1, 2, 3]);
    expect([found[0]!.from, found[3]!.to]).toEqual([low, high]);
    for (let i = 1; i < found.length; i++) expect(found[i]!.from).toBe(found[i - 1]!.to);
  }
  const half = shown.find(({ name }) => name === "float16")!;
  const ends = zones(half).map(({ to }) => to);
  expect(ends[0]).toBeCloseTo(-25, 9);
  expect(ends[1]).toBeCloseTo(Math.log2(2 ** -14 - 2 ** -25), 9);
  expect(ends[2]).toBeCloseTo(Math.log2(65520), 9);
});

test("a bar's height is its count, and a lone gradient stays visible", () => {
  const half = shown.find(({ name }) => name === "float16")!;
  const { low, high } = domain(half);
  const shape = frame({ low, high }, 700, 100, 1000);
  const table = new Float64Array((high - low) * CLASSES.length);
  table[2] = 500;
  table[4] = 1;
  const paths = barPaths(table, shape, 120);
  expect(paths[2]).toContain("V70.0");
  expect(paths[0]).toContain("V118.5");
  expect([paths[1], paths[3]]).toEqual(["", ""]);
});

test("the tallest binade", () => {
  const many = cases.find(({ name }) => name === "many of one")!;
  const summary = summaryFromBytes(new DataView(Uint8Array.from(Buffer.from(many.bytes, "hex")).buffer));
  expect(tallest(summary)).toBe(2000);
  expect(tallest(GradientSummary.together([]))).toBe(0);
});
