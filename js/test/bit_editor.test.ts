// What the bit editor says and draws, without a page.

import { describe, expect, test } from "vitest";
import { getFormat } from "../formats/catalogue.ts";
import { encode } from "../formats/encode.ts";
import { toExact } from "../formats/parse.ts";
import { rational } from "../formats/rational.ts";
import { pieces } from "../ui/messages.ts";
import { cut, digitsToTellApart, figure } from "../widgets/bit_editor/digits.ts";
import { lineOf } from "../widgets/bit_editor/number_line.ts";
import { inFormat, type EditedNumber } from "../widgets/bit_editor/state.ts";
import { classLine, sentence } from "../widgets/bit_editor/words.ts";

function typed(input: string, format = "float16"): EditedNumber {
  const fmt = getFormat(format)!;
  return { fmt, code: encode(fmt, input), input };
}

function bits(code: string, format = "float16"): EditedNumber {
  const fmt = getFormat(format)!;
  return { fmt, code: fmt.toCode(code), input: "" };
}

function said(number: EditedNumber): string {
  const { key, args } = sentence(number);
  return pieces(key, args).map(({ text }) => text).join("").replaceAll("\u00a0", " ");
}

describe("the sentence", () => {
  test.each([
    ["65505", "65505 is not a float16. It lies between 65504 and the next step, 65536, which would be infinity. It is nearer to 65504 (error −1). Overflow begins at 65520, the midpoint."],
    ["-65505", "−65505 is not a float16. It lies between −65504 and the next step, −65536, which would be infinity. It is nearer to −65504 (error +1). Overflow begins at −65520, the midpoint."],
    ["65520", "65520 overflows to ∞. It lies exactly halfway between 65504, the last finite float16, and the next step, 65536. A tie goes to the even neighbour, and that is the step: overflow begins here."],
    ["-1e6", "−1e6 overflows to −∞. The largest finite float16 on this side is −65504; the next step would be −65536. From −65520, the midpoint, rounding to nearest gives infinity."],
    ["0.1", "0.1 is not a float16. It lies between 0.0999755859375 and 0.10003662109375, nearer to 0.0999755859375 (error −0.0000244140625)."],
    ["2049", "2049 is not a float16. It lies exactly halfway between 2048 and 2050. A tie goes to the even neighbour, whose last bit is 0: 2048 (error −1)."],
    ["2051", "2051 is not a float16. It lies exactly halfway between 2050 and 2052. A tie goes to the even neighbour, whose last bit is 0: 2052 (error +1)."],
    ["0x1p-25", "0x1p−25 is not a float16. It lies exactly halfway between 0 and 5.9604644775390625e−8. A tie goes to the even neighbour, whose last bit is 0: it underflows to zero (error −2.98023223…e−8)."],
    ["-1e-9", "−1e−9 is not a float16. It lies between −5.9604644775390625e−8 and 0, and nearer to 0: it underflows to zero (error +1e−9). Half of the smallest subnormal is −2.9802322387695312…e−8."],
    ["100", "100 is a float16: nothing is rounded. Its neighbours are 99.9375 and 100.0625."],
    ["65504", "65504 is a float16: nothing is rounded. Its neighbours are 65472 and ∞."],
    ["-inf", "−∞ needs no rounding: float16 has a code for it, with exponent bits all ones and the fraction 0."],
    ["nan", "NaN needs no rounding: float16 has codes for it, with exponent bits all ones and the fraction not 0. This is the usual quiet one, 0x7E00."],
    ["0x3C00", "0x3C00 is a bit pattern: it is taken as the code itself, and nothing is rounded. In float16 these bits are 1."],
  ])("%s", (input, words) => expect(said(typed(input))).toBe(words));

  test.each([
    ["0x7BFF", "65504 is what these bits say, exactly. Its neighbours in float16 are 65472 and ∞."],
    ["0xFC00", "These bits are −∞: the exponent bits are all ones and the fraction is 0. Rounding gets here from −65520 on."],
    ["0x7C01", "These bits are NaN: the exponent bits are all ones and the fraction is not 0."],
  ])("of bits %s", (code, words) => expect(said(bits(code))).toContain(words));

  test("never calls a decimal by its neighbour's name", () => {
    expect(said(typed("0.1", "float64"))).toContain("between 0.0999999999999999916… and 0.100000000000000005…");
    expect(said(typed("2049.0000000000000001"))).toContain("nearer to 2050");
  });

  test("long and foreign input is cut and stays text", () => {
    expect(said(typed("9".repeat(5000))).length).toBeLessThan(400);
    expect(said(typed("9".repeat(5000)))).toContain("9".repeat(39) + "… overflows");
  });
});

