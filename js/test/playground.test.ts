// @vitest-environment jsdom
// The playground in a page without a kernel: what it reads, what it sends; and its parts without a page.

import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { signal } from "@preact/signals-core";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { formats } from "#core/formats/catalogue.ts";
import { encode } from "#core/formats/encode.ts";
import { compare } from "#core/formats/rational.ts";
import { classify, exactOf } from "#core/formats/decode.ts";
import { summaryOf } from "#core/gradients/summary.ts";
import playground from "#mixwidgets/teaching/widgets/playground/page.ts";
import { frameLoop, later } from "#mixwidgets/teaching/widgets/playground/loop.ts";
import { History, MOST_ROWS, startSession } from "#mixwidgets/teaching/widgets/playground/session.ts";
import { choiceOf, settingsOf, stories, TRAITS, usual } from "#mixwidgets/teaching/widgets/playground/state.ts";
import { stateValue } from "#mixwidgets/teaching/widgets/settings.ts";
import { viewOf } from "#ui/view.ts";
import { readFrame, rowsOf, writeFrame } from "#core/frame.ts";
import { fakeModel } from "./fake_model.ts";

const rows = new Uint8Array(inflateSync(readFileSync("mixwidgets/runs/task/digit_rows.bin")));

function show(changes: Record<string, unknown> = {}) {
  const model = fakeModel({ ...usual, ...changes, _digits: new DataView(rows.buffer, rows.byteOffset, rows.byteLength), _history: writeFrame({}) });
  const el = document.createElement("div");
  document.body.append(el);
  const cleanup = playground.render({ model, el } as never);
  const press = (text: string) => [...el.querySelectorAll("button")].find((one) => (one.getAttribute("aria-label") ?? one.textContent) === text)!.click();
  const text = (selector: string) => el.querySelector(selector)!.textContent;
  return { model, el, cleanup, press, text };
}

beforeEach(() => {
  document.body.replaceChildren();
  vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
  HTMLCanvasElement.prototype.getContext = (() => null) as never;
});

