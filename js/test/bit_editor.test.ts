// What the bit editor says and draws, without a page.

import type { AnyModel } from "@anywidget/types";
import { describe, expect, test } from "vitest";
import { writeFrame } from "#core/frame.ts";
import { formats, getFormat } from "#core/formats/catalogue.ts";
import { encode, OVERFLOWS, ROUNDINGS, type Options } from "#core/formats/encode.ts";
import { toExact } from "#core/formats/parse.ts";
import { rational, toNumber } from "#core/formats/rational.ts";
import { pieces } from "#ui/messages.ts";
import { copiesOf, presetsOf } from "#mixwidgets/floats/widgets/bit_editor/controls.ts";
import { cut, digitsToTellApart, figure } from "#ui/digits.ts";
import { labelOf, marksAndFar } from "#ui/number_line/marks.ts";
import { elementIn, elementsOf, nextOf } from "#mixwidgets/floats/widgets/bit_editor/elements.ts";
import { readoutsOf, rowOf } from "#mixwidgets/floats/widgets/bit_editor/tables.ts";
import { editHistory, inFormat, roundedBy, sameNumber, type EditedNumber, type State } from "#mixwidgets/floats/widgets/bit_editor/state.ts";
import { classLine, sentence } from "#mixwidgets/floats/widgets/bit_editor/words.ts";

