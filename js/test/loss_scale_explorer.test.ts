// @vitest-environment jsdom
// The explorer in a page without a kernel: what it shows, and what it sends.

import { crc32 } from "node:zlib";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { writeFrame } from "#core/frame.ts";
import { summaryFromBytes } from "#core/gradients/serialization.ts";
import { getFormat } from "#core/formats/catalogue.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { choices } from "#mixwidgets/floats/widgets/loss_scale_explorer/state.ts";
import { nearestFormat } from "#mixwidgets/floats/widgets/loss_scale_explorer/edges.ts";
import { domain } from "#ui/ruler/geometry.ts";
import explorer from "#mixwidgets/floats/widgets/loss_scale_explorer/page.ts";
import { powerOfTwo, share, spokenScale } from "#ui/ruler/words.ts";
import vectors from "../../tests/vectors/gradients.json";
import { fakeModel } from "./fake_model.ts";
import { float32, float64, packed } from "./frames.ts";

const caseOf = (name: string) => vectors.cases.find((one) => one.name === name)!;
const RECORD = {
  format: "nvfp4", blocks_along: "axis 1", flushed: 5, clipped: 0, relative_error: 0.1234,
  block_range_p50: 5.4, block_range_p95: 8, block_range_max: 9.75, block_amax_min: 0.5, block_amax_p50: 1, block_amax_max: 64,
};
/** A vector's bytes; "… (old)": as they were before samples were kept; "… (blocks)": with RECORD. */
const bytesOf = (name: string): Buffer => {
  if (name.endsWith(" (blocks)")) {
    const old = bytesOf(name.replace(" (blocks)", "")).subarray(0, -4);
    const body = Buffer.concat([old, Buffer.from(JSON.stringify([RECORD]))]);
    return Buffer.concat([body, Buffer.from(Uint32Array.of(crc32(body)).buffer)]);
  }
  const found = caseOf(name.replace(" (old)", ""));
  return Buffer.from(name.endsWith(" (old)") ? found.version_1 : found.bytes, "hex");
};
/** A snapshot, of which `snapshots` makes a frame as mixwidgets/floats/widgets/snapshot_feed.py states it. */
const snapshot = (step: number, tensors: Record<string, string>, { lossScale = NaN, loss = NaN, outputs = {} as Record<string, string> } = {}) => ({ row: [step, lossScale, loss], tensors, outputs });

const snapshots = (...some: ReturnType<typeof snapshot>[]) => writeFrame(
  { snapshots: float64(some.map(({ row }) => row), 3), ...packed(some.flatMap(({ tensors, outputs }) => [...Object.values(tensors), ...Object.values(outputs)].map(bytesOf))) },
  { names: some.map(({ tensors }) => Object.keys(tensors)), outputs: some.map(({ outputs }) => Object.keys(outputs)) });
const still = (tensors: Record<string, string>) => snapshots(snapshot(0, tensors));
const losses = (...points: number[][]) => writeFrame({ loss: float32(points) });
const THREE = { spread: "spread float32", zeros: "zeros", "<img src=x onerror=alert(1)>": "edges float32" };

const explored = (changes: Record<string, unknown> = {}) => fakeModel({
  format: "float16", log2_loss_scale: 0, step: 0, title: null,
  binade: null, kind: "weights", tensor: null, compare: ["bfloat16", "float8_e5m2"], _snapshots: still(THREE), _newest: 0, _seen: 1, _loss: losses(),
  _without_gradient: [],
  ...changes,
});

function show(changes: Record<string, unknown> = {}) {
  const model = explored(changes);
  const el = document.createElement("div");
  document.body.append(el);
  const cleanup = explorer.render({ model, el } as never);
  const one = <E extends Element>(selector: string) => el.querySelector<E>(selector)!;
  const slider = one<HTMLInputElement>("input[type=range]");
  const drag = (log2: number) => {
    slider.value = String(log2);
    slider.dispatchEvent(new Event("input"));
  };
  const release = () => slider.dispatchEvent(new Event("change"));
  const figures = () => [...el.querySelectorAll(".mw-figure-count")].map(({ textContent }) => Number(textContent!.replaceAll(",", "")));
  const names = () => [...el.querySelectorAll(".mw-tensor-name")].map(({ textContent }) => textContent);
  return { model, el, cleanup, one, slider, drag, release, figures, names };
}

beforeEach(() => {
  document.body.replaceChildren();
  globalThis.ResizeObserver = class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
});

/** The table of block formats, row by row; undefined if it is hidden. */
const blockRows = (el: HTMLElement) => {
  const table = el.querySelector("table[aria-label='Block formats']")!;
  const rows = [...table.querySelectorAll("tbody tr")].map((row) => [...row.children].map(({ textContent }) => textContent));
  return table.closest("section")!.hidden ? undefined : rows;
};