test.each([
  ["0x7BFF", "normal · largest finite float16 · ulp 32"],
  ["0xFBFF", "normal · lowest finite float16 · ulp 32"],
  ["0x0400", "normal · smallest normal float16 · ulp 2⁻²⁴"],
  ["0x03FF", "subnormal · largest subnormal float16 · ulp 2⁻²⁴"],
  ["0x0001", "subnormal · smallest subnormal float16 · ulp 2⁻²⁴"],
  ["0x0000", "zero · ulp 2⁻²⁴"],
  ["0x8000", "zero · negative zero · ulp 2⁻²⁴"],
  ["0x3C00", "normal · ulp 2⁻¹⁰"],
  ["0x7C00", "infinity"],
  ["0x7E01", "NaN, not a number · quiet"],
  ["0xFC01", "NaN, not a number · signaling"],
])("class of %s", (code, line) => expect(classLine(getFormat("float16")!, BigInt(code))).toBe(line));

test.each([
  ["float16", "0x7BFF", "65504", true],
  ["float16", "0x0001", "5.9604644775390625e−8", true],
  ["float16", "0x8000", "−0", true],
  ["float16", "0xFC00", "−∞", true],
  ["float16", "0x7E00", "NaN", true],
  ["float64", "0x3FB999999999999A", "0.1", false],
  ["float64", "0x0000000000000001", "5e−324", false],
  ["bfloat16", "0x7F7F", "3.39e+38", false],
])("figure of %s %s", (format, code, text, isExact) => {
  expect(figure(getFormat(format)!, BigInt(code))).toEqual({ text, isExact });
});

test.each([
  ["0.1", 9, "0.1"],
  ["-123456789", 9, "−123456789"],
  ["1234567891", 9, "1.23456789…e+9"],
  ["12345.678912", 8, "12345.678…"],
  ["0.00001234567", 4, "0.00001234…"],
  ["-1.999999e-9", 3, "−1.99…e−9"],
  ["0", 3, "0"],
])("%s in %i digits", (text, most, shown) => {
  const exact = toExact(text);
  if (exact.kind !== "finite") throw new Error(exact.kind);
  const { numerator, denominator } = exact.magnitude;
  expect(cut(rational(exact.negative ? -numerator : numerator, denominator), most)).toBe(shown);
});

test("digits that tell values apart", () => {
  const values = [rational(1n), rational(10n ** 12n + 1n, 10n ** 12n)];
  expect(digitsToTellApart(values, 5)).toBe(13);
});

describe("the number line", () => {
  const marks = (number: EditedNumber) => lineOf(number)!.marks.map(({ at, label, kind }) => [kind, label, Number(at.toFixed(3))]);

  test("between two neighbours", () => {
    expect(marks(typed("65505"))).toEqual([
      ["far", "65472", -1],
      ["step", "65504", 0],
      ["infinity", "65536 → ∞", 1],
      ["midpoint", "midpoint 65520", 0.5],
      ["typed", "65505", 0.031],
    ]);
  });

  test("around a power of two the steps have two sizes", () => {
    expect(marks(bits("0x3C00")).map(([kind, , at]) => [kind, at])).toEqual([
      ["far", -1],
      ["step", -0.5],
      ["here", 0],
      ["step", 1],
      ["far", 2],
    ]);
  });

  test("zero, infinity, and a place far beyond", () => {
    expect(marks(typed("-0"))[2]).toEqual(["here", "−0", 0]);
    expect(marks(bits("0xFC00")).map(([kind]) => kind)).toEqual(["infinity", "step", "far"]);
    expect(marks(typed("1e4999")).at(-1)![2]).toBe(Infinity);
    expect(lineOf(typed("nan"))).toBeNull();
  });
});

test("another format rounds the last exact input anew", () => {
  const half = typed("65505");
  const double = inFormat(half, getFormat("float64")!);
  expect(double.code).toBe(encode(double.fmt, "65505"));
  expect(inFormat(double, half.fmt)).toEqual(half);
  expect(inFormat(bits("0x3C00"), getFormat("bfloat16")!)).toMatchObject({ code: 0x3f80n, input: "1" });
  expect(inFormat(typed("0x3C00"), getFormat("bfloat16")!)).toMatchObject({ code: 0x3f80n, input: "1" });
});