function typed(input: string, format = "float16", how: Options = {}): EditedNumber {
  const fmt = getFormat(format)!;
  return { fmt, code: encode(fmt, toExact(input), how), input, ...how };
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
    ["-1e-9", "−1e−9 is not a float16. It lies between −5.9604644775390625e−8 and 0, and nearer to 0: it underflows to zero (error +1e−9). The midpoint is −2.9802322387695312…e−8."],
    ["100", "100 is a float16: nothing is rounded. Its neighbours are 99.9375 and 100.0625."],
    ["65504", "65504 is a float16: nothing is rounded. Its neighbours are 65472 and ∞."],
    ["-inf", "−∞ needs no rounding: float16 has a code for it, with exponent bits all ones and the fraction 0."],
    ["nan", "NaN needs no rounding: float16 has codes for it, with exponent bits all ones and the fraction not 0. This is the usual quiet one, 0x7E00."],
    ["0x3C00", "0x3C00 is a bit pattern: it is taken as the code itself, and nothing is rounded. In float16 these bits are 1."],
  ])("%s", (input, words) => expect(said(typed(input))).toBe(words));

  test.each([
    ["450", "float8_e4m3fn", {}, "between 448 and the next step, 480, whose code is NaN’s. It is nearer to 448 (error −2). Overflow begins just past 464, the midpoint."],
    ["464", "float8_e4m3fn", {}, "464 is not a float8_e4m3fn. It lies exactly halfway between 448 and the next step, 480, whose code is NaN’s. A tie goes to the even neighbour, whose last bit is 0: 448 (error −16)."],
    ["500", "float8_e4m3fn", {}, "500 overflows to NaN: float8_e4m3fn has no infinity. Its largest number on this side is 448, the next step would be 480, the midpoint 464. Overflow policy: native."],
    ["500", "float8_e4m3fn", { overflow: "torch" }, "500 is out of range and becomes 448. The largest float8_e4m3fn on this side is 448, the next step would be 480, the midpoint 464. Overflow policy: torch."],
    ["-9", "float4_e2m1fn", {}, "−9 is out of range and becomes −6: on overflow, float4_e2m1fn gives its largest number on that side. The next step would be −8, the midpoint −7."],
    ["inf", "float8_e4m3fn", { overflow: "saturate" }, "∞ becomes 448: float8_e4m3fn has no infinity, and the overflow policy is saturate."],
    ["-inf", "float16", { overflow: "saturate" }, "−∞ becomes −65504: the overflow policy, saturate, stops at the largest finite float16."],
    ["0", "float8_e8m0fnu", {}, "0 becomes NaN: float8_e8m0fnu has no zero; its smallest positive number is 5.87747175…e−39."],
    ["-1", "float8_e8m0fnu", { overflow: "saturate" }, "−1 becomes 5.87747175…e−39: float8_e8m0fnu has no negative numbers. The overflow policy is saturate."],
    ["1e-99", "float8_e8m0fnu", {}, "1e−99 becomes 5.87747175…e−39: float8_e8m0fnu has no zero, and no number nearer to zero than that (error +5.87747175…e−39)."],
    ["3", "float8_e8m0fnu", {}, "between 2 and 4. float8_e8m0fnu has no fraction bits, so no number of it is even: a tie goes to the neighbour larger in magnitude, 4 (error +1)."],
    ["448", "float8_e4m3fn", {}, "448 is a float8_e4m3fn: nothing is rounded. Below it is 416; above it is no number, only NaN."],
    ["6", "float4_e2m1fn", {}, "6 is a float4_e2m1fn: nothing is rounded. Below it is 4; above it is no number."],
    ["250", "float8_e4m3fnuz", { rounding: "toward-zero" }, "the next step, 256, which has no code."],
    ["1e9", "binary8p4sf", {}, "1e9 is out of range and becomes 240: on overflow, binary8p4sf gives its largest number on that side."],
    ["1e9", "binary8p4sf", { overflow: "propagate" }, "Overflow policy: propagate."],
    ["-1e-9", "binary8p4uf", {}, "−1e−9 is not a binary8p4uf, which has no negative numbers. Rounding comes first, and ties-to-even gives zero (error +1e−9)."],
    ["-1", "binary8p4ue", { rounding: "toward-zero" }, "−1 becomes 0: binary8p4ue has no negative numbers, and the rounding toward-zero stops at zero."],
    ["-inf", "binary8p4ue", {}, "−∞ becomes NaN: binary8p4ue has no negative numbers."],
    ["65536", "float16", {}, "the next step would be 65536. From 65520, the midpoint"],
    ["1e-30", "binary8p1se", {}, "it underflows to zero (error −1e−30). The midpoint is 5.4210108624275221…e−20."],
    ["1000", "binary8p4se", {}, "Just past 232, the midpoint, rounding to nearest begins to give infinity."],
    ["1000", "binary8p4se", { rounding: "ties-to-away" }, "From 232, the midpoint, rounding to nearest gives infinity."],
    ["450", "float8_e4m3fn", { rounding: "ties-to-away" }, "It is nearer to 448 (error −2). Overflow begins at 464, the midpoint."],
    ["nan", "float8_e4m3fnuz", {}, "NaN needs no rounding: float8_e4m3fnuz keeps the code 0x80 for it."],
    ["2049", "float16", { rounding: "ties-to-away" }, "With ties-to-away a tie goes to the neighbour farther from zero: 2050 (error +1)."],
    ["65520", "float16", { rounding: "ties-to-away" }, "With ties-to-away a tie goes away from zero: overflow begins here."],
    ["2048.1", "float16", { rounding: "toward-positive" }, "Rounding is toward-positive, so it does not matter which is nearer: 2050 (error +1.9)."],
    ["65530", "float16", { rounding: "toward-zero" }, "and the next step, 65536, which would be infinity. Rounding is toward-zero: 65504 (error −26)."],
    ["1e6", "float16", { rounding: "toward-zero" }, "1e6 is out of range and becomes 65504. The largest finite float16 on this side is 65504. With the rounding toward-zero and the overflow policy native, nothing goes beyond it."],
    ["-1e6", "float16", { rounding: "toward-negative" }, "−1e6 overflows to −∞. The largest finite float16 on this side is −65504. Rounding is toward-negative, which goes beyond it"],
    ["2049.5", "float16", { rounding: "to-odd" }, "Rounding is to-odd: it takes the neighbour whose code is odd, 2050 (error +0.5)."],
  ] as [string, string, Options, string][])("%s to %s, %j", (input, format, how, words) => {
    expect(said(typed(input, format, how))).toContain(words);
  });

  test("has its placeholders filled, whatever the format, the value and the way of rounding", () => {
    for (const fmt of formats) {
      for (const rounding of ROUNDINGS) {
        for (const overflow of OVERFLOWS) {
          for (const input of ["0", "-0", "1e-400", "-0.3", "1", "5", "464", "464.1", "-1e5", "1e400", "inf", "-inf"]) {
            const number = typed(input, fmt.name, { rounding, overflow });
            expect(said(number)).not.toMatch(/[{}]|undefined/);
            expect(marksAndFar(number).map(labelOf).join()).not.toMatch(/undefined/);
          }
        }
      }
    }
  });

  test.each([
    ["0x7BFF", "65504 is what these bits say, exactly. Its neighbours in float16 are 65472 and ∞."],
    ["0x3001", "0.1251220703125 is what these bits say, exactly."],
    ["0x8000", "−0 is what these bits say, exactly."],
    ["0xFC00", "These bits are −∞: the exponent bits are all ones and the fraction is 0. Rounding to nearest gets here from −65520 on."],
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
  const marks = (number: EditedNumber) => marksAndFar(number).map((mark) => [mark.role, labelOf(mark), toNumber(mark.value)]);

  test("between two neighbours", () => {
    expect(marks(typed("65505"))).toEqual([
      ["far", "65472", 65472],
      ["below", "65504", 65504],
      ["midpoint", "midpoint 65520", 65520],
      ["input", "65505", 65505],
      ["above", "65536 → ∞", 65536],
    ]);
  });

  test("past the largest value, what is there", () => {
    const past = (format: string, input: string) => labelOf(marksAndFar(typed(input, format)).at(-1)!);
    expect([past("float8_e4m3fn", "450"), past("float8_e4m3fnuz", "250"), past("binary8p4se", "230")]).toEqual(["480 → NaN", "256 → NaN", "240 → ∞"]);
    expect([past("binary8p4sf", "250"), past("float4_e2m1fn", "7")]).toEqual(["256", "8"]); // the largest value itself
  });

  test("around a power of two the steps have two sizes", () => {
    expect(marks(bits("0x3C00")).map(([role, , value]) => [role, (Number(value) - 1) * 1024])).toEqual([
      ["far", -1],
      ["below", -0.5],
      ["input", 0],
      ["above", 1],
      ["far", 2],
    ]);
  });

  test("zero, infinity, and a place far beyond", () => {
    expect(marks(typed("-0"))[2]).toEqual(["input", "−0", 0]);
    expect(marks(bits("0xFC00")).map(([role, label]) => [role, label])).toEqual([
      ["input", "−65536 → −∞"], ["above", "−65504"], ["far", "−65472"],
    ]);
    expect(marks(typed("1e4999")).find(([role]) => role === "input")![2]).toBe(Infinity);
    expect(marks(bits("0x7BFE")).at(-1)).toEqual(["far", "65536 → ∞", 65536]);
    expect(marks(typed("nan"))).toEqual([]);
  });
});