test("dy takes the place of the weights' gradients where it was recorded", () => {
  const chips = (el: HTMLElement) => el.querySelector<HTMLElement>("fieldset:has([value=outputs])")!;
  expect(chips(show().el).hidden).toBe(true);
  const _snapshots = snapshots(snapshot(3, THREE, { outputs: { layer: "spread float32", head: "zeros" } }));
  const { model, el, one, names } = show({ _snapshots, tensor: "spread" });
  expect(chips(el).hidden).toBe(false);
  expect(chips(el).textContent).toContain("dy, output gradients");
  expect(names()).toHaveLength(3);
  one<HTMLInputElement>("[value=outputs]").click();
  expect(model.saved.at(-1)).toMatchObject({ kind: "outputs", tensor: null });
  expect(names()).toEqual(["layer", "head"]);
  expect(one(".mw-subtitle").textContent).toMatch(/^float16 · [\d,]+ values of dy, 2 linear layers$/);
  expect(el.textContent).toContain("before it is rounded");
  one<HTMLInputElement>("[value=weights]").click();
  expect(names()).toHaveLength(3);
  expect(el.textContent).not.toContain("before it is rounded");
});

test("a snapshot without dy shows the weights' gradients, whatever was asked for", () => {
  const { one, names } = show({ kind: "outputs" });
  expect(names()).toHaveLength(3);
  expect(one(".mw-subtitle").textContent).toContain("gradients of 3 tensors");
});

test("what block formats lose, if it was recorded", () => {
  expect(blockRows(show().el)).toBeUndefined();
  const finite = summaryFromBytes(new DataView(Uint8Array.from(bytesOf("spread float32")).buffer)).finite;
  const one = blockRows(show({ _snapshots: still({ w: "spread float32 (blocks)" }) }).el);
  expect(one).toEqual([["nvfp4, along axis 1", share(5, finite), "0 %", "12 %", "5.4 … 9.8", "−1.0 … 6.0"]]);
  const two = show({ _snapshots: still({ w: "spread float32 (blocks)", v: "spread float32 (blocks)" }) });
  expect(blockRows(two.el)).toEqual([["nvfp4", share(10, 2 * finite), "0 %", "–", "–", "–"]]);
  two.model.set("tensor", "v");
  expect(blockRows(two.el)).toEqual(one);
  const partly = show({ _snapshots: still({ w: "spread float32 (blocks)", v: "spread float32" }) });
  expect(blockRows(partly.el)).toEqual([["nvfp4", "not known from a summary"]]);
});

/** What the three tensors amount to, each asked by itself. */
function expected(format: string, log2: number): number[] {
  const parts = ["spread float32", "zeros", "edges float32"].map((name) => {
    const bytes = Uint8Array.from(bytesOf(name));
    return summaryFromBytes(new DataView(bytes.buffer)).counts(getFormat(format)!, log2).finite;
  });
  return [0, 1, 2, 3].map((kind) => parts.reduce((sum, counts) => sum + counts[kind]!, 0));
}

describe("the slider", () => {
  test("draws every scale by itself and tells the kernel once, on release", () => {
    const { model, slider, drag, release, figures } = show();
    expect(figures()).toEqual(expected("float16", 0));
    for (const log2 of [-24, -3, 15, 40]) {
      drag(log2);
      expect(figures()).toEqual(expected("float16", log2));
    }
    expect(slider.getAttribute("aria-valuetext")).toBe("2^40 = 1099511627776");
    expect(model.saved).toEqual([]);
    release();
    release();
    expect(model.saved).toHaveLength(1);
    expect(model.get("log2_loss_scale")).toBe(40);
  });

  test("speaks only when it is let go", () => {
    const { one, drag, release } = show();
    const before = one(".mw > [aria-live]").textContent;
    drag(15);
    expect(one(".mw > [aria-live]").textContent).toBe(before);
    release();
    expect(one(".mw > [aria-live]").textContent).toMatch(/^2\^15 = 32768: .* flushed to zero/);
  });

  test("draws bars for every class that has gradients", () => {
    const { el, drag } = show();
    drag(-24);
    const bars = [...el.querySelectorAll(".mw-binade")].map((bar) => bar.getAttribute("d"));
    expected("float16", -24).forEach((count, kind) => expect(bars[kind] !== "").toBe(count > 0));
  });
});

