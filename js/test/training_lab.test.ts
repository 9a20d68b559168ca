// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import lab from "../widgets/training_lab.ts";
import type { Row, WireCurves } from "../widgets/training_lab/state.ts";

/** The kernel's part: state, listeners, and what the page sent. */
function fakeModel(changes: Record<string, unknown> = {}) {
  const state: Record<string, unknown> = {
    task: "digits_cnn", recipe: "fp32", steps: 300, seed: 0,
    _tasks: [{ name: "digits_cnn", title: "Digits", explanation: "A small CNN." }],
    _recipes: ["fp32", "fp16_dynamic"].map((name) => ({
      name,
      compute_format: name === "fp32" ? "float32" : "float16",
      loop: "explicit", master_weights: true, weight_rounding: "nearest", optimizer_format: "float32",
      fp32_ops: ["softmax", "norm", "loss"], operands: null,
      loss_scale: { kind: name === "fp32" ? "none" : "dynamic", init_scale: 65536, growth_factor: 2, backoff_factor: 0.5, growth_interval: 25 },
    })),
    _rows: [], _settled: {}, _live: {}, _shown: [], _notice: "",
    ...changes,
  };
  const listeners = new Map<string, Set<(...args: unknown[]) => void>>();
  const emit = (name: string, ...args: unknown[]) => [...(listeners.get(name) ?? [])].forEach((listener) => listener(...args));
  return {
    sent: [] as Record<string, unknown>[],
    saved: [] as Record<string, unknown>[],
    get: (name: string) => state[name],
    set(name: string, value: unknown) {
      state[name] = value;
      emit(`change:${name}`);
    },
    save_changes() { this.saved.push({ ...state }); },
    send(content: Record<string, unknown>) { this.sent.push(content); },
    on: (name: string, listener: (...args: unknown[]) => void) => listeners.set(name, (listeners.get(name) ?? new Set()).add(listener)),
    off: (name: string, listener: (...args: unknown[]) => void) => listeners.get(name)?.delete(listener),
    answer: (content: unknown) => emit("msg:custom", content, []),
    listening: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
  };
}

const row = (changes: Partial<Row> = {}): Row => ({
  id: "run-1", task: "digits_cnn", recipe: "fp16_dynamic", scaled: true, seed: 0, loss_weight: 1, steps: 300, step: 213,
  status: "running", message: "", device: "cpu", backend: "FP16 storage", loss: 0.25, loss_scale: 32768,
  skipped: 2, rate: 141, metrics: { accuracy: 0.972, loss: 0.1 }, ...changes,
});

function curves(...losses: number[]): WireCurves {
  const pairs = (values: [number, number][]) => {
    const view = new DataView(new ArrayBuffer(8 * values.length));
    values.flat().forEach((value, i) => view.setFloat32(4 * i, value, true));
    return view;
  };
  return { loss: pairs(losses.map((loss, i) => [i + 1, loss])), scale: pairs([[1, 16], [9, 15]]), skipped: pairs([[8, 16]]) };
}

let el: HTMLElement;
let frames: FrameRequestCallback[];
const paint = () => frames.splice(0).forEach((frame) => frame(0));

function show(model: ReturnType<typeof fakeModel>): () => void {
  const signal = new AbortController().signal;
  return lab.render({ model: model as never, el, signal } as never);
}
const button = (name: string) => [...el.querySelectorAll("button")].find((one) => one.textContent!.includes(name))!;
const field = (label: string) => {
  const found = [...el.querySelectorAll("label")].find((one) => one.textContent === label)!;
  return el.querySelector<HTMLInputElement>(`#${found.htmlFor}`)!;
};
const errorOf = (input: HTMLElement) => el.querySelector(`#${input.getAttribute("aria-describedby")}`)!.textContent;
function type(input: HTMLInputElement | HTMLSelectElement, text: string) {
  input.value = text;
  input.dispatchEvent(new Event("change"));
}

