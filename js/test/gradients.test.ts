// The page's gradient summaries on the vectors of tests/vectors/gradients.json, which come from brute force.

import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { formats, getFormat } from "#core/formats/catalogue.ts";
import { customFormat } from "#core/formats/float_format.ts";
import { Answers, estimatedError, HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { boundaries, CLASSES } from "#core/gradients/boundaries.ts";
import { readFrame, unpacked, writeFrame } from "#core/frame.ts";
import { packed } from "./frames.ts";
import { summaryFromBytes } from "#core/gradients/serialization.ts";
import { type Counts, GradientSummary, summaryOf } from "#core/gradients/summary.ts";
import { committed } from "./vectors.ts";

interface Case {
  name: string;
  bytes: string;
  version_1: string;
  version_2: string;
  errors: Record<string, Record<string, number | null>>;
  samples: Record<string, string>;
  counts: Record<string, Record<string, number[]>>;
  best_log2: Record<string, number>;
}

const signed = formats.filter(({ signed }) => signed); // gradients have signs
const { cases } = committed<{ cases: Case[] }>("gradients.json");
const view = (hex: string) => new DataView(Uint8Array.from(Buffer.from(hex, "hex")).buffer);
const listed = ({ zero, finite, inf, nan }: Counts) => [zero, ...finite, inf, nan];

/** Python's float.hex(). */
const fromHex = (text: string) => {
  const [, sign, fraction, exponent] = /^(-?)0x1\.?([0-9a-f]*)p([+-]\d+)$/.exec(text)!;
  const magnitude = (1 + parseInt(fraction || "0", 16) / 16 ** fraction!.length) * 2 ** Number(exponent);
  return sign ? -magnitude : magnitude;
};

describe.each(cases)("$name", ({ bytes, version_1, version_2, samples, counts, best_log2, errors }) => {
  const summary = summaryFromBytes(view(bytes));

  test("every class at every scale, as brute force counts it", () => {
    expect(signed.map(({ name }) => name).filter((name) => !(name in counts)), "run python tests/vectors/make_gradients.py").toEqual([]);
    for (const [name, byScale] of Object.entries(counts)) {
      for (const [log2, expected] of Object.entries(byScale)) {
        expect(listed(summary.counts(getFormat(name)!, Number(log2))), `${name} at 2^${log2}`).toEqual(expected);
      }
    }
    expect(summary.count).toBe(counts["float16"]!["0"]!.reduce((sum, one) => sum + one));
  });

  test("of each binade the sample that Python kept, and of old bytes none", () => {
    const found = summary.exponents.map((exponent) => summary.sample(exponent));
    expect(found).toEqual(summary.exponents.map((exponent) => (samples[exponent] ? fromHex(samples[exponent]) : undefined)));
    const old = summaryFromBytes(view(version_1));
    expect(old.exponents.map((exponent) => old.sample(exponent))).toEqual(found.map(() => undefined));
    for (const format of signed) expect(old.counts(format, 3)).toEqual(summary.counts(format, 3));
  });

  test("the grid of the values, and of old bytes float64's", () => {
    const before = summaryFromBytes(view(version_2));
    expect(before.exponents.map((exponent) => before.sample(exponent))).toEqual(summary.exponents.map((exponent) => summary.sample(exponent)));
    expect(before.grid).toEqual({ precision: 53, least: -1074 });
    for (const [name, byScale] of Object.entries(errors)) {
      for (const [log2, expected] of Object.entries(byScale)) {
        const found = estimatedError(summary, getFormat(name)!, Number(log2));
        if (expected === null) expect(found, name).toBe(Infinity);
        else expect(Math.abs(found - expected), `${name} at 2^${log2}`).toBeLessThanOrEqual(1e-15 + 1e-12 * expected);
      }
    }
  });

  test("the best scale, as Python finds it", () => {
    for (const [name, log2] of Object.entries(best_log2)) {
      expect(new Answers([summary], getFormat(name)!).best.log2, name).toBe(log2);
    }
  });
});

test("records of block formats after the samples", () => {
  const record = { format: "mxfp4", blocks_along: "axis 1", flushed: 3, clipped: 0, relative_error: 0.1, block_range_p50: null };
  for (const [version, bytes] of [[3, cases[0]!.version_2], [4, cases[0]!.bytes]] as const) {
    const old = Buffer.from(bytes, "hex").subarray(0, -4);
    old[4] = version;
    const body = Buffer.concat([old, Buffer.from(JSON.stringify([record]))]);
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(body));
    const read = summaryFromBytes(view(Buffer.concat([body, sum]).toString("hex")));
    expect(read.blocks).toEqual([record]);
    expect(read.count).toBe(summaryFromBytes(view(cases[0]!.bytes)).count);
  }
  expect(summaryFromBytes(view(cases[0]!.bytes)).blocks).toEqual([]);
});