test("another format rounds the last exact input anew", () => {
  const half = typed("65505");
  const double = inFormat(half, getFormat("float64")!);
  expect(double.code).toBe(encode(double.fmt, toExact("65505")));
  expect(inFormat(double, half.fmt)).toEqual(half);
  expect(inFormat(bits("0x3C00"), getFormat("bfloat16")!)).toMatchObject({ code: 0x3f80n, input: "1" });
  expect(inFormat(typed("0x3C00"), getFormat("bfloat16")!)).toMatchObject({ code: 0x3f80n, input: "1" });
});

describe("the elements of a tensor", () => {
  const codes = [0x0001, 0x3c00, 0x7c00, 0x7e00, 0x8002, 0x7bff];
  const sent = (head: object) => writeFrame({ codes: { values: Uint16Array.from(codes), shape: [codes.length] } }, head);
  const model = (state: object) => ({ get: (name: string) => Reflect.get(state, name) }) as unknown as AnyModel<State>;
  const elements = elementsOf(model({ _elements: sent({ format: "float16", total: 1000 }) }))!;

  test("are read from their bytes", () => {
    expect([elements.count, elements.total, elements.fmt.name]).toEqual([6, 1000, "float16"]);
    expect(codes.map((_, i) => Number(elements.code(i)))).toEqual(codes);
    for (const state of [{}, { _elements: sent({ format: "x", total: 1 }) }, { _elements: "AAAA" }, { _elements: new DataView(new ArrayBuffer(0)) }]) {
      expect(elementsOf(model(state))).toBeNull();
    }
  });

  test("the next of a class is found, going round", () => {
    expect([nextOf(elements, 0, "subnormal"), nextOf(elements, 4, "subnormal"), nextOf(elements, 0, "nan")]).toEqual([4, 0, 3]);
    expect([nextOf(elements, 3, "nan"), nextOf(elements, 0, "zero")]).toEqual([3, undefined]);
  });

  test("are shown in their own format by their bits, in another rounded, and by their bits where that has no place", () => {
    expect(elementIn(elements, 4, typed("1"))).toMatchObject({ code: 0x8002n, input: "" });
    expect(elementIn(elements, 5, typed("1", "float8_e4m3fn", { overflow: "saturate" }))).toMatchObject({ code: 0x7en, input: "65504" });
    expect(elementIn(elements, 3, typed("1", "float4_e2m1fn"))).toMatchObject({ fmt: elements.fmt, code: 0x7e00n });
  });
});