describe("the scale curve", () => {
  const lostAt = (log2: number) => expected("float16", log2).reduce((sum, count, kind) => sum + (kind % 3 === 0 ? count : 0), 0);
  const scales = Array.from({ length: 65 }, (_, i) => i - 24);

  test("says where least is lost", () => {
    const least = Math.min(...scales.map(lostAt));
    const where = scales.filter((log2) => lostAt(log2) === least);
    const all = expected("float16", 0).reduce((sum, count) => sum + count, 0);
    const { one } = show();
    const said = one(".mw-plot-caption span").textContent!;
    const digits = (log2: number) => `2${String(log2).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]!)}`;
    for (const end of [where[0]!, where.at(-1)!]) expect(said).toContain(digits(end));
    if (least > 0) expect(said).toContain(share(least, all));
    expect(one(".mw-scale-curve-plot").getAttribute("aria-label")).toContain(said);
  });

  test("has a bar for each scale at which any is flushed, and for each at which any overflows", () => {
    const { el } = show();
    const bars = [...el.querySelectorAll(".mw-scale-curve-plot > path")].map((path) => path.getAttribute("d")!.split("M").length - 1);
    expect([bars[0], bars[3]]).toEqual([0, 3].map((kind) => scales.filter((log2) => expected("float16", log2)[kind]! > 0).length));
  });

  test("nothing is lost where nothing is", () => {
    const { one } = show({ _snapshots: still({ zeros: "zeros" }) });
    expect(one(".mw-plot-caption span").textContent).toBe("no finite values except zeros");
  });

  test("marks the scale at hand", () => {
    const { one, drag } = show();
    const place = () => Number(/\((.*) /.exec(one(".mw-plot-here").getAttribute("transform")!)![1]);
    const places = [-24, 8, 40].map((log2) => (drag(log2), place()));
    expect(places[1]).toBeCloseTo((places[0]! + places[2]!) / 2, 1);
    expect(places[0]).toBeLessThan(places[2]!);
  });
});

describe("the histogram in the hand", () => {
  test("is dragged by its bars: each binade of the way is one of the scale, and one message at the end", () => {
    const { model, one, figures } = show({ log2_loss_scale: 3 });
    const surface = one<HTMLElement>(".mw-binades");
    surface.setPointerCapture = () => {};
    const [, width, height] = one(".mw-histogram").getAttribute("viewBox")!.split(" ").slice(1).map(Number) as [number, number, number];
    expect(height).toBeGreaterThan(0);
    const bins = 70; // of float16: 2^-50 … 2^20
    const send = (kind: string, binades: number) =>
      surface.dispatchEvent(Object.assign(new MouseEvent(kind, { button: 0, clientX: 200 + (binades * width) / bins, detail: 1 }), { isPrimary: true }));
    send("pointerdown", 0);
    for (const binades of [1, 5, -9, 4]) {
      send("pointermove", binades * 1.001);
      expect(model.saved).toEqual([]);
    }
    const moved = Number(one<HTMLInputElement>("input[type=range]").value);
    expect(moved).toBeGreaterThan(3);
    expect(figures()).toEqual(expected("float16", moved));
    send("lostpointercapture", 4);
    send("click", 4);
    expect([model.get("log2_loss_scale"), model.saved.length, model.get("binade")]).toEqual([moved, 1, null]);
    send("pointerdown", 4);
    send("lostpointercapture", 4);
    send("click", 4);
    expect(model.get("binade")).not.toBeNull(); // a click is no drag
  });

  test("is moved by Shift and the arrow keys, to the ends of the range and no further", () => {
    const { model, one } = show({ log2_loss_scale: 39 });
    const press = (key: string) => one(".mw-binades").dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey: true }));
    for (const [key, log2] of [["ArrowRight", 40], ["ArrowRight", 40], ["ArrowLeft", 39], ["Home", -24], ["End", 40]] as const) {
      press(key);
      expect(model.get("log2_loss_scale")).toBe(log2);
    }
  });
});

describe("one tensor alone", () => {
  const alone = (name: string, log2: number) =>
    [...summaryFromBytes(new DataView(Uint8Array.from(bytesOf(name)).buffer)).counts(getFormat("float16")!, log2).finite];

  test("a row narrows everything to it, and back; the other rows stay", () => {
    const { model, el, one, figures, names, drag } = show();
    const row = (name: string) => [...el.querySelectorAll<HTMLButtonElement>(".mw-tensor")].find((button) => button.textContent!.startsWith(name))!;
    row("spread").click();
    expect([model.get("tensor"), figures(), names().length]).toEqual(["spread", alone("spread float32", 0), 3]);
    expect(row("spread").getAttribute("aria-pressed")).toBe("true");
    expect(one(".mw-subtitle").textContent).toMatch(/^float16 · [\d,]+ gradients of spread$/);
    drag(12);
    expect(figures()).toEqual(alone("spread float32", 12));
    row("<img").click();
    expect(figures()).toEqual(alone("edges float32", 12));
    expect(document.activeElement).not.toBe(one(".mw-everything"));
    one<HTMLButtonElement>(".mw-everything").click();
    expect([model.get("tensor"), figures()]).toEqual([null, expected("float16", 12)]);
    expect(document.activeElement!.className).toBe("mw-tensor");
    row("spread").click();
    row("spread").click();
    expect(model.get("tensor")).toBeNull();
    model.set("tensor", "gone"); // as in a snapshot that is without it
    expect(figures()).toEqual([0, 0, 0, 0]);
  });

  test("the arrow keys move through the rows, which are one stop for Tab", () => {
    const { el, names } = show();
    const buttons = () => [...el.querySelectorAll<HTMLButtonElement>(".mw-tensor")];
    const press = (key: string) => document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    buttons()[0]!.focus();
    press("End");
    expect(document.activeElement).toBe(buttons()[2]);
    press("ArrowDown"); // there are no more
    expect(document.activeElement).toBe(buttons()[2]);
    press("Home");
    press("ArrowDown");
    expect(document.activeElement).toBe(buttons()[1]);
    expect(buttons().map(({ tabIndex }) => tabIndex)).toEqual([-1, 0, -1]);
    (document.activeElement as HTMLButtonElement).click();
    expect((document.activeElement!.querySelector(".mw-tensor-name"))!.textContent).toBe(names()[1]); // where the list was drawn anew
  });
});

