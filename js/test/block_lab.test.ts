// @vitest-environment jsdom
// The block lab in a page without a kernel: what it shows, and what it sends.

import { beforeEach, describe, expect, test, vi } from "vitest";
import { getBlockFormat } from "#core/blocks/catalogue.ts";
import labWidget from "#mixwidgets/floats/widgets/block_lab/page.ts";
import { axisFor, linesOf } from "#mixwidgets/floats/widgets/block_lab/axis.ts";
import { outcome } from "#mixwidgets/floats/widgets/block_lab/outcome.ts";
import { lossText } from "#mixwidgets/floats/widgets/block_lab/rules.ts";
import type { ScaleRule } from "#core/blocks/scale_rules.ts";
import { codesOf, readLab } from "#mixwidgets/floats/widgets/block_lab/state.ts";
import { blockSentences, percent } from "#mixwidgets/floats/widgets/block_lab/words.ts";
import { fakeModel } from "./fake_model.ts";

const ramp = Float32Array.from({ length: 32 }, (_, i) => (i - 16) / 8);
const outlier = ramp.with(5, 100);

/** 16 × 16 numbers from −1.28 to 1.27, one of them 50. */
const weights = Float32Array.from({ length: 256 }, (_, i) => ((i * 37) % 256 - 128) / 100).with(5 * 16 + 9, 50);

function show(changes: Record<string, unknown> = {}) {
  const model = fakeModel({ format: "mxfp4", scale_rule: "FLOOR", hadamard: false, _codes: codesOf(ramp), ...changes });
  const el = document.createElement("div");
  document.body.append(el);
  const cleanup = labWidget.render({ model, el } as never);
  const slider = el.querySelector<HTMLElement>("[role=slider]")!;
  const bars = () => [...slider.querySelectorAll<HTMLElement>(".mw-bar")];
  const press = (key: string, on = slider) => {
    on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  };
  const release = () => slider.dispatchEvent(new KeyboardEvent("keyup", { key: "x", bubbles: true }));
  const text = (selector: string) => el.querySelector(selector)!.textContent;
  const texts = (selector: string) => [...el.querySelectorAll(selector)].map((one) => one.textContent);
  const unfold = () => el.querySelectorAll("details").forEach((one) => {
    one.open = true;
    one.dispatchEvent(new Event("toggle"));
  });
  return { model, el, cleanup, slider, bars, press, release, text, texts, unfold };
}

beforeEach(() => {
  document.body.replaceChildren();
  vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
});

