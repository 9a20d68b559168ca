// @vitest-environment jsdom
// The explorer in a page without a kernel: what it shows, and what it sends.

import { beforeEach, describe, expect, test, vi } from "vitest";
import { GradientSummary } from "../gradients/summary.ts";
import { getFormat } from "../formats/catalogue.ts";
import explorer from "../widgets/loss_scale_explorer.ts";
import { powerOfTwo, share, spokenScale } from "../widgets/loss_scale_explorer/words.ts";
import vectors from "../../tests/vectors/gradients.json";

const bytesOf = (name: string) => Buffer.from(vectors.cases.find((one) => one.name === name)!.bytes, "hex");

function packed(...names: string[]): DataView {
  const parts = names.flatMap((name) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytesOf(name).length);
    return [length, bytesOf(name)];
  });
  return new DataView(Uint8Array.from(Buffer.concat(parts)).buffer);
}

function fakeModel(changes: Record<string, unknown> = {}) {
  const state: Record<string, unknown> = {
    format: "float16", log2_loss_scale: 0, title: null,
    _names: ["spread", "zeros", "<img src=x onerror=alert(1)>"],
    _summaries: packed("spread float32", "zeros", "edges float32"),
    _without_gradient: [],
    ...changes,
  };
  const listeners = new Map<string, Set<() => void>>();
  return {
    saved: [] as Record<string, unknown>[],
    get: (name: string) => state[name],
    set(name: string, value: unknown) {
      state[name] = value;
      listeners.get(`change:${name}`)?.forEach((listener) => listener());
    },
    save_changes() { this.saved.push({ ...state }); },
    on: (name: string, listener: () => void) => listeners.set(name, (listeners.get(name) ?? new Set()).add(listener)),
    off: (name: string, listener: () => void) => listeners.get(name)?.delete(listener),
    listening: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
  };
}

function show(changes: Record<string, unknown> = {}) {
  const model = fakeModel(changes);
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

/** What the three tensors amount to, each asked by itself. */
function expected(format: string, log2: number): number[] {
  const parts = ["spread float32", "zeros", "edges float32"].map((name) => {
    const bytes = Uint8Array.from(bytesOf(name));
    return GradientSummary.fromBytes(new DataView(bytes.buffer)).counts(getFormat(format)!, log2).finite;
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
    const before = one("[aria-live]").textContent;
    drag(15);
    expect(one("[aria-live]").textContent).toBe(before);
    release();
    expect(one("[aria-live]").textContent).toMatch(/^2\^15 = 32768: .* flushed to zero/);
  });

  test("draws bars for every class that has gradients", () => {
    const { el, drag } = show();
    drag(-24);
    const bars = [...el.querySelectorAll(".mw-bar")].map((bar) => bar.getAttribute("d"));
    expected("float16", -24).forEach((count, kind) => expect(bars[kind] !== "").toBe(count > 0));
  });
});

describe("the valley", () => {
  const lostAt = (log2: number) => expected("float16", log2).reduce((sum, count, kind) => sum + (kind % 3 === 0 ? count : 0), 0);
  const scales = Array.from({ length: 65 }, (_, i) => i - 24);

  test("says where least is lost", () => {
    const least = Math.min(...scales.map(lostAt));
    const where = scales.filter((log2) => lostAt(log2) === least);
    const all = expected("float16", 0).reduce((sum, count) => sum + count, 0);
    const { one } = show();
    const said = one(".mw-valley-caption span").textContent!;
    const digits = (log2: number) => `2${String(log2).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]!)}`;
    for (const end of [where[0]!, where.at(-1)!]) expect(said).toContain(digits(end));
    if (least > 0) expect(said).toContain(share(least, all));
    expect(one(".mw-valley-plot").getAttribute("aria-label")).toContain(said);
  });

  test("has a bar for each scale at which any is flushed, and for each at which any overflows", () => {
    const { el } = show();
    const bars = [...el.querySelectorAll(".mw-valley-plot > path")].map((path) => path.getAttribute("d")!.split("M").length - 1);
    expect([bars[0], bars[3]]).toEqual([0, 3].map((kind) => scales.filter((log2) => expected("float16", log2)[kind]! > 0).length));
  });

  test("nothing is lost where nothing is", () => {
    const { one } = show({ _names: ["zeros"], _summaries: packed("zeros") });
    expect(one(".mw-valley-caption span").textContent).toBe("nothing finite but zeros");
  });

  test("marks the scale at hand", () => {
    const { one, drag } = show();
    const place = () => Number(/\((.*) /.exec(one(".mw-valley-here").getAttribute("transform")!)![1]);
    const places = [-24, 8, 40].map((log2) => (drag(log2), place()));
    expect(places[1]).toBeCloseTo((places[0]! + places[2]!) / 2, 1);
    expect(places[0]).toBeLessThan(places[2]!);
  });
});

describe("the field", () => {
  const type = (field: HTMLInputElement, text: string) => {
    field.value = text;
    field.dispatchEvent(new Event("input"));
    field.dispatchEvent(new Event("change"));
  };

  test("takes a whole number of the range", () => {
    const { model, one, figures, slider } = show();
    type(one("input[type=number]"), "-7");
    expect(figures()).toEqual(expected("float16", -7));
    expect([model.get("log2_loss_scale"), slider.value, model.saved.length]).toEqual([-7, "-7", 1]);
  });

  test.each(["", "41", "-25", "1.5"])("refuses %j, says why, and keeps the last scale", (text) => {
    const { model, one, figures } = show({ log2_loss_scale: 3 });
    type(one("input[type=number]"), text);
    expect(one(".mw-scale-row ~ .mw-error").textContent).toContain("from -24 to 40");
    expect(one("input[type=number]").getAttribute("aria-invalid")).toBe("true");
    expect([model.saved, figures()]).toEqual([[], expected("float16", 3)]);
    type(one("input[type=number]"), "4");
    expect(one(".mw-scale-row ~ .mw-error").textContent).toBe("");
    expect(one("input[type=number]").hasAttribute("aria-invalid")).toBe(false);
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
  model.set("_names", ["only"]);
  model.set("_summaries", packed("zeros"));
  expect([figures(), one(".mw-tensor-text").textContent]).toEqual([[0, 0, 0, 0], "nothing finite but zeros"]);
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
  model.set("_summaries", new DataView(new ArrayBuffer(7)));
  expect(one("[role=alert]").textContent).toContain("cannot be shown");
  expect(figures()).toEqual(expected("float16", 0));
  model.set("_summaries", packed("spread float32"));
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
  const { names, el } = show({ _names: many, _summaries: packed(...many.map(() => "spread float32")) });
  expect(names()).toHaveLength(12);
  const more = [...el.querySelectorAll("button")].find(({ textContent }) => textContent!.includes("100"))!;
  more.click();
  expect([names().length, more.getAttribute("aria-expanded")]).toEqual([100, "true"]);
  more.click();
  expect(names()).toHaveLength(12);
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