describe("the page", () => {
  test("a step is told to the kernel as a row of the history", () => {
    const { model, press, text } = show();
    press("One step");
    press("One step");
    const history = () => readFrame(model.get("_history") as DataView).arrays.get("rows")!;
    const { values, shape } = history();
    expect([shape, values[0], values[5], values[3], values[4]]).toEqual([[2, 5], 1, 2, 1, 0]);
    expect(text(".mw-play-count")).toBe("step 2 of 1,000");
    press("Restart");
    expect(history().shape).toEqual([0, 5]);
  });

  test("the axis of the loss scale names the scale of the next step, also before the first", () => {
    const fillText = vi.fn();
    const pen = { canvas: document.body, fillText, setTransform() {}, clearRect() {}, beginPath() {}, moveTo() {}, lineTo() {}, stroke() {}, fill() {} };
    const named = () => fillText.mock.calls.map(([words]) => words).filter((words) => words.startsWith("S = ")).at(-1);
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement) { return this.className === "mw-play-path" ? pen : null; } as never;
    vi.spyOn(HTMLCanvasElement.prototype, "clientWidth", "get").mockReturnValue(400);
    const { model } = show({ loss_scale: "static", log2_loss_scale: 20 });
    expect(named()).toBe("S = 2²⁰");
    model.receive({ log2_loss_scale: 8 });
    expect(named()).toBe("S = 2⁸");
    vi.restoreAllMocks();
  });

  test("settings that cannot be trained with leave the last ones, and say so", () => {
    const { model, el, press, text } = show();
    press("One step");
    model.receive({ learning_rate: NaN });
    return Promise.resolve().then(() => {
      expect(plain(text(".mw-error"))).toContain("learning_rate takes a number from 0 to 3.4028234663852886e+38; got NaN. The former settings stay.");
      press("One step");
      expect(text(".mw-play-count")).toBe("step 2 of 1,000");
      expect(el.querySelector(".mw-play-verdict")!.textContent).not.toContain("diverges");
    });
  });

  test("undo takes back one change at a time", () => {
    const { model, el, press } = show();
    const master = el.querySelector<HTMLInputElement>("input[type=checkbox]")!;
    master.click();
    el.querySelector<HTMLInputElement>("input[value=dynamic]")!.click();
    expect([model.get("master_weights"), model.get("loss_scale")]).toEqual([false, "dynamic"]);
    press("Undo");
    expect([model.get("master_weights"), model.get("loss_scale")]).toEqual([false, "none"]);
    press("Undo");
    expect(model.get("master_weights")).toBe(true);
  });

  test("undo takes back a flipped bit, in the same run only", () => {
    const { el, press } = show();
    el.querySelectorAll("details").forEach((one) => {
      one.open = true;
      one.dispatchEvent(new Event("toggle"));
    });
    const key = (target: Element, key: string) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    key(el.querySelector(".mw-play-surface")!, "Enter");
    const bits = () => [...el.querySelectorAll(".mw-bits [role=switch]")].map((bit) => bit.getAttribute("aria-checked")).join(" ");
    const flip = () => el.querySelectorAll<HTMLElement>(".mw-bits [role=switch]")[3]!.click();
    const first = bits();
    flip();
    expect(bits()).not.toBe(first);
    press("Undo");
    expect(bits()).toBe(first);
    flip();
    press("Restart");
    expect(bits()).toBe(first);
    press("One step");
    const trained = bits();
    press("Undo");
    expect(bits()).toBe(trained);
    expect(el.querySelector("[aria-label=Undo]")!.getAttribute("aria-disabled")).toBe("true");
  });

  test("the grip stands at the scale in force: at 1 without a loss scale, and the first move makes it static", () => {
    const { model, el } = show({ loss_scale: "none", log2_loss_scale: 16 });
    const grip = el.querySelector<HTMLElement>("[role=slider]")!;
    const press = (key: string) => grip.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const shown = () => [grip.getAttribute("aria-valuenow"), grip.getAttribute("aria-valuetext"), model.get("loss_scale"), grip.closest("[hidden]") !== null];
    expect(shown()).toEqual(["0", "2^0 = 1", "none", false]);
    press("ArrowRight");
    expect(shown()).toEqual(["1", "2^1 = 2", "static", false]);
    for (const key of ["End", "ArrowRight"]) press(key);
    expect(shown()[0]).toBe("40");
    press("PageDown");
    expect(shown()[0]).toBe("36");
    press("Home");
    expect(shown()[0]).toBe("-24");
    model.receive({ loss_scale: "none" });
    expect(shown()).toEqual(["0", "2^0 = 1", "none", false]);
    model.receive({ loss_scale: "dynamic", log2_loss_scale: 16 });
    expect(shown()).toEqual(["16", "2^16 = 65536", "dynamic", true]);
  });

  test("a static scale that follows a dynamic one stays at its last value", () => {
    const { model, el, press } = show({ loss_scale: "dynamic", log2_loss_scale: 8, growth_interval: 1 });
    for (let i = 0; i < 3; i++) press("One step");
    el.querySelector<HTMLInputElement>("input[value=static]")!.click();
    expect([model.get("loss_scale"), model.get("log2_loss_scale")]).toEqual(["static", 11]);
  });

  test("a preset is the state that it names, whatever was trained before", () => {
    const [used, fresh] = [show({ task: "digits", layers: [32] }), show()];
    const preset = { weight_format: "bfloat16", activation_format: "bfloat16", master_weights: false, task: "circle", layers: [8] };
    used.press("One step");
    used.model.address(preset);
    used.press("One step");
    used.model.address({ ...preset, weight_rounding: "stochastic" }); // one trait differs
    fresh.model.address({ ...preset, weight_rounding: "stochastic" });
    const bits = ({ el, press, model }: typeof used) => {
      for (let i = 0; i < 5; i++) press("One step");
      expect(el.querySelector(".mw-play-count")!.textContent).toBe("step 5 of 1,000");
      return readFrame(model.get("_history") as DataView).arrays.get("rows")!.values;
    };
    expect(bits(used)).toEqual(bits(fresh));
  });

  test("a task brings the steps that it needs", () => {
    const { model, el } = show({ ...usual, ...stories.loss_scale });
    el.querySelector<HTMLInputElement>("input[value=spiral]")!.click();
    expect([model.get("task"), model.get("layers"), model.get("steps")]).toEqual(["spiral", [8, 8], 5000]);
    const { reference } = startSession(settingsOf(choiceOf((name) => model.get(name))), rows);
    for (let i = 0; i < 5000; i++) reference.step();
    expect(reference.evaluate(reference.data.test).accuracy).toBeGreaterThan(0.9);
  });

  test("a removed view listens no more", () => {
    const { model, el, cleanup } = show();
    cleanup();
    expect([model.listening(), el.children.length]).toEqual([0, 0]);
  });
});