beforeEach(() => {
  el = document.body.appendChild(document.createElement("div"));
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (callback: FrameRequestCallback) => frames.push(callback));
  vi.stubGlobal("cancelAnimationFrame", () => frames.splice(0));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

describe("choosing and launching", () => {
  it("sends what is chosen, and explains it", () => {
    const model = fakeModel();
    show(model);
    const recipe = field("recipe");
    expect(errorOf(recipe)).toBe("Everything in FP32.");
    type(recipe, "fp16_dynamic");
    expect(errorOf(recipe)).toContain("The loss scale starts at 2¹⁶");
    type(field("steps"), "50");
    type(field("seed"), "7");
    button("Launch").click();
    expect(model.saved.at(-1)).toMatchObject({ recipe: "fp16_dynamic", steps: 50, seed: 7 });
    expect(model.sent.at(-1)).toMatchObject({
      kind: "launch", experiment: { task: "digits_cnn", recipe: "fp16_dynamic", steps: 50, seed: 7 },
    });
  });

  it.each([
    ["steps", "0"], ["steps", "1e12"], ["steps", "abc"], ["steps", ""], ["steps", "10000001"], ["seed", "-1"],
    ["seed", "4294967296"], ["seed", "<img src=x onerror=alert(1)>"],
  ])("tells a wrong %s %j beside its field and sends nothing", (label, text) => {
    const model = fakeModel();
    show(model);
    const before = model.sent.length;
    type(field(label), text);
    button("Launch").click();
    expect(field(label).getAttribute("aria-invalid")).toBe("true");
    expect(errorOf(field(label))).toMatch(new RegExp(`^${label} takes a whole number from \\d`));
    expect(el.querySelector("img")).toBeNull();
    expect(model.sent).toHaveLength(before);
    expect(model.saved).toHaveLength(0);
    type(field(label), "5");
    expect(field(label).hasAttribute("aria-invalid")).toBe(false);
    expect(errorOf(field(label))).toBe("");
  });

  it("waits for the kernel's answer, and shows its refusal as text", () => {
    const model = fakeModel();
    show(model);
    button("Launch").click();
    expect(button("Launch").disabled).toBe(true);
    const { request } = model.sent.at(-1)!;
    model.answer({ kind: "refused", request: "of another view", message: "not mine" });
    expect(button("Launch").disabled).toBe(true);
    model.answer({ kind: "refused", request, message: "The folder <b>x</b> cannot be written" });
    expect(button("Launch").disabled).toBe(false);
    expect(el.querySelector("p.mw-error[role=alert]")!.textContent).toBe("The folder <b>x</b> cannot be written");
    button("Launch").click();
    expect(el.querySelector("p.mw-error[role=alert]")).toBeNull();
  });

  it("says so when no answer comes, and does not hang", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const model = fakeModel();
    show(model);
    button("Launch").click();
    vi.advanceTimersByTime(10_000);
    expect(button("Launch").disabled).toBe(false);
    expect(el.textContent).toContain("The kernel has not answered yet");
  });

  it("survives answers that are none", () => {
    const model = fakeModel();
    show(model);
    button("Launch").click();
    for (const answer of [null, undefined, 5, "x", [], {}, { kind: "refused" }]) model.answer(answer);
    expect(button("Launch").disabled).toBe(true);
  });

  it("follows the kernel's choice", () => {
    const model = fakeModel();
    show(model);
    type(field("steps"), "abc");
    model.set("steps", 20);
    expect(field("steps").value).toBe("20");
    expect(field("steps").hasAttribute("aria-invalid")).toBe(false);
  });
});

