// @vitest-environment jsdom
// The designer: counts by class against all codes, what a design is, its sentence, its figures, its values by rows, and the page.

import { signal } from "@preact/signals-core";
import { describe, expect, test, vi } from "vitest";
import { formats, getFormat, p3109 } from "#core/formats/catalogue.ts";
import { classify, exact, isFinite } from "#core/formats/decode.ts";
import { bitsBar } from "#mixwidgets/floats/widgets/format_designer/bits_bar.ts";
import {
  CLASSES, countsOf, designOf, finiteValues, formatOf, known, read, relatives,
} from "#mixwidgets/floats/widgets/format_designer/design.ts";
import page from "#mixwidgets/floats/widgets/format_designer/page.ts";
import { binadesOf, ranges } from "#mixwidgets/floats/widgets/format_designer/ranges.ts";
import { amount, figuresOf } from "#mixwidgets/floats/widgets/format_designer/sheet.ts";
import { FIGURES, lead } from "#mixwidgets/floats/widgets/format_designer/words.ts";
import { compare, power, rational } from "#core/formats/rational.ts";
import { brief, rounded } from "#ui/digits.ts";
import { raised } from "#ui/powers.ts";
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
    const change = vi.fn((next: typeof design.value) => void (design.value = next));
    const element = bitsBar(viewOf(fakeModel({}) as never), design, { change, commit });
    const handle = element.querySelector<HTMLElement>("[role=slider]")!;
    const press = (key: string) => handle.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
    const counts = () => [...element.querySelectorAll(".mw-design-cells")].map((cells) => cells.childElementCount);
    return { handle, press, counts, commit, change, design };
  }

  test("gives bits of one field to the other", () => {
    const { handle, press, counts, commit, design } = bar("float16");
    expect(counts()).toEqual([1, 5, 10]);
    press("ArrowRight");
    expect(counts()).toEqual([1, 6, 9]);
    expect(handle.getAttribute("aria-valuetext")).toBe("6 exponent bits, 9 fraction bits");
    expect(design.value.bias).toBe(31); // IEEE 754's follows
    press("Home");
    expect(counts()).toEqual([1, 2, 13]); // infinity and NaN need two
    expect(handle.getAttribute("aria-valuemin")).toBe("2");
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
      "designer.threshold": "> 464 → NaN",
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

  test("are told in words, of all formats on the axis", () => {
    vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
    const tiny = formatOf({ ...designOf(getFormat("float16")!), exponent_bits: 1, fraction_bits: 0, bias: 1, infinity: "none", nan: "none" });
    const named = [{ fmt: tiny, name: "tiny", label: "yours" }, { fmt: getFormat("float16")!, name: "float16", label: "float16" }];
    const line = ranges(viewOf(fakeModel({}) as never), signal(named));
    expect(line.getAttribute("aria-label")).toContain("tiny · 2⁰ to 1 · binades: 1 · bits: up to 1, float16 · 2⁻²⁴ to 65504 · binades: 40 · bits: up to 11");
    expect([...line.querySelectorAll("text:not([text-anchor])")].map(({ textContent }) => textContent)).toEqual(["yours · 1 bit", "float16 · 11 bits"]);
  });
});

