// @vitest-environment jsdom
// The block lab in a page without a kernel: what it shows, and what it sends.

import { beforeEach, describe, expect, test, vi } from "vitest";
import { getBlockFormat } from "#core/blocks/catalogue.ts";
import labWidget from "#mixwidgets/floats/widgets/block_lab/page.ts";
import { axisFor, perRow } from "#mixwidgets/floats/widgets/block_lab/bars.ts";
import type { ScaleRule } from "#core/blocks/scale_rules.ts";
import { codesOf, outcome, readLab } from "#mixwidgets/floats/widgets/block_lab/state.ts";
import { percent, sentences } from "#mixwidgets/floats/widgets/block_lab/readout.ts";
import { fakeModel } from "./fake_model.ts";

const ramp = Float32Array.from({ length: 32 }, (_, i) => (i - 16) / 8);
const outlier = ramp.with(5, 100);

function show(changes: Record<string, unknown> = {}) {
  const model = fakeModel({ format: "mxfp4", scale_rule: "FLOOR", _codes: codesOf(ramp), ...changes });
  const el = document.createElement("div");
  document.body.append(el);
  const cleanup = labWidget.render({ model, el } as never);
  const sliders = () => [...el.querySelectorAll<HTMLElement>("[role=slider]")];
  const press = (slider: HTMLElement, key: string) => {
    slider.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  };
  const release = (slider: HTMLElement) => slider.dispatchEvent(new KeyboardEvent("keyup", { key: "x", bubbles: true }));
  const text = (selector: string) => el.querySelector(selector)!.textContent;
  return { model, el, cleanup, sliders, press, release, text };
}

beforeEach(() => {
  document.body.replaceChildren();
  vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
});

describe("what is shown", () => {
  test("an outlier, in words and figures", () => {
    const { text, sliders } = show({ _codes: codesOf(outlier) });
    expect(text(".mw-callout")).toBe("Element 5 sets the shared scale 2⁴: 30 of the 30 others become 0.");
    expect([...document.querySelectorAll(".mw-figure")].map((one) => one.textContent)).toEqual(["30 of 32", expect.stringMatching(/ %$/), "2⁴", "4.25"]);
    expect(sliders()).toHaveLength(32);
    expect(sliders()[5]!.getAttribute("aria-valuetext")).toBe("100, stored as 96, error −4");
    expect(document.querySelectorAll(".mw-bar-lost")).toHaveLength(30);
    expect(sliders().filter((one) => one.tabIndex === 0)).toEqual([sliders()[5]]);
  });

  test("the axis says exactly where its lines are", () => {
    show({ _codes: codesOf(new Float32Array(32).fill(0.01).with(5, 1e5)) });
    const lines = document.querySelector(".mw-bar-lines")!; // of the first row
    expect([...lines.children].map((one) => one.textContent))
      .toEqual(["−2¹⁵", "−128", "−0.25", "0", "0.25", "128", "2¹⁵"]);
  });

  test("clipped, by FLOOR only", () => {
    const values = new Float32Array(16).fill(1).with(3, 7.9);
    const { text, model } = show({ _codes: codesOf(values) });
    expect(text(".mw-callout")).toContain("Element 3 itself is clipped: the largest value is 6 × the scale, so 7.9 becomes 6.");
    const kinds = (value: number) => outcome({ format: getBlockFormat("mxfp4")!, rule: "FLOOR", values: values.with(3, value) }).elements[3]!.kind;
    expect([6, 6.9, 7, 7.9].map(kinds)).toEqual(["rounded", "rounded", "clipped", "clipped"]); // 7 is a tie that goes to 8
    for (const scale_rule of ["CEIL", "RCEIL", "EVEN"]) {
      model.set("scale_rule", scale_rule);
      expect(text(".mw-callout")).toContain("scale 2¹");
      expect(text(".mw-callout")).not.toContain("clipped");
    }
  });

  test("NVFP4 has two blocks of 16", () => {
    const { text } = show({ format: "nvfp4", scale_rule: "TE", _codes: codesOf(outlier) });
    expect(text(".mw-callout")).toMatch(/^Element 5 sets the scale of block 1, 16\.67: .*Element 31 sets the scale of block 2, .*: none of the 14 others becomes 0\.$/);
  });

  test("the rules are those of the format, each with its sentence", () => {
    const { el, model, text } = show();
    const rules = () => [...el.querySelectorAll<HTMLInputElement>(".mw-stack-tight .mw-chips input")];
    for (const [format, ...names] of [
      ["mxfp4", "FLOOR", "CEIL", "RCEIL", "EVEN"], ["nvfp4", "TE", "TORCHAO", "FOUR_OVER_SIX"],
      ["nvfp4_one_level", "AMAX", "FOUR_OVER_SIX"], ["nf4", "AMAX"],
    ] as const) {
      model.set("scale_rule", names[0]);
      model.set("format", format);
      expect(rules().map(({ value }) => value)).toEqual(names);
      for (const scale_rule of names) {
        model.set("scale_rule", scale_rule);
        expect(rules().filter(({ checked }) => checked).map(({ value }) => value)).toEqual([scale_rule]);
        expect(text(".mw-stack-tight .mw-note:not(:empty)")).not.toContain("{");
        expect([...el.querySelectorAll(".mw-note")].some((one) => one.textContent!.startsWith(`${scale_rule}: `))).toBe(true);
      }
    }
    expect([...el.querySelectorAll(".mw-note")].at(-1)!.textContent).toBe(
      "AMAX: amax of the block / 1, rounded to float32. A block of this format has 64 elements; these 32 are all of one block and share its scale.");
  });

  test("zeros", () => {
    expect(show({ _codes: codesOf(new Float32Array(16)) }).text(".mw-callout")).toBe("All elements are 0: the shared scale keeps its smallest value, 2⁻¹²⁷.");
  });

  test("the table, once it is opened", () => {
    const { el } = show();
    const details = el.querySelector("details")!;
    expect(el.querySelectorAll("tbody tr")).toHaveLength(0);
    details.open = true;
    details.dispatchEvent(new Event("toggle"));
    expect([...el.querySelectorAll("tbody tr:first-child > *")].map((cell) => cell.textContent)).toEqual(["0", "−2", "−2", "0xE", "0", "0 %"]);
  });
});