describe("many tensors", () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`Layer${i}.${i < 3 ? "bias" : "weight"}`, i % 2 ? "zeros" : "spread float32"]));

  test("are found by words, and have an order", () => {
    const { one, names } = show({ _snapshots: still(many) });
    const box = one<HTMLInputElement>(".mw-finder input");
    const order = one<HTMLSelectElement>(".mw-finder select");
    const look = (text: string) => {
      box.value = text;
      box.dispatchEvent(new Event("input"));
      return names();
    };
    const sort = (by: string) => {
      order.value = by;
      order.dispatchEvent(new Event("change"));
      return names();
    };
    expect(sort("model")).toEqual(Object.keys(many).slice(0, 12));
    expect(look("BIAS layer")).toEqual(["Layer0.bias", "Layer1.bias", "Layer2.bias"]);
    expect(one(".mw-finder .mw-note").textContent).toBe("3 of 20 tensors");
    expect(sort("lost")[2]).toBe("Layer1.bias"); // nothing but zeros
    expect(look("1weight")).toEqual([]);
    expect(sort("name")).toEqual([]);
    expect(look("1 weight")).toEqual(Object.keys(many).filter((name) => name.includes("1") && name.includes("weight")));
  });

  test("few need none of this", () => {
    expect(show().one<HTMLElement>(".mw-finder").hidden).toBe(true);
  });
});

describe("the field", () => {
  const type = (field: HTMLInputElement, text: string) => {
    field.value = text;
    field.dispatchEvent(new Event("input"));
    field.dispatchEvent(new Event("change"));
  };

  test.each(["-7", "−7", "2^-7", "2**−7", "-0x7p0", "2^(-7)", "2^{-7}", "S = 2^-7", "–7", "3-10", "－７"])("takes a whole number of the range: %j", (text) => {
    const { model, one, figures, slider } = show();
    type(one(".mw-scale-exponent"), text);
    expect(figures()).toEqual(expected("float16", -7));
    expect([model.get("log2_loss_scale"), slider.value, (one(".mw-scale-exponent") as HTMLInputElement).value, model.saved.length]).toEqual([-7, "-7", "-7", 1]);
  });

  test.each(["", "41", "-25", "1.5", "2^16-32", "2^7*2"])("refuses %j, says why, and keeps the last scale", (text) => {
    const { model, one, figures } = show({ log2_loss_scale: 3 });
    type(one(".mw-scale-exponent"), text);
    expect(one(".mw-scale-row .mw-error").textContent).toContain("from -24 to 40");
    expect(one(".mw-scale-exponent").getAttribute("aria-invalid")).toBe("true");
    expect([model.saved, figures()]).toEqual([[], expected("float16", 3)]);
    type(one(".mw-scale-exponent"), "4");
    expect(one(".mw-scale-row .mw-error").textContent).toBe("");
    expect(one(".mw-scale-exponent").hasAttribute("aria-invalid")).toBe(false);
  });
});

test("the kernel's changes are followed", () => {
  const { model, el, figures, slider, one } = show();
  model.set("log2_loss_scale", 11);
  expect([figures(), slider.value]).toEqual([expected("float16", 11), "11"]);
  model.set("format", "bfloat16");
  expect(figures()).toEqual(expected("bfloat16", 11));
  expect(el.querySelector<HTMLInputElement>("input[type=radio]:checked")!.value).toBe("bfloat16");
  model.set("title", "<b>mine</b>");
  expect(one("h3").textContent).toBe("<b>mine</b>");
  model.set("_snapshots", still({ only: "zeros" }));
  expect([figures(), one(".mw-tensor-text").textContent]).toEqual([[0, 0, 0, 0], "no finite values except zeros"]);
  expect(model.saved).toEqual([]);
});

test("a late echo of the kernel does not pull the slider from under the hand", () => {
  vi.useFakeTimers();
  const { model, slider, drag, release, figures } = show();
  for (const log2 of [5, 6]) {
    drag(log2);
    release();
  }
  model.set("log2_loss_scale", 5); // the echo of the message before the last
  expect([slider.value, figures()]).toEqual(["6", expected("float16", 6)]);
  model.set("log2_loss_scale", 6);
  vi.runAllTimers();
  expect(slider.value).toBe("6");
  drag(7);
  release();
  model.set("log2_loss_scale", 3); // and this one is meant
  vi.runAllTimers();
  expect([slider.value, figures()]).toEqual(["3", expected("float16", 3)]);
  vi.useRealTimers();
});

test("the kernel hears that a page shows it, and when none does any more", () => {
  const { model, cleanup } = show();
  cleanup();
  const { view } = model.sent[0]!;
  expect(model.sent).toEqual([{ kind: "hello", view }, { kind: "bye", view }]);
});

test("a format is chosen by its radio button, and sent once", () => {
  const { model, el, figures } = show();
  const radio = el.querySelector<HTMLInputElement>("input[value=float8_e5m2]")!;
  radio.checked = true;
  radio.dispatchEvent(new Event("change"));
  expect([model.get("format"), model.saved.length]).toEqual(["float8_e5m2", 1]);
  expect(figures()).toEqual(expected("float8_e5m2", 0));
  expect(el.querySelector("input[value=float64]")).toBeNull();
});

test("the best scale is put to use by its button", () => {
  const { model, one, figures } = show();
  const button = one<HTMLButtonElement>(".mw-best button");
  const best = Number(one(".mw-best sup").textContent!.replace("−", "-"));
  button.click();
  expect([model.get("log2_loss_scale"), model.saved.length, button.disabled]).toEqual([best, 1, true]);
  expect(figures()).toEqual(expected("float16", best));
});

test("wrong state is told, and what was shown stays", () => {
  const { model, one, figures } = show();
  model.set("format", "float64");
  expect(one("[role=alert]").textContent).toContain("float64 cannot be shown");
  model.set("_snapshots", new DataView(new ArrayBuffer(7)));
  expect(one("[role=alert]").textContent).toContain("cannot be shown");
  expect(figures()).toEqual(expected("float16", 0));
  model.set("_snapshots", still({ one: "spread float32" }));
  model.set("format", "float16");
  expect(one("[role=alert]").textContent).toBe("");
});