/** The counts over the ruler, by class. */
const classes = (el: HTMLElement) => Object.fromEntries([...el.querySelectorAll<HTMLElement>(".mw-play-class")].filter(({ hidden }) => !hidden).map((one) => {
  const { textContent: count } = one.querySelector(".mw-play-share")!;
  return [one.textContent.slice(0, -count.length), Number(count)];
}));

const plain = (text: unknown) => String(text).replace(/[\u2066-\u2069]/g, ""); // without marks of direction

describe("settings", () => {
  test("a state from an address, in the traits' own form", () => {
    const state = Object.fromEntries(TRAITS.map((name) => [name, stateValue(name, usual[name])])) as never;
    expect(playground.accept(state)).toEqual(usual);
    for (const [text, value] of [["2^-24", 2 ** -24], ["1/3", 1 / 3], ["0x1p-24", 2 ** -24], ["1_000", 1000], ["1e-8", 1e-8]] as const) {
      expect(playground.accept({ ...(state as object), learning_rate: text } as never)).toEqual({ ...usual, learning_rate: value });
    }
  });

  test.each([
    [{ layers: "8--8" }, "layers takes at most 3 hidden layers of 1 to 32 units, such as 8-8; got 8--8"],
    [{ layers: "129" }, "layers takes at most 3 hidden layers of 1 to 32 units, such as 8-8; got 129"],
    [{ layers: "1-1-1-1" }, "layers takes at most 3 hidden layers of 1 to 32 units, such as 8-8; got 1-1-1-1"],
    [{ eps: "nan" }, "eps takes a number from 0 to 3.4028234663852886e+38; got nan"],
    [{ eps: "0x7C00" }, "eps takes a number from 0 to 3.4028234663852886e+38; got 0x7C00"],
    [{ seed: -1 }, "seed takes a whole number from 0 to 4294967295; got -1"],
    [{ steps: 100_001 }, "steps takes a whole number from 1 to 100000; got 100001"],
    [{ batch_size: 256 }, "batch_size takes a whole number from 1 to 64; got 256"],
    [{ growth_interval: 0, loss_scale: "dynamic" }, "growth_interval takes a whole number from 1 to 1000000000; got 0"],
    [{ weight_format: "__proto__" }, "weight_format takes a format with a sign, a zero and at most 32 bits, such as bfloat16 or custom_e5m7; got __proto__"],
    [{ gradient_format: "float64" }, "gradient_format takes a format with a sign, a zero and at most 32 bits, such as bfloat16 or custom_e5m7; got float64"],
    [{ story: "toString" }, "story takes one of loss_scale, "],
    [{ task: "constructor" }, "task takes one of circle, xor, gaussians, spiral, digits; got constructor"],
    [{ loss_scale: "big" }, "loss_scale takes one of none, static, dynamic; got big"],
    [{ master_weights: "true" }, "master_weights takes one of true, false; got true"],
    [{ log2_loss_scale: 41 }, "log2_loss_scale takes a whole number from -24 to 40; got 41"],
  ])("%j is refused with what is accepted", (wrong, why) => {
    const state = Object.fromEntries(TRAITS.map((name) => [name, stateValue(name, usual[name])]));
    expect(plain(playground.accept({ ...state, ...wrong } as never))).toContain(why);
  });
});

