// @vitest-environment jsdom
// What first_difference found, as its page shows it.

import { beforeEach, describe, expect, test, vi } from "vitest";
import { axisOf } from "#mixwidgets/diagnosis/widgets/difference/rows.ts";
import difference from "#mixwidgets/diagnosis/widgets/difference/page.ts";
import vectors from "../../tests/vectors/gradients.json";
import { writeFrame } from "#core/frame.ts";
import { fakeModel } from "./fake_model.ts";
import { float64, packed } from "./frames.ts";

const bytesOf = (name: string) => Buffer.from(vectors.cases.find((one) => one.name === name)!.bytes, "hex");
const row = (module: string, direction: string, verdict: "ok" | "off" | "raised" | "unknown" = "ok", call = 0, ...tensors: string[]) =>
  ({ module, kind: "Linear", call, direction, costs: null as number | null, tensors: verdict === "raised" ? [] : ["output", ...tensors].slice(-Math.max(1, tensors.length)), verdict, reason: verdict === "ok" ? "" : `why ${module}` });

const ROWS = [row("a", "forward"), row("<b>", "forward", "off"), row("b", "forward", "ok", 1), row("loss", "forward"),
  row("b", "backward", "ok", 1, "gradient of weight"), row("a", "backward", "off", 0, "gradient of input", "gradient of output 2"), row("step", "backward", "raised")];
const ERRORS = [[1e-4, 2e-4], [Infinity, 3e-4], [0, 0], [1e-3, 1e-3], [1e-3, 1e-3], [0.5, 1e-3], [0.25, 1e-3]]; // of each tensor

const TENSORS = { ok: "spread float32", off: "edges float32" };

function show(rows = ROWS, costliest = "", all = ERRORS) {
  const summaries = rows.flatMap(({ verdict, tensors }) => tensors.flatMap((_, i) => [verdict === "off" && i === 0 ? TENSORS.off : TENSORS.ok, TENSORS.ok]));
  const model = fakeModel({
    _rows: rows, _tensors: writeFrame({ errors: float64(rows.flatMap(({ tensors }) => tensors).map((_, i) => all[i % all.length]!)), ...packed(summaries.map(bytesOf)) }),
    _format: "float16", _loss_scale: 1024, _costliest: costliest,
  });
  const el = document.body.appendChild(document.createElement("div"));
  const cleanup = difference.render({ model, el } as never);
  const cells = () => [...el.querySelectorAll<HTMLButtonElement>(".mw-difference-cell")];
  const current = () => cells().filter((one) => one.hasAttribute("aria-current")).map((one) => one.getAttribute("aria-label"));
  const press = (key: string) => document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const text = (selector: string) => el.querySelector(selector)!.textContent!;
  return { model, el, cleanup, cells, current, press, text };
}

beforeEach(() => {
  document.body.replaceChildren();
  vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
});

describe("the axis", () => {
  test("grows with the error, and keeps what is none and what is too large apart", () => {
    const { place, ticks } = axisOf(ERRORS.flat());
    expect([0, 1e-4, 2e-4, 1e-3, 0.5].map(place)).toEqual([0, 1e-4, 2e-4, 1e-3, 0.5].map(place).sort((a, b) => a - b));
    expect([place(0), place(1e-4), place(1), place(Infinity), place(NaN)]).toEqual([0, 12, 80, 96, 96]);
    expect(place(1e-3) - place(1e-4)).toBeCloseTo(place(1e-2) - place(1e-3));
    expect(ticks).toEqual([-4, -2, 0]);
  });

  test("of errors that are all none, infinite or far apart", () => {
    for (const errors of [[], [0, 0], [Infinity, NaN], [1e-40, 1e30]]) {
      const { place, ticks } = axisOf(errors);
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThan(6);
      for (const tick of ticks) expect(place(10 ** tick)).toBeGreaterThanOrEqual(12);
    }
  });
});

