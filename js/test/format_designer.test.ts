// @vitest-environment jsdom
// The designer's figures: counts by class against all codes, what a design is, and the spec sheet.

import { signal } from "@preact/signals-core";
import { describe, expect, test, vi } from "vitest";
import { formats, getFormat, p3109 } from "#core/formats/catalogue.ts";
import { classify, exact, isFinite } from "#core/formats/decode.ts";
import { bitsBar } from "#mixwidgets/floats/widgets/format_designer/controls.ts";
import {
  biasRange, CLASSES, countsOf, designOf, finiteValues, formatOf, known, read, relatives,
} from "#mixwidgets/floats/widgets/format_designer/design.ts";
import { binadesOf, valueLine } from "#mixwidgets/floats/widgets/format_designer/value_line.ts";
import { amount, figuresOf } from "#mixwidgets/floats/widgets/format_designer/page.ts";
import { power, rational } from "#core/formats/rational.ts";
import { viewOf } from "#ui/view.ts";
import { fakeModel } from "./fake_model.ts";

const small = [
  ...formats.filter((fmt) => fmt.bits <= 8),
  ...(["flushed", "none"] as const).map((subnormals) => formatOf({ ...designOf(getFormat("float8_e4m3")!), subnormals })),
  formatOf({ ...designOf(getFormat("float8_e4m3fn")!), signed: false, subnormals: "flushed" }),
  ...[3, 4, 6, 8].flatMap((bits) => [1, 2, bits - 1].map((precision) => p3109(bits, precision, bits !== 6, bits !== 4)!)),
];

describe("counts", () => {
  test.each(small)("of $name are those of its codes", (fmt) => {
    const counts = Object.fromEntries(CLASSES.map((kind) => [kind, 0n]));
    const values = new Set<string>();
    for (let code = 0n; code < 1n << BigInt(fmt.bits); code += 1n) {
      counts[classify(fmt, code)]! += 1n;
      if (!isFinite(fmt, code)) continue;
      const { numerator, denominator } = exact(fmt, code);
      values.add(String(Number(numerator) / Number(denominator) || 0));
    }
    expect(countsOf(fmt)).toEqual(counts);
    expect(finiteValues(fmt)).toBe(BigInt(values.size));
  });

  test.each(formats)("of $name add up", (fmt) => {
    expect(Object.values(countsOf(fmt)).reduce((a, b) => a + b)).toBe(1n << BigInt(fmt.bits));
  });
});

describe("the bar of bits", () => {
  function bar(format: string) {
    const design = signal(designOf(getFormat(format)!));
    const commit = vi.fn();
    const change = vi.fn((exponent_bits: number, fraction_bits: number) => void (design.value = { ...design.value, exponent_bits, fraction_bits }));
    const element = bitsBar(viewOf(fakeModel({}) as never), design, { change, commit });
    const handle = element.querySelector<HTMLElement>("[role=slider]")!;
    const press = (key: string) => handle.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
    const counts = () => [...element.querySelectorAll(".mw-design-field")].map((field) => field.childElementCount);
    return { handle, press, counts, commit, change };
  }

  test("gives bits of one field to the other", () => {
    const { handle, press, counts, commit } = bar("float16");
    expect(counts()).toEqual([1, 5, 10]);
    press("ArrowRight");
    expect(counts()).toEqual([1, 6, 9]);
    expect(handle.getAttribute("aria-valuetext")).toBe("6 exponent bits, 9 fraction bits");
    press("Home");
    expect(counts()).toEqual([1, 1, 14]);
    press("End");
    expect(counts()).toEqual([1, 11, 4]);
    expect(commit).toHaveBeenCalledTimes(3);
  });

  test("stops where a field has no more", () => {
    const { handle, press, counts, change } = bar("float64");
    press("ArrowLeft"); // 53 fraction bits are too many
    press("ArrowRight");
    expect(change).not.toHaveBeenCalled();
    expect([handle.getAttribute("aria-valuemin"), handle.getAttribute("aria-valuemax")]).toEqual(["11", "11"]);
    expect(counts()).toEqual([1, 11, 52]);
  });
});