test.each([
  [17, 2, 0, 400], [17, 2, 4, 200], [17, 32, 0, 50],
  [1000, 2, 0, 400], [1000, 50, 300, 100], // a slow renderer
])("8 ms of 17 are the engine's and the drawing's, on average: frames after %i ms, steps of %i ms, drawings of %i ms", (gap, length, drawing, expected) => {
  let [now, steps] = [0, 0];
  let frame: FrameRequestCallback = () => {};
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.stubGlobal("requestAnimationFrame", (next: FrameRequestCallback) => ((frame = next), 1));
  vi.stubGlobal("cancelAnimationFrame", () => {});
  const view = { effect: (run: () => unknown) => void run(), onClose: () => {} };
  const step = () => {
    steps++;
    now += length;
  };
  frameLoop(view as never, document.createElement("div"), document.createElement("div"), signal(true), signal(100_000), step, () => void (now += drawing));
  for (let i = 0; i < 100; i++) frame((now += gap));
  clock.mockRestore();
  expect(Math.abs(steps - expected)).toBeLessThanOrEqual(0.05 * expected);
});

test("what is drawn later follows some frames behind, once for all that has changed", () => {
  const frames: FrameRequestCallback[] = [];
  vi.stubGlobal("requestAnimationFrame", (next: FrameRequestCallback) => frames.push(next));
  vi.stubGlobal("cancelAnimationFrame", () => frames.splice(0));
  const view = viewOf(fakeModel({}) as never);
  const look = signal(0);
  const late = later(view, look, 2);
  const seen: number[] = [];
  view.effect(() => void seen.push(late.value));
  look.value = 1;
  look.value = 2;
  expect(frames.length).toBe(1);
  frames.shift()!(0);
  look.value = 3;
  expect(seen).toEqual([0]);
  frames.shift()!(0);
  expect(seen).toEqual([0, 3]);
  expect(frames.length).toBe(0); // it rests
  look.value = 4;
  view.close();
  expect(frames.length).toBe(0);
});

test("in float32 both networks are one, bit for bit", () => {
  const float32 = { weight_format: "float32", activation_format: "float32", gradient_format: "float32" };
  const { reference, chosen, step } = startSession(settingsOf({ ...usual, ...float32 })!, rows);
  for (let i = 0; i < 20; i++) step();
  expect(chosen.tensors.map(({ kept }) => [...kept])).toEqual(reference.tensors.map(({ kept }) => [...kept]));
});

describe("what the sentence says of a step", () => {

  test.each([["loss_scale", "float16", 12], ["fp8_gradients", "float8_e4m3fn", 3]])("%s: as many are too small as exact rounding finds, and as the ruler shows", (story, name, steps) => {
    const choice = { ...usual, ...stories[story] };
    const { reference: _, chosen, step } = startSession(settingsOf(choice)!, rows);
    const { el, press, text } = show(choice);
    for (let i = 0; i < steps; i++) [step, () => press("One step")].forEach((take) => take());
    const format = formats.find((one) => one.name === name)!;
    const isSmall = chosen.referenceGradients().map((values) => [...values].map((value) => encode(format, exactOf(Math.abs(value))) === 0n));
    const isZero = chosen.tensors.map(({ gradient }) => [...gradient].map((value) => value === 0));
    const small = isSmall.flat().filter(Boolean).length;
    const early = isZero.flat().filter((zero, i) => zero && !isSmall.flat()[i]).length;
    expect(early).toBeGreaterThan(0);
    expect(text(".mw-play-verdict")! + text(".mw-play-more")!).toMatch(new RegExp(
      small + early === 42 ? `all 42 gradients are lost, ${small} of them too small.*The other ${early} vanish` : `${small + early} of 42 gradients are lost.*${small} are too small for E4M3, ${early} vanish`));
    expect(classes(el)).toMatchObject({ flushed: small, "lost on the way back": early });
    expect(Object.values(classes(el)).reduce((sum, count) => sum + count, 0)).toBe(isZero.flat().length); // the classes add up
    const hollow = el.querySelector(".mw-play-ruler .mw-play-hollow")!.getAttribute("d")!;
    const binades = new Set(chosen.referenceGradients().flatMap((values, tensor) => [...values].flatMap((value, i) =>
      isZero[tensor]![i] && !isSmall[tensor]![i] ? [Math.floor(Math.log2(Math.abs(value)))] : [])));
    expect(hollow.match(/M/g)!.length).toBe(binades.size); // a bar where float32 finds them
  });

  test("hollow bars stand on those of the same binade, and the outline where gradients are without a scale", () => {
    const { el, press } = show({ ...usual, ...stories.fp8_gradients, loss_scale: "static", log2_loss_scale: 5 });
    for (let i = 0; i < 3; i++) press("One step");
    const paths = (selector: string) => [...el.querySelector(selector)!.getAttribute("d")!.matchAll(/M([\d.]+) ([\d.]+)V([\d.]+)/g)].map((one) => one.slice(1).map(Number));
    const [outline, hollow] = [paths(".mw-play-outline"), paths(".mw-play-ruler .mw-play-hollow")];
    expect(Math.min(...outline.map(([, bottom]) => bottom!))).toBe(90);
    expect(hollow.some(([, bottom]) => bottom! < 90)).toBe(true);
    expect(hollow.every(([, bottom, top]) => top! < bottom! && top! > 26)).toBe(true);
    expect(el.querySelector(".mw-play-arrow")!.getAttribute("d")).toMatch(/^M/);
    press("Restart");
    expect([paths(".mw-play-outline"), paths(".mw-play-ruler .mw-play-hollow")]).toEqual([[], []]);
  });

  test("after a change there is nothing to say before a step", () => {
    const { model, press, text } = show({ gradient_format: "float8_e4m3fn" });
    press("One step");
    const before = text(".mw-play-verdict");
    model.receive({ gradient_format: "float8_e5m2" });
    expect(text(".mw-play-verdict")).toContain("The settings have changed");
    press("One step");
    expect(text(".mw-play-verdict")).not.toBe(before);
    expect(text(".mw-play-verdict")).toContain("Step 2:");
  });
});