describe("numbers", () => {
  test.each<[bigint, bigint, string]>([
    [1n, 512n, "≈0.001953"], [1n, 64n, "0.015625"], [57344n, 1n, "57344"], [15n, 128n, "≈0.1172"], [65504n, 1n, "65504"], [123456n, 1n, "≈123500"],
    [123456789n, 1n, "≈1.235e+8"], [99999999n, 1n, "≈1e+8"], [1n, 10n ** 9n * 3n, "≈3.333e−10"], [1n << 64n, 1n, "≈1.845e+19"],
  ])("%d / %d in four digits is %s", (numerator, denominator, text) => {
    expect(rounded(rational(numerator, denominator), 4)).toBe(text);
  });

  test("are marked as rounded exactly where they are", () => {
    for (const fmt of small) for (let code = fmt.smallestCode; code <= fmt.maxCode; code += 1n) {
      const text = rounded(fmt.magnitude(code), 4);
      const [digits, exponent = "0"] = text.replace("≈", "").replace("−", "-").split("e");
      const [whole, part = ""] = digits!.split(".");
      const written = rational(BigInt(whole! + part) * 10n ** BigInt(Math.max(Number(exponent) - part.length, 0)), 10n ** BigInt(Math.max(part.length - Number(exponent), 0)));
      expect([fmt.name, text, compare(written, fmt.magnitude(code)) !== 0]).toEqual([fmt.name, text, text.startsWith("≈")]);
    }
  });

  test("that are powers of two are written as such, but for small ones", () => {
    expect([power(2n, -9), power(2n, 0), power(2n, 10), power(2n, 11), rational(3n)].map((x) => brief(x, 4))).toEqual(["2⁻⁹", "1", "1024", "2¹¹", "3"]);
  });

  test("have their exponents raised by the page", () => {
    const element = document.createElement("p");
    element.append(...raised("from 2⁻¹⁰ to 2⁸, 5"));
    expect(element.textContent).toBe("from 2^−10 to 2^8, 5");
    expect([...element.querySelectorAll("sup")].map(({ lastChild }) => lastChild!.textContent)).toEqual(["−10", "8"]);
  });
});

describe("what a format does", () => {
  const said = (name: string) => lead(getFormat(name)!).map(({ text }) => text).join("");
  const figures = (name: string) => FIGURES.map(([, of]) => of(getFormat(name)!));

  test("is a sentence made from its numbers", () => {
    expect(said("float8_e4m3fn")).toBe("Its 4‑bit exponent reaches from 2⁻⁹ to 448; with its 3‑bit fraction, numbers from 2⁻⁶ on are at most 12.5 % apart.");
    expect(said("float64")).toBe("Its 11‑bit exponent reaches from 2⁻¹⁰⁷⁴ to ≈1.798e+308; with its 52‑bit fraction, numbers from 2⁻¹⁰²² on are at most 2⁻⁵² apart.");
    const even = formatOf({ ...designOf(getFormat("float8_e4m3fn")!), exponent_bits: 1, fraction_bits: 1, infinity: "top" });
    expect(lead(even).map(({ text }) => text).join("")).toBe("Its 1‑bit exponent leaves no normal numbers: all are multiples of 2⁻⁷, up to 2⁻⁷.");
    expect(FIGURES.map(([, of]) => of(even))).toEqual(["2⁻⁷", "2⁻⁷", "none", "3"]);
  });

  test("is told by four figures", () => {
    expect(figures("float8_e4m3fn")).toEqual(["448", "2⁻⁹", "12.5 %", "253"]);
    expect(figures("float16")).toEqual(["65504", "2⁻²⁴", "≈0.0977 %", "63,487"]);
    expect(figures("float64")).toEqual(["≈1.798e+308", "2⁻¹⁰⁷⁴", "2⁻⁵²", "≈1.844e+19"]);
    expect(figures("float8_e8m0fnu")).toEqual(["2¹²⁷", "2⁻¹²⁷", "100 %", "255"]);
  });

  test.each(small)("has in $name no wider step between normal numbers", (fmt) => {
    const step = rational(1n, 1n << BigInt(fmt.fractionBits));
    for (let code = fmt.smallestNormalCode; code < fmt.maxCode; code += 1n) {
      const [low, high] = [fmt.magnitude(code), fmt.magnitude(code + 1n)];
      const share = rational(high.numerator * low.denominator - low.numerator * high.denominator, low.numerator * high.denominator);
      expect(compare(share, step)).toBeLessThanOrEqual(0);
    }
  });
});