describe("designs", () => {
  test.each(formats)("that are $name are known", (fmt) => {
    expect(known(designOf(fmt))).toBe(fmt);
    expect(relatives(designOf(fmt))).toContain(fmt);
  });

  test("may be of P3109, whose overflow alone tells one from a format of the catalogue", () => {
    const design = designOf(p3109(8, 3, true, false)!);
    expect(known(design)?.name).toBe("binary8p3sf");
    expect(known({ ...design, overflows_to_nan: true })?.name).toBe("float8_e5m2fnuz");
    expect(known(designOf(p3109(16, 11, true, true)!))?.name).toBe("binary16p11se");
    expect(known(designOf(p3109(64, 53, true, true)!))?.name).toBe("binary64p53se");
    expect(known({ ...designOf(p3109(12, 5, false, true)!), overflows_to_nan: false })?.name).toBe("binary12p5ue"); // it has infinity
  });

  test("that are new are known by none, and are named after their widths", () => {
    const design = { ...designOf(getFormat("float8_e4m3fn")!), bias: 9 };
    expect(known(design)).toBeUndefined();
    expect(formatOf(design).name).toBe("custom_e4m3");
  });

  test.each([
    { exponent_bits: 0 }, { exponent_bits: 4.5 }, { exponent_bits: "4" }, { infinity: "none" }, { nan: "<img>" },
    { signed: 1 }, { bias: null }, { has_zero: undefined }, { fraction_bits: 0 },
    { subnormals: "some" }, { subnormals: undefined }, { overflows_to_nan: 1 }, { has_zero: false, subnormals: "none", infinity: "none", nan: "none" },
  ])("of a model that holds %j are refused", (hostile) => {
    const traits: Record<string, unknown> = { ...designOf(getFormat("float8_e4m3")!), ...hostile };
    expect(read((name) => traits[name])).toBeNull();
  });

  test("have a bias in reach of their slider", () => {
    for (const fmt of formats) {
      const { low, high } = biasRange(designOf(fmt));
      expect(low <= fmt.bias && fmt.bias <= high).toBe(true);
    }
    expect(biasRange({ ...designOf(getFormat("float16")!), bias: -3000 }).low).toBe(-3000);
  });
});

describe("the sheet", () => {
  test("of float8_e4m3fn is the catalogue's", () => {
    const sheet = Object.fromEntries(figuresOf(getFormat("float8_e4m3fn")!));
    expect(sheet).toMatchObject({
      "designer.bits": "8 = 1 + 4 + 3",
      "designer.max": "448",
      "designer.smallest_normal": "2⁻⁶ = 0.015625",
      "designer.smallest_subnormal": "2⁻⁹ = 0.001953125",
      "designer.eps": "2⁻³ = 0.125",
      "designer.threshold": "> 464",
      "designer.finite": "253",
      "designer.infinity_code": "none",
      "designer.nan_code": "0x7F",
      "designer.negative_zero": "0x80",
    });
  });

  test("of a format without zero has no subnormals", () => {
    const sheet = Object.fromEntries(figuresOf(getFormat("float8_e8m0fnu")!));
    expect(sheet["designer.smallest_subnormal"]).toBe("none");
    expect(sheet["designer.smallest_normal"]).toMatch(/^2⁻¹²⁷ ≈ 5\.87/);
  });

  test("of a format whose finite numbers are all subnormal has no exponents of normal ones", () => {
    const sheet = Object.fromEntries(figuresOf(formatOf({ ...designOf(getFormat("float8_e4m3fn")!), exponent_bits: 1, fraction_bits: 1, infinity: "top" })));
    expect(sheet).toMatchObject({ "designer.smallest_normal": "none", "designer.exponents": "none" });
  });

  test("writes powers of two as such", () => {
    expect([amount(power(2n, 10)), amount(power(2n, -2)), amount(power(2n, 128)), amount(rational(3n))]).toEqual([
      "1024", "2⁻² = 0.25", "2¹²⁸ ≈ 3.402823669e+38", "3",
    ]);
  });
});

describe("binades", () => {
  test.each(small)("of $name have as many values as their bits say", (fmt) => {
    const found = new Map<number, number>();
    for (let code = fmt.smallestCode; code < fmt.maxCode; code += 1n) {
      const { numerator, denominator } = fmt.magnitude(code);
      const exponent = Math.floor(Math.log2(Number(numerator) / Number(denominator)));
      found.set(exponent, (found.get(exponent) ?? 0) + 1);
    }
    const binades = binadesOf(fmt).slice(0, -1); // the last may end early
    const zeros = Number(fmt.subnormals === "none"); // the place of one of the first binade's values is zero's
    binades.forEach(({ exponent, bits }, i) => expect([exponent, found.get(exponent)]).toEqual([exponent, 2 ** (bits - 1) - (i ? 0 : zeros)]));
  });

  test("are counted in words that fit a single one too", () => {
    vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
    const line = valueLine(viewOf(fakeModel({}) as never), signal(formatOf({ ...designOf(getFormat("float16")!), exponent_bits: 1, fraction_bits: 0, bias: 1, infinity: "none", nan: "none" })!), signal("tiny"));
    expect(line.querySelector("svg")!.getAttribute("aria-label")).toContain("tiny · 2⁰ to 1 · binades: 1 · bits: up to 1,");
  });
});