test("names are text, and missing gradients are named", () => {
  const { el, names } = show({ _without_gradient: ["<script>alert(1)</script>"] });
  expect(names()).toContain("<img src=x onerror=alert(1)>");
  expect(el.querySelectorAll("img, script")).toHaveLength(0);
  expect(el.textContent).toContain("left out: <script>alert(1)</script>");
});

test("rows stand in order of what they lose, settled only when the slider is let go", () => {
  const { names, drag, release } = show();
  const first = names();
  expect(first.at(-1)).toBe("zeros");
  drag(-24);
  expect(names()).toEqual(first);
  release();
  expect(names().at(-1)).toBe("zeros");
});

test("a long list shows few rows until asked", () => {
  const many = Array.from({ length: 100 }, (_, i) => `layer ${i}`);
  const { names, el } = show({ _snapshots: still(Object.fromEntries(many.map((name) => [name, "spread float32"]))) });
  expect(names()).toHaveLength(12);
  const more = [...el.querySelectorAll("button")].find(({ textContent }) => textContent!.includes("100"))!;
  more.click();
  expect([names().length, more.getAttribute("aria-expanded")]).toEqual([100, "true"]);
  more.click();
  expect(names()).toHaveLength(12);
});

describe("time", () => {
  const at = (step: number, name: string) => snapshot(step, { w: name }, { lossScale: 2 ** 16, loss: 1 / step });
  const run = { _snapshots: snapshots(at(1, "spread float32"), at(11, "zeros"), at(21, "edges float32")), _newest: 21, _seen: 3,
    _loss: losses([1, 2.5], [5, NaN], [11, 0.5], [21, 0.25]) };
  const one = (name: string) => [...summaryFromBytes(new DataView(Uint8Array.from(bytesOf(name)).buffer)).counts(getFormat("float16")!, 0).finite];

  function showRun(changes: Record<string, unknown> = {}) {
    const shown = show({ ...run, ...changes });
    const steps = shown.el.querySelector<HTMLInputElement>(".mw-step-row input")!;
    const scrub = (index: number) => {
      steps.valueAsNumber = index;
      steps.dispatchEvent(new Event("input"));
    };
    return { ...shown, steps, scrub, let_go: () => steps.dispatchEvent(new Event("change")) };
  }

  test("the newest snapshot is shown, and said with its loss and scale", () => {
    const { steps, figures, one: find } = showRun();
    expect([steps.max, steps.value, figures()]).toEqual(["2", "2", one("edges float32")]);
    expect(find(".mw-step-text").textContent).toBe("gradients of step 21, the newest · loss 0.04762 · trained at S = 2¹⁶");
    expect(find(".mw-loss-plot").getAttribute("aria-label")).toBe("Loss by step: from 2.5 at step 1 to 0.25 at step 21.");
    expect(find(".mw-loss-line").getAttribute("d")!.split("M")).toHaveLength(3); // a gap at the NaN
  });

  test("scrubbing shows each at once, and the kernel hears of the last", () => {
    const { model, scrub, let_go, figures } = showRun();
    for (const [index, name] of [[0, "spread float32"], [1, "zeros"], [0, "spread float32"]] as const) {
      scrub(index);
      expect(figures()).toEqual(one(name));
    }
    expect(model.saved).toEqual([]);
    let_go();
    expect([model.get("step"), model.saved.length]).toEqual([1, 1]);
    scrub(2);
    let_go();
    expect(model.get("step")).toBe(0); // the newest, whatever comes
  });

  test("a slider that is let go where it was taken, which fires no change, is let go", () => {
    const { model, scrub, steps, figures } = showRun();
    scrub(0);
    scrub(2);
    steps.dispatchEvent(new Event("pointerup"));
    expect(model.saved).toEqual([]);
    model.answer({ kind: "snapshots", steps: [1, 11, 21, 31] }, [snapshots(at(31, "zeros"))]);
    expect([steps.value, figures()]).toEqual(["3", one("zeros")]);
  });

  test("a new snapshot is followed at the end of the line, and only there", () => {
    const { model, scrub, let_go, figures, one: find } = showRun();
    const tell = (step: number, steps: number[]) => {
      model.set("_seen", 9);
      model.answer({ kind: "snapshots", steps }, [snapshots(at(step, "spread float32"))]);
    };
    tell(31, [1, 11, 21, 31]);
    expect([figures(), find(".mw-step-text").textContent]).toEqual([one("spread float32"), expect.stringContaining("31, the newest")]);
    scrub(1);
    let_go();
    tell(41, [1, 11, 31, 41]);
    expect([figures(), find(".mw-step-text").textContent]).toEqual([one("zeros"), expect.stringMatching(/^gradients of step 11 ·/)]);
    expect(find(".mw-plot-caption .mw-note").textContent).toBe("4 of 9 snapshots: the older ones are thinned");
  });

  test("the slider is not pulled from under the hand", () => {
    const { model, scrub, steps, figures } = showRun();
    scrub(0);
    model.answer({ kind: "snapshots", steps: [1, 11, 21, 31] }, [snapshots(at(31, "zeros"))]);
    expect([steps.value, figures()]).toEqual(["0", one("spread float32")]);
  });

  test("what comes leaves the loss scale and its field to the hand", () => {
    const { model, drag, one: find, figures } = showRun();
    drag(9);
    find<HTMLInputElement>(".mw-scale-exponent").value = ""; // about to be typed
    model.answer({ kind: "snapshots", steps: [1, 11, 21, 31] }, [snapshots(at(31, "spread float32"))]);
    expect([find<HTMLInputElement>("input[type=range]").value, find<HTMLInputElement>(".mw-scale-exponent").value]).toEqual(["9", ""]);
    const bytes = Uint8Array.from(bytesOf("spread float32"));
    expect(figures()).toEqual([...summaryFromBytes(new DataView(bytes.buffer)).counts(getFormat("float16")!, 9).finite]);
  });

  test("the kernel's choice of a step is followed, to the nearest", () => {
    const { model, figures, steps } = showRun();
    model.set("step", 13);
    expect([figures(), steps.value]).toEqual([one("zeros"), "1"]);
  });

  test("before the first snapshot the page says so, and after it shows it", () => {
    const { model, el, figures } = showRun({ _snapshots: snapshots(), _newest: 0, _seen: 0, _loss: losses() });
    const [waiting, body] = [el.querySelector<HTMLElement>(".mw > p.mw-muted")!, el.querySelector<HTMLElement>(".mw > .mw-stack")!];
    expect([waiting.hidden, body.hidden, waiting.textContent]).toEqual([false, true, expect.stringContaining("No gradients yet")]);
    model.answer({ kind: "snapshots", steps: [1] }, [snapshots(at(1, "zeros"))]);
    expect([waiting.hidden, body.hidden, figures()]).toEqual([true, false, one("zeros")]);
  });

  test("a view that opens late asks for what came before it", () => {
    const asked = ({ sent }: { sent: Record<string, unknown>[] }) => sent.filter(({ kind }) => kind === "snapshots");
    expect(asked(showRun().model)).toEqual([]);
    expect(asked(showRun({ _newest: 31 }).model)).toEqual([{ kind: "snapshots", after: 21 }]);
  });

  test("one snapshot has no time line", () => {
    expect(show().el.querySelector(".mw-step-row")!.closest<HTMLElement>("[hidden]")).not.toBeNull();
  });
});