describe("what is sent", () => {
  test("keys change an element; the kernel hears of it once, when the key is let go, and the focus stays", () => {
    const { model, sliders, press, release } = show();
    const slider = sliders()[7]!;
    slider.focus();
    for (let i = 0; i < 20; i++) press(slider, "ArrowUp");
    expect(model.saved).toHaveLength(0);
    release(slider);
    expect(model.saved).toHaveLength(1);
    const { values } = readLab(model.saved[0] as never)!;
    expect(values[7]).toBeGreaterThan(5);
    expect(values.with(7, ramp[7]!)).toEqual(ramp);
    expect(document.activeElement).toBe(slider);
    press(slider, "Home");
    expect(Number(slider.getAttribute("aria-valuenow"))).toBe(Number(slider.getAttribute("aria-valuemin")));
    press(slider, "ArrowRight");
    expect(document.activeElement).toBe(sliders()[8]);
    expect(model.saved).toHaveLength(2); // leaving the element tells the kernel too
  });

  test("a typed value, wrong ones, and the way back", () => {
    const { model, el, text } = show();
    const field = el.querySelector("input[type=text]") as HTMLInputElement;
    const type = (value: string) => { field.value = value; ["input", "change"].forEach((event) => field.dispatchEvent(new Event(event))); };
    type("−1e3");
    expect(readLab(model.saved[0] as never)!.values[0]).toBe(-1000);
    type("2^-3");
    expect(readLab(model.saved[1] as never)!.values[0]).toBe(0.125);
    for (const wrong of ["", "abc", "1e999", "nan", "0x10", "1,5", "<img src=x onerror=alert(1)>"]) {
      type(wrong);
      expect(text(".mw-stack-tight .mw-error")).toContain(wrong || "nothing");
      expect(field.getAttribute("aria-invalid")).toBe("true");
    }
    expect(model.saved).toHaveLength(2);
    el.querySelector<HTMLElement>(".mw-row > button")!.click();
    expect(model.get("_codes")).toBe(codesOf(ramp));
  });

  test("format and rule", () => {
    const { model, el } = show();
    el.querySelector<HTMLInputElement>("input[value=mxint8]")!.click();
    el.querySelector<HTMLInputElement>("input[value=RCEIL]")!.click();
    el.querySelector<HTMLInputElement>("input[value=mxfp4]")!.click(); // which has that rule too
    el.querySelector<HTMLInputElement>("input[value=nvfp4]")!.click();
    const menu = el.querySelector<HTMLSelectElement>("select")!;
    menu.value = "int4_g128";
    menu.dispatchEvent(new Event("change"));
    expect(model.saved.map(({ format, scale_rule }) => [format, scale_rule])).toEqual(
      [["mxint8", "FLOOR"], ["mxint8", "RCEIL"], ["mxfp4", "RCEIL"], ["nvfp4", "TE"], ["int4_g128", "AMAX"]]);
  });

  test("values from the kernel are shown, and what cannot be shown leaves the last", () => {
    const { model, sliders, text } = show();
    model.set("_codes", codesOf(outlier.subarray(0, 16)));
    expect(sliders()).toHaveLength(16);
    for (const [name, wrong] of [["_codes", "7f800000".repeat(16)], ["_codes", "00"], ["format", "mxfp5"], ["format", "nvfp4"], ["scale_rule", "__proto__"], ["scale_rule", "TE"]] as const) {
      const before = model.get(name);
      model.set(name, wrong);
      expect(text(".mw > .mw-error")).toContain("cannot be shown");
      expect(sliders()).toHaveLength(16);
      model.set(name, before);
      expect(text(".mw > .mw-error")).toBe("");
    }
  });

  test("a removed view listens no more", () => {
    const { model, el, cleanup } = show();
    cleanup();
    expect(model.listening()).toBe(0);
    expect(el.children).toHaveLength(0);
  });
});