describe("what is shown", () => {
  test("an outlier, in words and figures", () => {
    const { text, texts, slider, bars } = show({ _codes: codesOf(outlier) });
    expect(text(".mw-lab-lead")).toBe("A scale for 32 in a row loses 30 of 32 values to 0; the error is 7.5 %."); // √(4² + 2615 / 64) / √(100² + 2615 / 64)
    expect(text(".mw-callout > .mw-muted")).toBe("100 (element 5) sets the scale of its block, 2⁴: 30 of the 30 others become 0. Up to 4 there is no code but 0.");
    expect(texts(".mw-figure")).toEqual(["30 of 32", "7.5 %", "4.25"]);
    expect(bars()).toHaveLength(32);
    expect([slider.getAttribute("aria-label"), slider.getAttribute("aria-valuetext")]).toEqual(["element 5", "100, stored as 96, error −4"]);
    expect(slider.querySelectorAll(".mw-bar-lost")).toHaveLength(30);
    expect(bars().map((one) => one.matches(".mw-bar-active")).indexOf(true)).toBe(5);
    expect(document.querySelector<HTMLElement>(".mw-lab-matrix")!.hidden).toBe(true); // there is one row
  });

  test("a block in two dimensions: its one scale, and what a scale for each row would do", () => {
    const { text, texts, el, model } = show({ format: "nvfp4_16x16", scale_rule: "TE", _codes: codesOf(weights) });
    // by hand: the scale is 50 / 6, so that whatever is up to 50 / 24 = 2.083 becomes 0: all the others but 0 itself
    expect(text(".mw-lab-lead")).toMatch(/^One scale for 16 × 16 loses 254 of 256 values to 0; one for 16 in a row, \d+\.$/);
    expect(text(".mw-callout > .mw-muted")).toBe(
      "50 (element 9 of row 5) sets the scale of its block, 8.333: 254 of the 254 others become 0. Up to 2.083 there is no code but 0.");
    expect(el.querySelectorAll(".mw-cell-lost")).toHaveLength(254);
    expect(texts(".mw-matrix-scales strong")).toEqual(["8.33"]);
    expect(el.querySelector(".mw-cell-setter")!.getAttribute("data-value")).toBe("50");
    expect(el.querySelector<HTMLInputElement>("[role=switch]")!.closest("label")!.hidden).toBe(true);
    expect(text(".mw-lab-controls")).toContain("for rows only: it mixes 16 values of one row");
    const rows = texts(".mw-lab-detail")[0]!;
    const { lost } = outcome({ format: getBlockFormat("nvfp4")!, rule: "TE", values: weights, columns: 16 });
    expect(rows).toBe(`16 in a row: ${lost}`);
    expect(text(".mw-lab-lead")).toContain(`one for 16 in a row, ${lost}.`);
    el.querySelector<HTMLInputElement>("input[value=nvfp4]")!.click();
    expect(model.saved.map(({ format }) => format)).toEqual(["nvfp4"]);
    expect(texts(".mw-matrix-scales span")).toHaveLength(16);
    expect(text(".mw-matrix-chosen span")).toBe("8.3");
  });

  test("a rotated row: before and after, with their errors, and both formats in the sentences", () => {
    const { text, texts, el, model } = show({ format: "nvfp4", scale_rule: "TE", _codes: codesOf(weights) });
    const toggle = el.querySelector<HTMLInputElement>("[role=switch]")!;
    expect(el.querySelectorAll(".mw-lab-chart:not([hidden])")).toHaveLength(1);
    toggle.click();
    expect(model.saved.map(({ hadamard }) => hadamard)).toEqual([true]);
    expect(el.querySelectorAll(".mw-lab-chart:not([hidden])")).toHaveLength(2);
    const errors = texts(".mw-lab-chart-error strong");
    expect(text(".mw-lab-lead")).toBe(`Rotated, this row loses more: the error of NVFP4 goes from ${errors[0]} to ${errors[1]}.`);
    expect(text(".mw-callout > .mw-muted")).toMatch(/^Of its 16 values, 15 become 0 before and 0 after the rotation\. For comparison: MXFP4 [\d.]+ % → [\d.]+ %\.$/);
    expect(el.querySelector<HTMLElement>(".mw-lab-figures")!.hidden).toBe(true); // those of the matrix
    const menu = el.querySelector<HTMLSelectElement>("select")!;
    menu.value = "nvfp4_16x16"; // which is not rotated
    menu.dispatchEvent(new Event("change"));
    expect(model.saved.at(-1)).toMatchObject({ format: "nvfp4_16x16", hadamard: false });
  });

  test("a row of one value is spread over all, and is lost no less", () => {
    const { text } = show({ format: "mxfp8_e4m3", hadamard: true, _codes: codesOf(new Float32Array(16).with(3, 8)) });
    expect(text(".mw-lab-lead")).toBe("Rotated, this row loses as much: the error of MXFP8 E4M3 stays 0 %."); // ±2 in all places
  });

  test("rows are chosen by the stepper, its keys, and a press on the matrix", () => {
    const { el, slider, press, text } = show({ format: "nvfp4", scale_rule: "TE", _codes: codesOf(weights) });
    const row = el.querySelector<HTMLElement>("[role=spinbutton]")!;
    const [back, on] = ["row before", "row after"].map((name) => el.querySelector<HTMLElement>(`[aria-label="${name}"]`)!);
    const at = () => [row.getAttribute("aria-valuenow"), slider.getAttribute("aria-label")];
    expect(at()).toEqual(["5", "element 9 of row 5"]);
    on!.click();
    expect(at()).toEqual(["6", "element 9 of row 6"]);
    press("ArrowUp", row);
    back!.click();
    expect(at()).toEqual(["4", "element 9 of row 4"]);
    press("Home", row);
    press("ArrowUp", row);
    back!.click();
    expect(at()).toEqual(["0", "element 9 of row 0"]);
    press("End", row);
    expect(at()).toEqual(["15", "element 9 of row 15"]);
    expect(row.getAttribute("aria-valuetext")).toMatch(/^row 15: \d+ of 16 become 0$/);
    el.querySelectorAll(".mw-cell")[33]!.dispatchEvent(new Event("pointerdown", { bubbles: true }));
    expect(at()).toEqual(["2", "element 1 of row 2"]);
    expect(text(".mw-lab-controls label.mw-muted")).toBe("value of element 1 of row 2");
  });

  test("clipped, by FLOOR only", () => {
    const values = new Float32Array(16).fill(1).with(3, 7.9);
    const { text, model } = show({ _codes: codesOf(values) });
    expect(text(".mw-callout")).toContain("It is clipped to 6 × the scale, 6.");
    const kinds = (value: number) => outcome({ format: getBlockFormat("mxfp4")!, rule: "FLOOR", values: values.with(3, value), columns: 16 }).elements[3]!.kind;
    expect([6, 6.9, 7, 7.9].map(kinds)).toEqual(["rounded", "rounded", "clipped", "clipped"]); // 7 is a tie that goes to 8
    for (const scale_rule of ["CEIL", "RCEIL", "EVEN"]) {
      model.set("scale_rule", scale_rule);
      expect(text(".mw-callout")).toContain("its block, 2¹");
      expect(text(".mw-callout")).not.toContain("clipped");
    }
  });

  test("a row of 32 is two blocks in NVFP4, each on lines of its own", () => {
    const { text, press, slider } = show({ format: "nvfp4", scale_rule: "TE", _codes: codesOf(outlier) });
    expect(text(".mw-callout")).toContain("100 (element 5) sets the scale of its block, 16.67:");
    expect(slider.querySelectorAll(".mw-bar-block")).toHaveLength(2);
    const lines = [...slider.querySelectorAll(".mw-bar-line")].map((one) => one.getAttribute("d"));
    expect(lines[0]).not.toBe(lines[1]);
    for (let i = 5; i < 16; i++) press("ArrowRight");
    expect(text(".mw-callout")).toContain("1.875 (element 31) sets the scale of its block, 0.2976: none of the 14 others becomes 0.");
  });

  test("the rules are those of the format, each with what this block loses, and the chosen one in words", () => {
    const { el, model, texts, unfold } = show({ _codes: codesOf(outlier) });
    unfold();
    const rules = () => [...el.querySelectorAll<HTMLInputElement>(".mw-rules input")];
    expect(texts(".mw-rules label")).toEqual([ // 100 is 6 × 16 after 4 are lost, or 3 × 32
      "FLOOR30 of 32 become 0, error 7.5 %.", "CEIL30 of 32 become 0, error 7.5 %.",
      "RCEIL30 of 32 become 0, error 7.5 %.", "EVEN30 of 32 become 0, error 7.5 %."]);
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
        expect(el.textContent).not.toContain("{");
        expect(texts(".mw-lab-fold .mw-note")[0]).toContain(`${scale_rule}: `);
      }
    }
    expect(texts(".mw-lab-fold .mw-note")[0]).toContain(
      "AMAX: amax of the block / 1, rounded to float32. A block of this format has 64 elements; the 32 of a row belong to one block and share its scale.");
  });

  test("what a block loses by a rule is counted of that block alone", () => {
    // 7.9 is clipped to 6 by FLOOR, whose scale is 1; by the others it is 2, and 0.5 a tie that goes to 0
    const values = new Float32Array(32).fill(0.5).with(3, 7.9);
    const lab = readLab({ format: "mxfp4", scale_rule: "FLOOR", hadamard: false, _codes: codesOf(values) })!;
    expect(lossText(lab, "FLOOR", 0)).toBe("0 of 32 become 0, error 22.7 %. Clipped: 1.");
    expect(lossText(lab, "RCEIL", 0)).toBe("31 of 32 become 0, error 33.3 %.");
    const two = readLab({ format: "nvfp4", scale_rule: "TE", hadamard: false, _codes: codesOf(values) })!;
    expect(lossText(two, "TE", 0)).toMatch(/^0 of 16 |^15 of 16 /);
    expect(lossText(two, "TE", 16)).toMatch(/^0 of 16 become 0/);
  });

  test("zeros", () => {
    expect(show({ _codes: codesOf(new Float32Array(16)) }).text(".mw-callout > .mw-muted")).toBe("All elements of this block are 0: its scale keeps its smallest value, 2⁻¹²⁷.");
  });

  test("the table, once it is opened", () => {
    const { el, unfold, model } = show();
    expect(el.querySelectorAll("tbody tr")).toHaveLength(0);
    unfold();
    expect([...el.querySelectorAll("tbody tr:first-child > *")].map((cell) => cell.textContent)).toEqual(["0", "−2", "−2", "0xE", "0", "0 %"]);
    model.set("_codes", codesOf(weights));
    expect(el.querySelectorAll("tbody tr")).toHaveLength(256);
    expect(el.querySelector("tbody tr:nth-child(90) th")!.textContent).toBe("5, 9");
  });
});