describe("the list", () => {
  test("has a line for each call in the order of execution, backward before forward", () => {
    const { el, cells, text } = show();
    expect([...el.querySelectorAll("li .mw-difference-name")].map((one) => one.textContent)).toEqual(["a", "<b>", "b, call 2", "loss", "step"]);
    expect(cells().map((one) => one.getAttribute("aria-label"))).toEqual([
      "a, backward: gradient of input, relative error 0.5, rounding explains 0.001, off",
      "a, forward: output, relative error 0.0001, rounding explains 0.0002, explained by rounding",
      "<b>, forward: output, relative error ∞, rounding explains 0.0003, off",
      "b, call 2, backward: gradient of weight, relative error 0.001, rounding explains 0.001, explained by rounding",
      "b, call 2, forward: output, relative error 0, rounding explains 0, explained by rounding",
      "loss, forward: output, relative error 0.001, rounding explains 0.001, explained by rounding",
      "step, backward: raises an exception",
    ]);
    expect(text(".mw-callout")).toBe("<b> is off first, in the forward pass.why <b>Rounding explains 4 of 7 errors, forward and backward counted apart.");
  });

  test("draws forward to the right and backward to the left", () => {
    const { cells } = show();
    const at = (cell: number, kind: string) => cells()[cell]!.querySelector(`.mw-difference-${kind}`)!.parentElement!.getAttribute("x");
    expect([at(1, "ok"), at(2, "off"), at(4, "ok"), at(6, "raised")]).toEqual(["12.00%", "96.00%", "0.00%", "4.00%"]);
    expect([...document.querySelectorAll(".mw-difference-head text")].map((one) => one.textContent)).toEqual(["10⁻⁴", "10⁻²", "10⁰", "∞", "10⁻⁴", "10⁻²", "10⁰", "∞"]);
    expect(parseFloat(at(0, "off")!)).toBeLessThan(parseFloat(at(0, "explained")!));
  });

  test("is one stop for the Tab key; the arrow keys choose, past halves that are missing", () => {
    const { cells, current, press, text } = show();
    const stops = () => cells().filter((one) => one.tabIndex === 0);
    expect(stops()).toEqual([cells()[2]]); // the first that is off
    expect(current()).toEqual([cells()[2]!.getAttribute("aria-label")]);
    stops()[0]!.focus();
    press("ArrowLeft"); // it has no backward
    expect(document.activeElement).toBe(cells()[2]);
    press("ArrowDown");
    press("ArrowLeft");
    expect(stops()).toEqual([cells()[3]]);
    expect(text(".mw-difference-tensor h4")).toBe("b, call 2 (Linear) · backward · gradient of weight");
    press("ArrowUp");
    expect(document.activeElement).toBe(cells()[0]);
    expect(current()).toEqual([cells()[0]!.getAttribute("aria-label")]);
    press("ArrowDown");
    press("ArrowDown");
    expect(text(".mw-difference-tensor h4")).toBe("step (Linear) · backward");
  });
});

test("says that the first one raises an exception, where it does", () => {
  expect(show([row("a", "forward"), row("step", "backward", "raised")]).text(".mw-callout")).toBe("step is off first: it raises an exception in the backward pass.why stepRounding explains 1 of 2 errors, forward and backward counted apart.");
});

test("the stage has the lines that are off, and those next to the first of them", () => {
  const rows = (off: number[]) => Array.from({ length: 9 }, (_, i) => row(String(i), "forward", off.includes(i) ? "off" : "ok"));
  const staged = (off: number[]) => {
    const { el } = show(rows(off));
    return [[...el.querySelectorAll("[data-staged] .mw-difference-name")].map((one) => one.textContent), el.querySelector(".mw-difference-others")!.textContent];
  };
  expect(staged([4])).toEqual([["3", "4", "5", "2"].sort(), "further modules: 5"]);
  expect(staged([2, 8])).toEqual([["1", "2", "3", "8"], "further modules: 5"]);
  expect(staged([])[0]).toContain("1"); // it has the largest error
});

test("the chosen tensor's values stand on the ruler, and why it is off beside them", () => {
  const { el, cells, text } = show();
  const bars = () => [...el.querySelectorAll(".mw-histogram")].map((plot) => [...plot.querySelectorAll(".mw-binade")].map((one) => one.getAttribute("d")).join());
  expect(text(".mw-difference-tensor [aria-live]")).toBe("relative error ∞, rounding explains 0.0003"); // the reason stands above
  expect(bars()[0]).not.toEqual(bars()[1]);
  const notes = () => [...el.querySelectorAll(".mw-difference-tensor .mw-note")].map((one) => one.textContent);
  expect(notes()).toEqual([expect.stringMatching(/^In the reference, float32: [\d,]+ in all$/), expect.stringMatching(/^In the recipe, float16: [\d,]+ in all, \d+ zero, \d+ infinite$/)]);
  expect(el.querySelector(".mw-histogram")!.getAttribute("aria-label")).toMatch(/flushed to zero.*overflow/);
  cells()[0]!.click();
  expect(text(".mw-difference-tensor [aria-live]")).toBe("relative error 0.5, rounding explains 0.001; shown times the loss scale, 2¹⁰why a");
  cells()[1]!.click();
  expect(bars()[0]).toEqual(bars()[1]);
  expect(el.querySelector(".mw-histogram")!.closest("[hidden]")).toBeNull();
  cells()[6]!.click();
  expect(el.querySelector(".mw-histogram")!.closest("[hidden]")).not.toBeNull();
});