describe("the page", () => {
  function show(format: string) {
    vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
    document.body.replaceChildren();
    const model = fakeModel({ ...designOf(getFormat(format)!) });
    const el = document.body.appendChild(document.createElement("div"));
    page.render({ model, el } as never);
    const texts = (selector: string) => [...el.querySelectorAll(selector)].map(({ textContent }) => textContent);
    const labelled = (text: string) => el.querySelector<HTMLInputElement>(`#${[...el.querySelectorAll("label")].find(({ textContent }) => textContent === text)!.htmlFor}`)!;
    const enter = (label: string, value: string) => {
      labelled(label).value = value;
      labelled(label).dispatchEvent(new Event("change", { bubbles: true }));
    };
    const chip = (group: number, text: string) => [...el.querySelectorAll("fieldset")[group]!.querySelectorAll("label")].find(({ textContent }) => textContent === text)!.querySelector("input")!.click();
    return { model, el, texts, labelled, enter, chip, drawer: el.querySelector<HTMLElement>(".mw-design-drawer")! };
  }

  test("shows the first row of values, and the others in a drawer", () => {
    const { texts, drawer, model } = show("float8_e4m3fn");
    expect(texts("[role=gridcell]")).toEqual(["0", "≈0.001953", "≈0.003906", "≈0.005859", "0.0078125", "≈0.009766", "≈0.01172", "≈0.01367"]);
    expect([texts("[role=rowheader]"), drawer.textContent]).toEqual([["subnormal"], "More rows (15), up to 448"]);
    drawer.click();
    expect(texts("[role=gridcell]").slice(-8)).toEqual(["256", "288", "320", "352", "384", "416", "448", "NaN"]);
    expect(texts("[role=rowheader]")).toEqual(["subnormal", ...Array.from({ length: 15 }, (_, i) => `2^${i < 6 ? "−" : ""}${Math.abs(i - 6)}`)]);
    model.set("infinity", "ieee");
    model.set("nan", "ieee");
    expect(texts("[role=rowheader]").at(-1)).toBe("special");
    expect(texts("[role=gridcell]").slice(-8)).toEqual(["∞", ...Array.from({ length: 7 }, () => "NaN")]);
    drawer.click();
    expect(texts("[role=rowheader]")).toEqual(["subnormal"]);
  });

  test("gives IEEE 754's infinity and NaN together", () => {
    const { model, chip } = show("float8_e4m3fn");
    const now = () => [model.get("infinity"), model.get("nan")];
    chip(0, "IEEE 754");
    expect(now()).toEqual(["ieee", "ieee"]);
    chip(1, "in place of −0");
    expect(now()).toEqual(["none", "negative_zero"]);
    chip(1, "IEEE 754");
    chip(0, "top code");
    expect(now()).toEqual(["top", "top"]);
  });

  test("says beside its field what makes no format, and keeps the last good one", () => {
    const { model, labelled, enter, texts } = show("float8_e4m3");
    for (const [value, words] of [["1", /need at least 2 exponent bits/], ["99", /^exponent bits must be a whole number from 1 to 11; got 99$/], ["4.5", /got 4.5$/]] as const) {
      enter("exponent bits", value);
      const error = document.getElementById(labelled("exponent bits").getAttribute("aria-describedby")!)!;
      expect(error.textContent).toMatch(words);
      expect(labelled("exponent bits").closest(".mw-design-control")!.contains(error)).toBe(true);
      expect([model.get("exponent_bits"), texts(".mw-figure")[0]]).toEqual([4, "240"]);
    }
    enter("exponent bits", "");
    expect(labelled("exponent bits").value).toBe("4.5"); // nothing is no number
    enter("exponent bits", "5");
    expect([model.get("exponent_bits"), model.get("bias"), texts(".mw-error")]).toEqual([5, 15, [""]]);
  });

  test("compares with the formats that are chosen", () => {
    const { el, texts, labelled } = show("float8_e4m3fn");
    expect(texts(".mw-design-figures .mw-note")).toEqual(["float16: 65504", "float16: 2^−24", "float16: ≈0.0977 %", "float16: 63,487"]);
    labelled("compared with").value = "bfloat16";
    labelled("compared with").dispatchEvent(new Event("change"));
    labelled("and").value = "float6_e3m2fn";
    labelled("and").dispatchEvent(new Event("change"));
    expect(texts(".mw-design-figures .mw-note")[0]).toBe("bfloat16: ≈3.39e+38");
    expect(el.querySelector(".mw-design-plot")!.getAttribute("aria-label")).toMatch(/^Significant bits.*float8_e4m3fn · .*bfloat16 · .*float6_e3m2fn · /);
    document.body.replaceChildren();
    expect(show("float16").texts(".mw-design-figures .mw-note")[0]).toMatch(/^bfloat16: /); // not with itself
  });
});