describe("what is sent", () => {
  test("keys change an element; the kernel hears of it once, when the key is let go, and the focus stays", () => {
    const { model, slider, press, release } = show();
    slider.focus();
    for (let i = 0; i < 7; i++) press("ArrowRight");
    for (let i = 0; i < 10; i++) press("PageUp");
    for (let i = 0; i < 10; i++) press("ArrowUp");
    expect(model.saved).toHaveLength(0);
    release();
    expect(model.saved).toHaveLength(1);
    const { values } = readLab(model.saved[0] as never)!;
    expect(values[7]).toBeGreaterThan(5); // past the end of the axis, which stays while the key is held
    expect(values.with(7, ramp[7]!)).toEqual(ramp);
    expect(document.activeElement).toBe(slider);
    press("Home");
    release();
    expect(slider.getAttribute("aria-valuenow")).toBe(slider.getAttribute("aria-valuemin"));
    press("ArrowDown");
    slider.blur();
    expect(model.saved).toHaveLength(3); // leaving the bars tells the kernel too
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
      expect(text(".mw-lab-control .mw-error")).toContain(wrong || "nothing");
      expect(field.getAttribute("aria-invalid")).toBe("true");
    }
    expect(model.saved).toHaveLength(2);
    [...el.querySelectorAll("button")].find((one) => one.textContent === "reset")!.click();
    expect(model.get("_codes")).toBe(codesOf(ramp));
  });

  test("format and rule", () => {
    const { model, el } = show();
    const menu = el.querySelector<HTMLSelectElement>("select")!;
    const choose = (name: string) => {
      menu.value = name;
      menu.dispatchEvent(new Event("change"));
    };
    choose("mxint8");
    el.querySelector<HTMLInputElement>("input[value=RCEIL]")!.click();
    el.querySelector<HTMLInputElement>("input[value=mxfp4]")!.click(); // which has that rule too
    el.querySelector<HTMLInputElement>("input[value=nvfp4]")!.click();
    choose("int4_g128");
    expect(model.saved.map(({ format, scale_rule }) => [format, scale_rule])).toEqual(
      [["mxint8", "FLOOR"], ["mxint8", "RCEIL"], ["mxfp4", "RCEIL"], ["nvfp4", "TE"], ["int4_g128", "AMAX"]]);
  });

  test("values from the kernel are shown, and what cannot be shown leaves the last", () => {
    const { model, bars, text } = show();
    model.set("_codes", codesOf(outlier.subarray(0, 16)));
    expect(bars()).toHaveLength(16);
    for (const [name, wrong] of [["_codes", "7f800000".repeat(16)], ["_codes", "00"], ["format", "mxfp5"], ["format", "nvfp4"], ["scale_rule", "__proto__"], ["scale_rule", "TE"], ["hadamard", 1]] as const) {
      const before = model.get(name);
      model.set(name, wrong);
      expect(text(".mw > .mw-error")).toContain("cannot be shown");
      expect(bars()).toHaveLength(16);
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
  const state = { format: "nvfp4", scale_rule: "TORCHAO", hadamard: true, _codes: codesOf(ramp).toUpperCase() };
  expect(labWidget.accept(state)).toEqual({ ...state, _codes: codesOf(ramp) });
  expect(labWidget.accept({ ...state, format: "nvfp4_16x16", hadamard: false, _codes: codesOf(weights) })).not.toBeNull();
  for (const wrong of [{ format: "fp4" }, { format: "mxfp4" }, { format: "nvfp4_16x16" }, { scale_rule: "floor" }, { scale_rule: "FLOOR" }, { hadamard: "true" }, { _codes: "zz".repeat(64) }, { _codes: "" }, { _codes: "3f800000".repeat(64) }, { _codes: "7fc00000".repeat(32) }]) {
    expect(labWidget.accept({ ...state, ...wrong } as never)).toBeNull();
  }
});

describe("the axis", () => {
  const rows = [[...ramp], [...outlier], [1e-40, 0], [3e38, 1, 1], [0, 0], [1, 2, 3], [-5, -0.1]];

  test("fits the numbers, has 0 on it, and goes there and back", () => {
    for (const numbers of rows) {
      const { place, reach, value, top, bottom } = axisFor(numbers);
      const [high, low] = [Math.max(...numbers, 0), Math.min(...numbers, 0)];
      if (high > -low) expect(place(high)).toBeCloseTo(1, 10);
      if (high < -low) expect(place(low)).toBeCloseTo(0, 10);
      expect(top).toBeGreaterThan(0);
      expect(bottom).toBeLessThan(0);
      for (const at of [0, 0.1, 0.37, 0.8, 1, 1.3]) {
        if (Math.abs(value(at)) < 1e38 && Math.abs(value(at)) > 1e-37) expect(reach(value(at))).toBeCloseTo(at, 2);
      }
      expect([value(0), value(1), value(9)].every(Number.isFinite)).toBe(true);
    }
  });

  test("is linear, or says from where it is not", () => {
    expect(axisFor([...ramp]).bend).toBeNull();
    const { bend, place } = axisFor([...outlier]);
    const step = (x: number) => place(x + bend! / 8) - place(x);
    expect(step(0)).toBeCloseTo(step(bend! / 2), 10);
    expect(step(2 * bend!)).toBeLessThan(0.9 * step(0));
  });

  test("its lines are at what can be stored, and labels do not touch", () => {
    const { values } = getBlockFormat("mxfp4")!.element;
    const axis = axisFor([-6, 3, 0.5]);
    expect([...linesOf(axis, values).lines].sort((a, b) => a - b)).toEqual([-6, -4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3]);
    expect(linesOf(axis, values).isAll).toBe(true);
    for (const numbers of rows) {
      const axis = axisFor(numbers);
      for (const format of ["mxfp8_e4m3", "mxint8", "nf4", "mxfp4"]) {
        for (const unit of [1, axis.top / 6, axis.top]) {
          const stored = getBlockFormat(format)!.element.values.map((value) => value * unit);
          const { lines, labels } = linesOf(axis, stored);
          expect(lines.every((line) => stored.includes(line))).toBe(true);
          expect(labels.every((label) => lines.includes(label))).toBe(true);
          const places = labels.map(axis.place).sort((a, b) => a - b);
          expect(Math.min(1, ...places.slice(1).map((place, i) => place - places[i]!))).toBeGreaterThan(13 / 132); // pixels of a label, and of the plot
        }
      }
    }
    expect(linesOf(axisFor([-6, 3, 0.5]), getBlockFormat("mxfp8_e4m3")!.element.values).isAll).toBe(false);
  });
});

function said(format: string, scale_rule: ScaleRule, values: Float32Array, index: number): string {
  const lab = readLab({ format, scale_rule, hadamard: false, _codes: codesOf(values) })!;
  const now = outcome(lab);
  return blockSentences({ lab, outcome: now }, now.blocks[index]!);
}

test("the words for shares never hide a few", () => {
  expect([0, 1e-9, 0.05, 0.5, 0.9999, 1].map(percent)).toEqual(["0 %", "<0.1 %", "5.0 %", "50.0 %", "100 %", "100 %"]);
  expect(said("mxfp4", "FLOOR", new Float32Array(16).with(2, 1), 0)).toBe(
    "1 (element 2) sets the scale of its block, 2⁻²: there is no other element that could be lost. Up to 0.0625 there is no code but 0.");
});

test("no element is said to set a scale at which it becomes 0 itself", () => {
  expect(said("mxfp4", "FLOOR", new Float32Array(32).fill(1e-42), 0)).toBe("All elements of this block become 0: they are too small for the smallest scale, 2⁻¹²⁷.");
  const apart = new Float32Array(32).fill(0.01).with(0, 1e5);
  expect(said("nvfp4", "TORCHAO", apart, 1)).toBe("All elements of this block become 0: they are too small for the smallest scale, 0.5813.");
  expect(said("nvfp4", "TE", apart, 1)).toBe("All elements of this block become 0: its scale itself rounds to 0.");
});

test("−0 keeps its sign, typed or given", () => {
  const { model, el, text, unfold } = show({ _codes: codesOf(ramp.with(2, -0)) });
  unfold();
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