test("each tensor of a row can be chosen, the worst first; another row begins with its worst again", () => {
  const { el, cells, text } = show();
  const menu = el.querySelector<HTMLSelectElement>(".mw-difference-tensor select")!;
  const bars = () => [...el.querySelectorAll(".mw-histogram")].map((plot) => [...plot.querySelectorAll(".mw-binade")].map((one) => one.getAttribute("d")).join());
  expect(menu.closest("[hidden]")).not.toBeNull(); // an output alone
  cells()[0]!.click();
  expect(menu.closest("[hidden]")).toBeNull();
  expect([...menu.options].map((one) => one.textContent)).toEqual(["gradient of input (0.5)", "gradient of output 2 (0.25)"]);
  expect(bars()[0]).not.toEqual(bars()[1]);
  menu.selectedIndex = 1;
  menu.dispatchEvent(new Event("change"));
  expect(text(".mw-difference-tensor h4")).toBe("a (Linear) · backward · gradient of output 2");
  expect(text(".mw-difference-tensor [aria-live]")).toContain("relative error 0.25");
  expect(bars()[0]).toEqual(bars()[1]);
  cells()[1]!.click();
  cells()[0]!.click();
  expect(text(".mw-difference-tensor h4")).toBe("a (Linear) · backward · gradient of input");
  expect(menu.selectedIndex).toBe(0);
});

test("where nothing is off it says so, and shows the first row", () => {
  const { text, current, cells } = show(ROWS.map((one) => ({ ...one, verdict: "ok" as const, reason: "" })));
  expect(text(".mw-callout")).toBe("No module is off: rounding explains the errors of all modules (5), forward and backward.The largest error is that of <b>, forward: relative error ∞, rounding explains 0.0003.");
  expect(current()).toEqual([cells()[1]!.getAttribute("aria-label")]);
});

describe("where it is not known what rounding explains", () => {
  const unknown = ERRORS.map(([error]) => [error!, NaN]);
  const rows = ROWS.map((one) => ({ ...one, verdict: one.verdict === "ok" ? "unknown" as const : one.verdict }));

  test("nothing that differs is told as explained", () => {
    const { el, cells, text } = show(rows.map((one) => ({ ...one, verdict: "unknown" as const, reason: "" })), "", [[1e-4, NaN], [1e-3, NaN]]);
    expect(text(".mw-callout")).toBe("Nothing is infinite or NaN. What rounding explains is not known, since the step was recorded without a reference.The largest error is that of <b>, forward: relative error 0.001.");
    expect(cells()[1]!.getAttribute("aria-label")).toBe("a, forward: output, relative error 0.0001, not known whether rounding explains it");
    expect(el.querySelectorAll(".mw-difference-cell .mw-difference-unknown").length).toBe(rows.length);
    expect(el.querySelector(".mw-difference-cell .mw-difference-ok, .mw-difference-cell .mw-difference-explained")).toBeNull();
    expect(text(".mw-difference-key")).toContain("not known whether rounding explains it");
  });

  test("what is infinite is off, and first", () => {
    const { text, current } = show(rows, "", unknown);
    expect(text(".mw-callout")).toBe("<b> is off first, in the forward pass.why <b>Each error includes those of the modules before it, since the step was recorded without a reference.");
    expect(current()).toEqual(["<b>, forward: output, relative error ∞, off"]);
  });
});

test("a removed view leaves nothing", () => {
  const { model, el, cleanup } = show();
  cleanup();
  expect([model.listening(), el.children.length]).toEqual([0, 0]);
});

test("marks where rounding alone costs much", () => {
  const { cells, text, cleanup } = show(ROWS.map((one, i) => (i === 0 ? { ...one, costs: 0.33 } : one)), "rounding alone costs 33 % in 'a'");
  expect(document.querySelectorAll(".mw-difference-line .mw-difference-costs").length).toBe(1);
  expect(cells()[1]!.getAttribute("aria-label")).toContain("rounding alone costs 0.33");
  expect(text(".mw-callout")).toContain("rounding alone costs 33 % in 'a'");
  expect(text(".mw-difference-key")).toContain("more than 1 % here");
  cleanup();
});
