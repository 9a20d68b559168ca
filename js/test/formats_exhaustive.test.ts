// Every 16-bit code, both ways, every midpoint of the small formats, and float64 beside the Numbers that JavaScript itself has.

import { expect, test } from "vitest";
import { getFormat } from "#core/formats/catalogue.ts";
import { exact, isFinite, shortest, toDecimal } from "#core/formats/decode.ts";
import { encode, roundMagnitude, ROUNDINGS } from "#core/formats/encode.ts";
import { toExact } from "#core/formats/parse.ts";
import { magnitudeOf, rational, type Rational } from "#core/formats/rational.ts";
import { exhaustive } from "./vectors.ts";

const float64 = getFormat("float64")!;
const float16 = getFormat("float16")!;
const scratch = new DataView(new ArrayBuffer(8));

function bitsOf(x: number): bigint {
  scratch.setFloat64(0, x);
  return scratch.getBigUint64(0);
}

function numberOf(bits: bigint): number {
  scratch.setBigUint64(0, bits);
  return scratch.getFloat64(0);
}

/** A rational of a float64 whose integer multiple 2^1074 has, by JavaScript's own arithmetic. */
function rationalOf(x: number): Rational {
  let [scaled, shift] = [x, 0];
  while (!Number.isInteger(scaled)) [scaled, shift] = [scaled * 2, shift + 1];
  return rational(BigInt(scaled), 1n << BigInt(shift));
}

test.each(["float16", "bfloat16"])("every code of %s decodes to its value and encodes back", (name) => {
  const fmt = getFormat(name)!;
  const values = exhaustive(`${name}.values`);
  const wrong: string[] = [];
  for (let code = 0n; code < 65536n; code += 1n) {
    const value = values.getFloat64(8 * Number(code), true);
    const text = toDecimal(fmt, code);
    // Number() reads text correctly rounded, and every value of these formats is a float64.
    const decoded = text === "nan" ? NaN : Number(text.replace("inf", "Infinity"));
    const back = Number.isNaN(value) || encode(fmt, toExact(text)) === code;
    if (!Object.is(decoded, value) || !back) wrong.push(fmt.toHex(code));
  }
  expect(wrong).toEqual([]);
});

test("midpoints of float16 and their float64 neighbours round as NumPy rounds them", () => {
  const inputs = exhaustive("float16.inputs");
  const codes = exhaustive("float16.codes");
  const wrong: number[] = [];
  for (let i = 0; i < codes.byteLength / 2; i += 1) {
    const x = inputs.getFloat64(8 * i, true);
    if (roundMagnitude(float16, rationalOf(x)) !== BigInt(codes.getUint16(2 * i, true))) wrong.push(x);
  }
  expect(wrong).toEqual([]);
});

test("the shortest digits of every float16 are NumPy's", () => {
  const view = exhaustive("float16.shortest");
  const texts = new TextDecoder().decode(view).split("\n");
  const wrong = texts.filter((text, i) => shortest(float16, BigInt(i + 1)) !== text);
  expect(texts).toHaveLength(0x7c00 - 1);
  expect(wrong).toEqual([]);
});

test("every midpoint of every small format, and a hair beside it, in every direction", () => {
  const text = new TextDecoder().decode(exhaustive("midpoints.json"));
  const formats = Object.entries(JSON.parse(text) as Record<string, [text: string, codes: string][]>);
  expect(formats.length).toBeGreaterThan(15);
  for (const [name, rows] of formats) {
    const fmt = getFormat(name)!;
    const codes = (value: string) => ROUNDINGS.map((rounding) => fmt.toHex(encode(fmt, toExact(value), { rounding })).slice(2)).join(" ");
    expect(rows.filter(([value, expected]) => codes(value) !== expected), name).toEqual([]);
  }
});

/** xorshift64*: seeded, so that a failure comes again. */
function* random64(count: number): Generator<bigint> {
  let state = 0x9e3779b97f4a7c15n;
  for (let i = 0; i < count; i += 1) {
    state ^= state >> 12n;
    state = BigInt.asUintN(64, state ^ (state << 25n));
    state ^= state >> 27n;
    yield BigInt.asUintN(64, state * 0x2545f4914f6cdd1dn);
  }
}

const edges = [1n, 2n, 0xfffffffffffffn, 0x10000000000000n, 0x7fefffffffffffffn, bitsOf(0.1), bitsOf(2 ** 53), bitsOf(1e21), bitsOf(1e-7), bitsOf(5e-324)];

test("float64 is Number: shortest text, exact value, encoding", () => {
  const wrong: string[] = [];
  for (const code of [...edges, ...random64(3000)]) {
    const x = numberOf(code);
    if (!isFinite(float64, code)) continue;
    const text = shortest(float64, code);
    const { numerator, denominator } = rationalOf(Math.abs(x));
    const value = magnitudeOf(exact(float64, code));
    const sameValue = value.numerator * denominator === numerator * value.denominator;
    if (text !== String(x) || encode(float64, toExact(String(x))) !== code || !sameValue) wrong.push(float64.toHex(code));
  }
  expect(wrong).toEqual([]);
});

test("float32 rounds float64s as Math.fround", () => {
  const float32 = getFormat("float32")!;
  const wrong: string[] = [];
  for (const bits of random64(3000)) {
    const x = numberOf((bits & 0x800fffffffffffffn) | ((0x380n - 30n + (bits % 300n)) << 52n)); // about float32's range
    const rounded = new DataView(new ArrayBuffer(4));
    rounded.setFloat32(0, x);
    if (encode(float32, toExact(x.toString())) !== BigInt(rounded.getUint32(0))) wrong.push(String(x));
  }
  expect(wrong).toEqual([]);
});