test("a history is bounded, and its rows are means of all steps", () => {
  const history = new History();
  const steps = 3 * MOST_ROWS;
  for (let step = 1; step <= steps; step++) history.add({ step, reference: step, loss: 2 * step, lossScale: 1, skipped: 1 });
  expect(history.rows.length).toBeLessThan(MOST_ROWS);
  expect(history.stride).toBe(4);
  expect(history.rows[0]).toEqual({ step: 4, reference: 2.5, loss: 5, lossScale: 1, skipped: 4 });
  expect(history.rows.reduce((sum, { skipped }) => sum + skipped, 0)).toBe(steps);
  expect(rowsOf(readFrame(history.toFrame()).arrays.get("rows")!)).toEqual(history.rows.map(({ step, reference, loss, lossScale, skipped }) => [step, reference, loss, lossScale, skipped]));
});

describe("a summary of values", () => {
  const values = Float32Array.from([0, -0, NaN, Infinity, -Infinity, 2 ** -149, 2 ** -126, 3e38, -1, ...Array.from({ length: 4000 }, (_, i) => (i % 2 ? 1 : -1) * (1 + ((i * 7919) % 997) / 997) * 2 ** ((i % 90) - 60))]);
  const held = formats.filter(({ bits, signed, hasZero }) => signed && hasZero && bits <= 32);

  test.each(held.map((format) => [format.name, format] as const))("has the classes of %s", (_, format) => {
    const summary = summaryOf(values, format);
    expect([summary.zero, summary.inf, summary.nan, summary.count]).toEqual([2, 2, 1, values.length]);
    for (const log2 of [-3, 0, 9]) {
      const expected = [0, 0, 0, 0];
      for (const value of values) {
        if (value === 0 || !Number.isFinite(value)) continue;
        const exact = exactOf(Math.abs(value) * 2 ** log2);
        const beside = compare(exact.magnitude, format.overflowThreshold);
        const isOver = beside > 0 || (beside === 0 && !format.overflowTieStays);
        const kind = isOver ? 3 : { zero: 0, subnormal: 1, normal: 2, infinity: 3, nan: 3 }[classify(format, encode(format, exact))];
        expected[kind]!++;
      }
      expect([...summary.counts(format, log2).finite], `2^${log2}`).toEqual(expected);
    }
  });
});