describe("watching and stopping", () => {
  const running = () => fakeModel({ _rows: [row()], _live: { "run-1": curves(2, 1) }, _shown: ["run-1"] });

  it("shows progress, place, table and curves, each with words", () => {
    show(running());
    expect(el.textContent).toContain("step 213 of 300 · 141 steps/s · 0.6 s left");
    expect(el.textContent).toContain("CPU, one thread · FP16 storage");
    expect(el.querySelector("progress")!.value).toBeCloseTo(213 / 300);
    const cells = [...el.querySelectorAll("tbody td")].map((cell) => cell.textContent);
    expect(cells).toEqual(["97.2 %", "0.100", "2"]);
    const [loss, scale] = [...el.querySelectorAll("svg[role=img]")];
    expect(loss!.querySelector("title")!.textContent).toBe("Loss by step. fp16 dynamic: from 2.000 to 0.250 at step 213.");
    expect(scale!.querySelector("title")!.textContent).toContain("fp16 dynamic: 2¹⁵, 2 skipped.");
    expect(scale!.querySelector(".mw-marks")!.getAttribute("d")).toMatch(/^M/);
  });

  it("shows a watched loop, whose seed and steps to come are not known", () => {
    show(fakeModel({ _rows: [row({ seed: null, steps: null })] }));
    expect(el.textContent).toContain("a loop of one’s own, watched · running");
    expect(el.querySelector("progress")!.value).toBe(0);
    expect(el.textContent).not.toMatch(/null|NaN|undefined/);
  });

  it("names a loss weight, which scales the whole curve", () => {
    show(fakeModel({ _rows: [row({ loss_weight: 1e-5, seed: 4, status: "completed" })] }));
    expect(el.querySelector(".mw-run-detail")!.textContent).toBe("seed 4 · loss weight 1e−5 · completed");
  });

  it("stops the newest run that goes on, and only then", () => {
    const model = running();
    model.set("_rows", [row({ id: "run-2", status: "completed" }), row()]);
    show(model);
    button("Stop").click();
    expect(model.sent.at(-1)).toMatchObject({ kind: "stop", run: "run-1" });
    model.answer({ kind: "done", request: model.sent.at(-1)!["request"] });
    model.set("_rows", [row({ status: "stopped" })]);
    paint();
    expect(button("Stop").disabled).toBe(true);
  });

  it("names the run that progress is about when several go on", () => {
    const model = running();
    show(model);
    expect(el.querySelector(".mw-progress-text")!.textContent).toMatch(/^step 213/);
    model.set("_rows", [row({ id: "run-2", recipe: "bf16" }), row()]);
    paint();
    expect(el.querySelector(".mw-progress-text")!.textContent).toMatch(/^bf16: step 213/);
  });

  it("draws at most once a frame, and keeps the elements that stay", () => {
    const model = running();
    show(model);
    const line = el.querySelector(".mw-line");
    const path = line!.getAttribute("d");
    for (let step = 214; step < 250; step += 1) {
      model.set("_rows", [row({ step })]);
      model.set("_live", { "run-1": curves(2, 1, step / 100) });
    }
    expect(frames).toHaveLength(1);
    paint();
    expect(el.querySelector(".mw-line")).toBe(line);
    expect(line!.getAttribute("d")).not.toBe(path);
    expect(el.textContent).toContain("step 249 of 300");
  });

  it("shows and hides a run by its checkbox, without the kernel", () => {
    const model = running();
    model.set("_rows", [row({ id: "run-2", recipe: "fp32", scaled: false, status: "completed" }), row()]);
    model.set("_settled", { "run-2": curves(3, 2, 1) });
    show(model);
    expect(el.querySelectorAll("svg[role=img]")[0]!.querySelectorAll("path.mw-line")).toHaveLength(1);
    const box = [...el.querySelectorAll("label")].find((one) => one.textContent === "fp32")!.querySelector("input")!;
    box.click();
    paint();
    expect(model.get("_shown")).toEqual(["run-1", "run-2"]);
    const groups = [...el.querySelectorAll("svg[role=img]")[0]!.querySelectorAll("g.mw-run")];
    expect(groups.map((group) => group.getAttribute("class"))).toEqual(["mw-run mw-run-0", "mw-run mw-run-1"]);
    box.click();
    paint();
    expect(model.get("_shown")).toEqual(["run-1"]);
    expect(el.querySelectorAll("svg[role=img]")[0]!.querySelectorAll("g.mw-run")).toHaveLength(1);
  });

  it("tells a failed run in words, as text", () => {
    const payload = "<img src=x onerror=alert(1)></script>";
    show(fakeModel({ _rows: [row({ status: "crashed", message: payload, backend: payload, device: payload, recipe: payload })] }));
    expect(el.querySelector(".mw-callout")!.textContent).toContain(`crashed. ${payload}`);
    expect(el.querySelector("img")).toBeNull();
  });

  it("speaks of news only, and not at every step", () => {
    const model = running();
    show(model);
    const spoken = el.querySelector("[aria-live=polite]")!;
    expect(spoken.textContent).toBe("");
    model.set("_rows", [row({ step: 214 })]);
    paint();
    expect(spoken.textContent).toBe("");
    model.set("_rows", [row({ step: 300, status: "completed" })]);
    paint();
    expect(spoken.textContent).toBe("fp16 dynamic: completed");
  });

  it("says when there is nothing to see", () => {
    show(fakeModel({ _notice: "One run could not be read." }));
    expect(el.textContent).toContain("No runs yet.");
    expect(el.textContent).toContain("One run could not be read.");
    expect(button("Stop").disabled).toBe(true);
  });

  it("leaves nothing behind", () => {
    const model = running();
    const cleanup = show(model);
    model.set("_rows", []);
    cleanup();
    expect(model.listening()).toBe(0);
    expect(frames).toHaveLength(0);
    expect(el.childElementCount).toBe(0);
  });
});