describe("the heat map", () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`layer ${i}`, i % 2 ? "zeros" : "spread float32"]));

  function showMap(tensors: Record<string, string>, log2 = 0) {
    HTMLCanvasElement.prototype.getContext = () => null; // what is painted is looked at in a browser
    const shown = show({ _snapshots: still(tensors), log2_loss_scale: log2 });
    const details = shown.one<HTMLDetailsElement>(".mw-unfolding");
    details.open = true;
    details.dispatchEvent(new Event("toggle"));
    const group = shown.one<HTMLElement>(".mw-heat-group");
    const press = (key: string, times = 1) => {
      for (let i = 0; i < times; i++) group.dispatchEvent(new KeyboardEvent("keydown", { key }));
    };
    return { ...shown, details, press, said: () => shown.one(".mw-heat-cell").textContent! };
  }

  test("is there for many tensors alone", () => {
    expect(showMap({ one: "zeros" }).details.hidden).toBe(true);
    expect(showMap(many).details.hidden).toBe(false);
  });

  test("arrow keys say what each cell holds, and all cells are all gradients", () => {
    const { press, said } = showMap(many, 3);
    press("ArrowUp", 30);
    press("ArrowLeft", 100);
    const found = [said()];
    for (let i = 0; i < 100 && !said().includes(" and more"); i++) {
      press("ArrowRight");
      found.push(said());
    }
    expect(found[0]).toMatch(/^layer \d+ · below /);
    const counts = found.map((words) => Number(/: ([\d,]+) of the gradients/.exec(words)?.[1]!.replaceAll(",", "") ?? 0));
    const bytes = Uint8Array.from(bytesOf("spread float32"));
    const counted = summaryFromBytes(new DataView(bytes.buffer)).counts(getFormat("float16")!, 3).finite;
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(counted.reduce((sum, count) => sum + count, 0));
    const kinds = new Set(found.flatMap((words) => words.split("), ")[1]?.split(", ") ?? []));
    const names = ["flushed to zero", "subnormal", "normal", "overflow"];
    expect([...kinds].sort()).toEqual(names.filter((_, kind) => counted[kind]! > 0).sort());
    press("ArrowDown", 30);
    expect(said()).toMatch(/^layer 19 · .*: none$/); // the least lost last
    press("ArrowUp", 10); // ten lost nothing, so the tenth row is the last of those that did
    expect(said()).toMatch(/^layer 18 · /);
  });

  test("what was said follows the scale", () => {
    const { press, said, drag } = showMap(many);
    press("ArrowUp");
    const before = said();
    drag(20);
    expect(said()).not.toBe(before);
    expect(said().split(":")[0]).toBe(before.split(":")[0]);
  });
});