test("another rounding rounds the last exact input anew, and leaves edited bits", () => {
  expect(roundedBy(typed("65519"), { rounding: "toward-positive" })).toMatchObject({ code: 0x7c00n, input: "65519" });
  expect(roundedBy(bits("0x7C00"), { overflow: "saturate" })).toMatchObject({ code: 0x7c00n, overflow: "saturate" });
});

describe("undo", () => {
  test("goes back and forth, and forgets what was undone at the next edit", () => {
    const [one, two, three] = [typed("1"), typed("2"), typed("3", "float32")];
    const history = editHistory();
    expect([history.canUndo, history.undo(one)]).toEqual([false, undefined]);
    history.record(one);
    history.record(two);
    expect(history.undo(three)).toBe(two);
    expect(history.undo(two)).toBe(one);
    expect([history.canUndo, history.canRedo]).toEqual([false, true]);
    expect(history.redo(one)).toBe(two);
    history.record(two);
    expect([history.canRedo, history.redo(one)]).toEqual([false, undefined]);
    expect(history.undo(one)).toBe(two);
  });
});

test.each(formats.map(({ name }) => name))("presets and copies of %s are numbers of it", (name) => {
  const presets = presetsOf(typed("1", name));
  expect(new Set(presets.map(({ label }) => label)).size).toBe(presets.length);
  for (const { number } of presets) {
    const { fmt, code } = number;
    expect(code >> BigInt(fmt.bits)).toBe(0n);
    const [shortest, all, hex, hexFloat] = copiesOf(fmt, code).map(({ text }) => text);
    expect(fmt.toCode(hex!)).toBe(code);
    for (const text of [shortest!, all!, hexFloat!]) {
      if (text !== "nan") expect(sameNumber({ ...number, input: "", code: encode(fmt, toExact(text)) }, { ...number, input: "" })).toBe(true);
    }
  }
});

describe("in every format", () => {
  const row = (input: string, format: string, from = "float16") => rowOf(getFormat(format)!, typed(input, from));

  test("the last exact input is rounded once, from itself", () => {
    expect(row("0.1", "float8_e4m3fn")).toEqual({ code: "0x1D", value: "0.1015625", error: "+0.0015625", relative: "0.0156…" });
    expect(row("2049.0000000000000001", "float32")).toMatchObject({ value: "2049", error: "−1e−16" });
    expect(row("65505", "float32")).toEqual({ code: "0x477FE100", value: "65505", error: "exact", relative: "–" });
    expect(row("1e6", "float16")).toEqual({ code: "0x7C00", value: "∞", error: "–", relative: "–" });
    expect(row("nan", "float4_e2m1fn")).toMatchObject({ code: "–", error: "–" });
  });

  test("edited bits stand for their value", () => {
    expect(rowOf(getFormat("bfloat16")!, bits("0x7BFF"))).toMatchObject({ code: "0x4780", value: "65536", error: "+32" });
  });
});

test.each([
  [typed("65505"), ["65500", "0x1.ffcp+15", "2047 × 2^5", "0 11110 1111111111", "65472, 32 away", "∞", "−1, relative −0.0000152660102…"]],
  [bits("0x3C00"), ["1", "0x1p+0", "1024 × 2^−10", "0 01111 0000000000", "0.99951171875, 0.00048828125 away", "1.0009765625, 0.0009765625 away", "none: nothing was rounded"]],
  [bits("0xFE00"), ["nan", "nan", "nan", "1 11111 1000000000", "–", "–", "none: nothing was rounded"]],
  [typed("1", "float8_e8m0fnu"), ["1", "0x1p+0", "1 × 2^0", "01111111", "0.5, 0.5 away", "2, 1 away", "exact"]],
  [typed("6", "float4_e2m1fn"), ["6", "0x1.8p+2", "3 × 2^1", "0 11 1", "4, 2 away", "no number", "exact"]],
] as [EditedNumber, string[]][])("read-outs %#", (number, texts) => {
  expect(readoutsOf(number).map(({ text }) => text)).toEqual(texts);
});