test("the table of answers is what each summary says, and their sum", () => {
  const summaries = cases.map(({ bytes }) => summaryFromBytes(view(bytes)));
  for (const format of signed) {
    const answers = new Answers(summaries, format);
    for (let log2 = LOWEST; log2 <= HIGHEST; log2 += 8) {
      const each = summaries.map((summary) => summary.counts(format, log2).finite);
      each.forEach((expected, tensor) => expect([...answers.counts(tensor, log2)]).toEqual(expected));
      const sum = CLASSES.map((_, i) => each.reduce((total, counts) => total + counts[i]!, 0));
      expect([...answers.totals(log2)]).toEqual(sum);
    }
  }
});

test("headroom is the last scale above the best that overflows nothing", () => {
  for (const { bytes } of cases) {
    const summary = summaryFromBytes(view(bytes));
    for (const format of signed) {
      const { best } = new Answers([summary], format);
      const overflow = (binades: number) => summary.counts(format, best.log2 + binades).finite[3]!;
      if (summary.finite === 0) expect(best.headroom).toBe(Infinity);
      else if (overflow(0) > 0) expect(best.headroom).toBe(0);
      else expect([overflow(best.headroom), overflow(best.headroom + 1) > 0]).toEqual([0, true]);
    }
  }
});

test("of several summaries the first has the say in samples", () => {
  const parts = cases.map(({ bytes }) => summaryFromBytes(view(bytes)));
  for (const order of [parts, parts.toReversed()]) {
    const total = GradientSummary.together(order);
    for (const exponent of total.exponents) {
      const first = order.find((part) => part.sample(exponent) !== undefined);
      expect(total.sample(exponent)).toBe(first?.sample(exponent));
    }
  }
});

test("several summaries in one frame", () => {
  const read = (parts: readonly Uint8Array[]) => unpacked(readFrame(writeFrame(packed(parts)))).map(summaryFromBytes);
  expect(read(cases.map(({ bytes }) => Buffer.from(bytes, "hex"))).map(({ count }) => count))
    .toEqual(cases.map(({ bytes }) => summaryFromBytes(view(bytes)).count));
  expect(read([])).toEqual([]);
});

test("damaged bytes are refused, never drawn", () => {
  const whole = Buffer.from(cases.at(-1)!.bytes, "hex");
  for (let at = 0; at < whole.length; at++) {
    const broken = Uint8Array.from(whole);
    broken[at]! ^= 0x41;
    expect(() => summaryFromBytes(new DataView(broken.buffer)), `byte ${at}`).toThrow(RangeError);
    const short = Uint8Array.from(whole.subarray(0, at));
    expect(() => summaryFromBytes(new DataView(short.buffer)), `cut at ${at}`).toThrow(RangeError);
  }
});

test("a summary of several has the grid of all", () => {
  const [wide, narrow] = ["spread float64", "every bfloat16"].map((name) =>
    summaryFromBytes(view(cases.find((one) => one.name === name)!.bytes)));
  expect(narrow!.grid).toEqual({ precision: 8, least: -133 });
  expect(GradientSummary.together([narrow!, wide!]).grid).toEqual({ precision: 53, least: -1074 });
  expect(estimatedError(narrow!, getFormat("bfloat16")!, 0)).toBe(0);
});

test("without zero nothing is flushed or subnormal", () => {
  const format = customFormat({ name: "mine", exponentBits: 3, fractionBits: 2, infinity: "none", nan: "top", hasZero: false });
  const summary = summaryOf(Float32Array.of(1e-9, 0.01, 1, -1e9), format);
  expect(summary.counts(format, 0).finite).toEqual([0, 0, 3, 1]);
  const below = summaryOf(Float32Array.from({ length: 1000 }, (_, i) => 2 ** -9 * (1 + (i + 0.5) / 1000)), format);
  const [errors, squares] = [(2 ** 6) ** 2 - 2 * 2 ** 6 * 1.5 + 7 / 3, 7 / 3]; // from 1 to 2, all of which become 64
  expect(estimatedError(below, format, 0)).toBeCloseTo(Math.sqrt(errors / squares), 4);
});

test.each(["flushed", "none"] as const)("without subnormals (%s) a gradient is flushed or normal", (subnormals) => {
  const format = customFormat({ name: "mine", exponentBits: 3, fractionBits: 2, infinity: "none", nan: "none", subnormals });
  // In halves of the least ulp, in which the smallest normal binade begins at 8: the ties beside it, 7 and 9, go to the even code.
  const unit = 2 ** (format.emin - 3);
  const summary = summaryOf(Float32Array.from([1, 4, 6.9, 7, 7.1, 8, 8.9, 9, 9.1, 10], (value) => value * unit), format);
  const flushed = { flushed: 3, none: 8 }[subnormals]; // below 7; up to 9
  expect(summary.counts(format, 0).finite).toEqual([flushed, 0, 10 - flushed, 0]);
});

test("without a fraction bit nothing is subnormal", () => {
  const definition = { exponentBits: 4, infinity: "none", nan: "none" } as const;
  const [flushed, subnormal] = boundaries(customFormat({ name: "e4m0", fractionBits: 0, ...definition }));
  expect(subnormal).toEqual(flushed);
  const [below, above] = boundaries(customFormat({ name: "e4m1", fractionBits: 1, ...definition }));
  expect(above.exponent).toBeGreaterThan(below.exponent);
});