describe("other formats", () => {
  function showTable(changes: Record<string, unknown> = {}) {
    const shown = show(changes);
    const details = [...shown.el.querySelectorAll<HTMLDetailsElement>(".mw-unfolding")].at(-1)!;
    details.open = true;
    details.dispatchEvent(new Event("toggle"));
    const rows = () => [...details.querySelectorAll("tbody tr")].map((row) => {
      const name = row.querySelector("select")?.value ?? row.querySelector("th")!.textContent;
      return [name, ...[...row.querySelectorAll("td")].map(({ textContent }) => textContent)];
    });
    const pick = (index: number, name: string) => {
      const select = details.querySelectorAll("select")[index]!;
      select.value = name;
      select.dispatchEvent(new Event("change"));
    };
    return { ...shown, rows, pick };
  }

  test("show their shares at the scale at hand", () => {
    const { rows, drag } = showTable();
    for (const log2 of [0, 12, -20]) {
      drag(log2);
      for (const [i, name] of ["float16", "bfloat16", "float8_e5m2"].entries()) {
        const [flushed, subnormal, normal, overflow] = expected(name, log2);
        const all = flushed! + subnormal! + normal! + overflow!;
        expect(rows()[i]!.slice(0, 4)).toEqual([name, ...[flushed, subnormal, overflow].map((count) => share(count!, all))]);
        expect(rows()[i]!.at(-1) === "∞").toBe(overflow! > 0);
      }
      expect(rows()[3]).toEqual(["", "", "", "", "", ""]);
    }
  });

  test("are chosen in the table, each once", () => {
    const { model, rows, pick } = showTable();
    pick(2, "float4_e2m1fn");
    expect(model.get("compare")).toEqual(["bfloat16", "float8_e5m2", "float4_e2m1fn"]);
    pick(0, "float8_e5m2");
    expect(model.get("compare")).toEqual(["float8_e5m2", "float4_e2m1fn"]);
    pick(1, "");
    expect([model.get("compare"), rows().map(([name]) => name)]).toEqual([["float8_e5m2"], ["float16", "float8_e5m2", "", ""]]);
    expect(model.saved).toHaveLength(3);
  });
});

describe("the bit inspector", () => {
  function showInspector(changes: Record<string, unknown> = {}) {
    const shown = show(changes);
    const surface = shown.one<HTMLElement>(".mw-binades");
    const press = (key: string) => surface.dispatchEvent(new KeyboardEvent("keydown", { key }));
    const text = (selector: string) => shown.one(selector).textContent!;
    return { ...shown, press, text };
  }

  test("the arrow keys read every bar", () => {
    const { press, text } = showInspector({ log2_loss_scale: 5 });
    const counts: number[] = [];
    press("Home");
    for (let i = 0; i < 400; i++) {
      counts.push(Number(/: ([\d,]+) of the gradients/.exec(text(".mw-binades-said"))?.[1]!.replaceAll(",", "") ?? 0));
      if (text(".mw-binades-said").includes(" and more")) break;
      press("ArrowRight");
    }
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(expected("float16", 5).reduce((sum, count) => sum + count, 0));
  });

  test("Enter tells the binade, whose bits follow the scale and the format", () => {
    const { model, press, drag, release, text, one } = showInspector({ _snapshots: still({ spread: "spread float32 (old)" }) });
    press("Home"); // from 2^-50 on
    for (let i = 0; i < 30; i++) press("ArrowRight");
    press("Enter");
    expect(text(".mw-bits-panel p")).toMatch(/^The lower edge of this binade \(no gradient of it was kept\): 2⁻²⁰, × S = 2⁻²⁰/);
    expect([model.get("binade"), model.saved.length]).toEqual([-20, 1]);
    expect(text(".mw-bits-panel-bits")).toBe("0 00000 0000010000");
    expect(text(".mw-bits-panel p:last-child")).toBe("= 9.5367431640625e−7 · subnormal · ulp 2⁻²⁴ · code 0x0010");
    drag(20);
    expect(text(".mw-bits-panel-bits")).toBe("0 01111 0000000000");
    drag(-5); // 2^-25 is a tie, and goes to zero
    expect([text(".mw-bits-panel-bits"), text(".mw-bits-panel p:last-child")]).toEqual(["0 00000 0000000000", "= 0 · flushed to zero · code 0x0000"]);
    drag(36);
    expect(text(".mw-bits-panel p:last-child")).toBe("= ∞ · overflow · code 0x7C00");
    release();
    model.set("format", "float4_e2m1fn");
    expect([text(".mw-bits-panel-bits"), text(".mw-bits-panel p:last-child")]).toEqual(["0 11 1", expect.stringMatching(/^= 6 · overflow/)]);
    one<HTMLButtonElement>(".mw-bits-panel button").click();
    expect([model.get("binade"), one<HTMLElement>(".mw-bits-panel").hidden]).toEqual([null, true]);
  });
});