test("a state from an address", () => {
  const state = { format: "nvfp4", scale_rule: "TORCHAO", _codes: codesOf(ramp).toUpperCase() };
  expect(labWidget.accept(state)).toEqual({ ...state, _codes: codesOf(ramp) });
  for (const wrong of [{ format: "fp4" }, { format: "mxfp4" }, { format: "nvfp4_16x16" }, { scale_rule: "floor" }, { scale_rule: "FLOOR" }, { _codes: "zz".repeat(64) }, { _codes: "" }, { _codes: "7fc00000".repeat(32) }]) {
    expect(labWidget.accept({ ...state, ...wrong })).toBeNull();
  }
});

test("the axis goes there and back, and always has room above the largest", () => {
  for (const values of [ramp, outlier, [1e-40, 0], [3e38, 1], [0, 0]]) {
    const { place, value, limit, ticks } = axisFor(values);
    expect(place(0)).toBe(0.5);
    for (const at of [0, 0.1, 0.37, 0.5, 0.8, 1]) expect(place(value(at))).toBeCloseTo(at, 2);
    for (const x of values) expect(Math.abs(x)).toBeLessThan(limit * 4);
    expect(Number.isFinite(value(1))).toBe(true);
    expect(ticks).toContain(0);
  }
  expect([1000, 500, 300, 10].map(perRow)).toEqual([32, 16, 8, 8]);
});

test("labels of the axis do not touch, however far an outlier is from the others", () => {
  for (const outlier of [0.01, 3, 1e5, 1e10, 1e30]) {
    const { place, ticks } = axisFor([...Array<number>(31).fill(0.01), outlier]);
    const gaps = ticks.slice(1).map((tick, i) => place(tick) - place(ticks[i]!));
    expect(gaps).toHaveLength(6);
    expect(Math.min(...gaps)).toBeGreaterThan(13 / 120); // pixels of a label, and of the plot on a phone
  }
  expect(axisFor([1]).ticks).toEqual([-64, -8, -1, 0, 1, 8, 64]);
});

test("the words for shares never hide a few", () => {
  expect([0, 1e-9, 0.05, 0.5, 1].map(percent)).toEqual(["0 %", "<0.1 %", "5.0 %", "50 %", "100 %"]);
  const found = outcome({ format: getBlockFormat("mxfp4")!, rule: "FLOOR", values: new Float32Array(16).with(2, 1) });
  expect(sentences(found, 0).map(({ text }) => text).join("")).toBe("Element 2 sets the shared scale 2⁻²: there is no other element that could be lost.");
});

test("no element is said to set a scale at which it becomes 0 itself", () => {
  const said = (format: string, rule: ScaleRule, values: Float32Array, index: number) =>
    sentences(outcome({ format: getBlockFormat(format)!, rule, values }), index).map(({ text }) => text).join("");
  expect(said("mxfp4", "FLOOR", new Float32Array(32).fill(1e-42), 0)).toBe("All elements become 0: they are too small for the smallest scale, 2⁻¹²⁷.");
  const apart = new Float32Array(32).fill(0.01).with(0, 1e5);
  expect(said("nvfp4", "TORCHAO", apart, 1)).toBe("All elements of block 2 become 0: they are too small for its smallest scale, 0.5813.");
  expect(said("nvfp4", "TE", apart, 1)).toBe("All elements of block 2 become 0: its scale itself rounds to 0.");
});

test("−0 keeps its sign, typed or given", () => {
  const { model, el, text } = show({ _codes: codesOf(ramp.with(2, -0)) });
  const details = el.querySelector("details")!;
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
  const row = (index: number) => [...el.querySelectorAll(`tbody tr:nth-child(${index + 1}) td`)].map((cell) => cell.textContent);
  expect(row(2)).toEqual(["−0", "−0", "0x8", "0", "0 %"]);
  const field = el.querySelector("input[type=text]") as HTMLInputElement;
  for (const [typed, code, shown] of [["−0", "80000000", "−0"], ["0", "00000000", "0"]] as const) {
    field.value = typed;
    ["input", "change"].forEach((event) => field.dispatchEvent(new Event(event)));
    expect((model.get("_codes") as string).slice(0, 8)).toBe(code);
    expect(row(0)).toEqual([shown, shown, typed === "0" ? "0x0" : "0x8", "0", "0 %"]);
    expect(field.value).toBe(shown);
    expect(text(".mw-lab-result")).toContain(`stored as ${shown} ·`);
  }
});