describe("where a gradient was kept", () => {
  const vector = caseOf("spread float32");
  const values = new Float32Array(Uint8Array.from(Buffer.from(vector.values!, "hex")).buffer);
  const inBinade = (exponent: number) => [...values].filter((value) => Math.abs(value) >= 2 ** exponent && Math.abs(value) < 2 ** (exponent + 1));
  /** To float16, ties to even. */
  function rounded(value: number): number {
    const exponent = Math.max(Math.floor(Math.log2(Math.abs(value))), -14);
    const steps = Math.abs(value) / 2 ** (exponent - 10);
    const whole = steps % 1 === 0.5 ? 2 * Math.round(steps / 2) : Math.round(steps);
    return (value < 0 ? 0x8000 : 0) | Math.min((exponent + 14) * 1024 + whole, 0x7c00);
  }

  test.each([-30, -20, -12, -3, 2])("the bit inspector shows one of the gradients from 2^%i on, with its sign, at every scale", (exponent) => {
    const { model, one, drag } = show({ _snapshots: still({ zeros: "zeros", spread: "spread float32", again: "spread float32" }) });
    model.set("binade", exponent);
    for (const log2 of [-24, -5, 0, 12, 24, 40]) {
      drag(log2);
      const code = rounded(inBinade(exponent).at(-1)! * 2 ** log2);
      expect(one(".mw-bits-panel-bits").textContent!.replaceAll(" ", "")).toBe(code.toString(2).padStart(16, "0"));
      expect(one(".mw-bits-panel p:last-child").textContent).toContain(`code 0x${code.toString(16).toUpperCase().padStart(4, "0")}`);
    }
  });

  test("it says of which tensor", () => {
    const name = "<img src=x onerror=alert(1)>";
    const { model, one } = show({ _snapshots: still({ zeros: "zeros", [name]: "many of one", spread: "spread float32" }), log2_loss_scale: 2 });
    model.set("binade", 1);
    expect(one(".mw-bits-panel p").textContent).toBe(`A gradient of ${name}: 3, × S = 12, kept in float16 as`);
    model.set("binade", -20);
    const gradient = inBinade(-20).at(-1)!;
    const digits = Math.abs(gradient).toFixed(30).slice(0, 13); // six that count
    expect(one(".mw-bits-panel p").textContent).toMatch(`A gradient of spread: ${gradient < 0 ? "−" : ""}${digits}…, × S = `);
  });
});

test("an address may ask for what Python takes, and for nothing else", () => {
  const wanted = { format: "float16", log2_loss_scale: 40, step: 7 };
  expect(explorer.accept(wanted)).toBe(wanted);
  for (const wrong of [{ format: "float64" }, { log2_loss_scale: 41 }, { log2_loss_scale: -25 }, { step: -1 }, { step: 2 ** 32 }]) {
    expect(explorer.accept({ ...wanted, ...wrong })).toBeNull();
  }
});

test("nothing listens after the view is closed", () => {
  const { model, el, cleanup } = show();
  cleanup();
  expect([model.listening(), el.childElementCount]).toEqual([0, 0]);
});

test("words", () => {
  expect([share(0, 0), share(0, 9), share(9, 9), share(1, 1e6), share(999_999, 1e6), share(1, 3)]).toEqual(
    ["0 %", "0 %", "100 %", "<0.1 %", ">99.9 %", "33.3 %"],
  );
  expect([powerOfTwo(40), powerOfTwo(-2), powerOfTwo(-24), spokenScale(15)]).toEqual(
    ["1099511627776", "0.25", "5.9605e-8", "2^15 = 32768"],
  );
});

describe("the edges of the format", () => {
  const float = (name: string) => getFormat(name)!;

  test("the format whose edge is nearest is explored; of several the one that is most like the present one", () => {
    const some = ["float32", "tfloat32", "bfloat16", "float16", "float8_e5m2", "float8_e4m3fn", "float8_e4m3", "float4_e2m1fn"].map(float);
    const near = (edge: number, place: number, from = "float16") => nearestFormat(edge, place, float(from), domain(float(from)), some).name;
    expect(near(0, -25)).toBe("float16");
    expect(near(0, -16)).toBe("float8_e5m2");
    expect(near(2, 8.8)).toBe("float8_e4m3fn");
    expect(near(1, -50)).toBe("bfloat16"); // float32 and tfloat32 stand at the ruler's end too
    expect(near(1, -6.1, "float8_e4m3fn")).toBe("float8_e4m3fn"); // float8_e4m3 has the same edge
  });

  test("keys go through them, each told to the kernel once", () => {
    const { model, el, figures } = show({ log2_loss_scale: 3 });
    const handle = el.querySelector<HTMLElement>("[role=slider][aria-label='smallest subnormal']")!;
    const press = (key: string) => handle.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    expect(handle.getAttribute("aria-valuetext")).toBe("2⁻²⁴ in float16");
    const edgeOf = ({ emin, fractionBits }: FloatFormat) => emin - fractionBits;
    const edges = [...new Set(choices.map(edgeOf))].sort((a, b) => a - b);
    const here = edges.indexOf(-24);
    for (const [key, to] of [["ArrowRight", here + 1], ["ArrowUp", here + 2], ["ArrowLeft", here + 1], ["Home", 0], ["ArrowLeft", 0], ["End", edges.length - 1]] as const) {
      press(key);
      const name = model.get("format") as string;
      expect([edgeOf(float(name)), figures()]).toEqual([edges[to], expected(name, 3)]);
    }
    expect(model.saved.length).toBe(5); // not where there was no further format
    expect(handle.getAttribute("aria-valuetext")).toContain(` in ${model.get("format")}`);
    expect(model.get("binade")).toBeNull();
  });

  test.each(["a document", "a shadow tree"])("the words of one that has the focus stay when the pointer leaves it, in %s", (place) => {
    const { el, one } = show();
    const host = document.body.appendChild(document.createElement("div"));
    (place === "a document" ? host : host.attachShadow({ mode: "open" })).append(el);
    const [handle, words] = [one<HTMLElement>(".mw-edge"), one<HTMLElement>(".mw-edge-words")];
    handle.focus();
    for (const type of ["pointerenter", "pointerleave"]) handle.dispatchEvent(new Event(type));
    expect(words.hidden).toBe(false);
    handle.blur();
    expect(words.hidden).toBe(true);
  });
});
