// The kernel's part of a TrainingLab, and a user's eyes and hands in its page.

import { afterEach, beforeEach, vi } from "vitest";
import { type NumberArray, writeFrame } from "#core/frame.ts";
import widget from "#mixwidgets/runs/widgets/training_lab/page.ts";
import type { NewestFigure, Row } from "#mixwidgets/runs/widgets/training_lab/state.ts";
import { fakeModel } from "./fake_model.ts";
import { bytes, float32 } from "./frames.ts";

const SETTINGS = [
  { name: "loss_weight", title: "loss weight", about: "A factor in the loss.", default: 1, whole: false, low: 5e-324, high: null },
  { name: "size", title: "size", about: "Multiplies the width.", default: 1, whole: true, low: 1, high: 64 },
  { name: "optimizer", title: "optimiser", about: "Adam, or SGD.", default: "adam", choices: { adam: "adam", sgd: "sgd" } },
  { name: "schedule", title: "schedule", about: "Of the rate.", default: "constant", choices: { constant: "constant", cosine: "like a cosine" } },
  { name: "momentum", title: "momentum", about: "SGD’s.", default: 0, whole: false, low: 0, high: 0.9999999999999999 },
  { name: "eps", title: "eps", about: "Adam’s.", default: 1e-8, whole: false, low: 5e-324, high: null },
];

/** The line about the newest step, as Python says it (`figures.NEWEST`). */
export const FIGURES: NewestFigure[] = [
  { name: "loss", unit: "loss", scaled: false }, { name: "loss_scale", unit: "loss scale", scaled: true }, { name: "skipped", unit: "count", scaled: true },
];

/** What the kernel of a lab without runs says. */
export const labModel = (changes: Record<string, unknown> = {}) => fakeModel({
  task: "digits_cnn", recipe: "fp32", changes: "", steps: 300, seed: 0, device: "auto", settings: "",
  _tasks: [
    { name: "digits_cnn", title: "Digits", explanation: "A small CNN.", steps: 300, settings: SETTINGS },
    { name: "mask", title: "Mask", explanation: "A canvas.", steps: 250, settings: SETTINGS.filter(({ name }) => name !== "size") },
  ],
  _scenarios: [
    { title: "Nothing breaks", question: "What breaks?", watch: "All learn alike.", choice: { task: "digits_cnn", recipe: ["fp32", "fp16_dynamic"], steps: 300, settings: "" } },
    { title: "Underflow", question: "Who learns?", watch: "The loss hardly moves.", choice: { task: "mask", recipe: ["fp32", "fp16_dynamic"], steps: 250, settings: "loss_weight=1e-05, eps=1e-12" } },
  ],
  _recipes: [
    { name: "fp32", heading: "FP32", brief: "Everything in FP32.", description: "Everything in FP32." },
    { name: "fp16_dynamic", heading: "FP16", brief: "FP16 copies of FP32 weights, loss scale that adapts", description: "The loss scale starts at 2¹⁶." },
  ],
  _devices: ["auto", "cpu"].map((name) => ({ name, about: "" })),
  _figures: FIGURES, _recipe_form: [], _rows: [], _live_rows: [], _settled: writeFrame({}), _live: writeFrame({}), _shown: [], _notice: "",
  _verdict: [], _code: {}, _comparison: {}, _explorer: null, _explorer_run: "", _runs_dir: "my/runs",
  ...changes,
});

/** A run that goes on. */
export const row = (changes: Partial<Row> = {}): Row => ({
  id: "run-1", task: "digits_cnn", recipe: "fp16_dynamic", changes: [], scaled: true, seed: 0, loss_weight: 1, batch_size: null, settings: null, steps: 300, step: 213,
  status: "running", position: null, message: "", device: "cpu", device_name: "", backend: "FP16 storage", loss: 0.25, loss_scale: 32768,
  skipped: 2, rate: 141, metrics: { accuracy: 0.972, loss: 0.1 },
  memory: null, work: null, flushed: 0.182, gradients: true, ...changes,
});

/** A run's curves, of which `writeFrame` makes `_settled` and `_live`. */
export function curves(...losses: number[]): NumberArray {
  return bytes(writeFrame({
    loss: float32(losses.map((loss, i) => [i + 1, loss])),
    scale: float32([[1, 16], [9, 15]]),
    skipped: float32([[8, 16]]),
    shares: float32([[1, 0, 0.5, 0.25, 0.25, 0, 0], [9, 0.5, 0.125, 0.125, 0.125, 0.0625, 0.0625]]),
  }));
}

/** A page for each test of a file, where things are found as a user finds them. */
export function stage() {
  let el: HTMLElement;
  beforeEach(() => {
    el = document.body.appendChild(document.createElement("div"));
    vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    document.body.replaceChildren();
  });
  const label = (text: string) => [...el.querySelectorAll("label")].find((one) => one.textContent === text);
  return {
    page: () => el,
    show: (model: ReturnType<typeof labModel>): (() => void) =>
      widget.render({ model: model as never, el, signal: new AbortController().signal } as never),
    button: (name: string) => [...el.querySelectorAll("button")].find((one) => one.textContent!.includes(name))!,
    field: (name: string) => el.querySelector<HTMLInputElement>(`#${label(name)!.htmlFor}`)!,
    /** The box of a run in the table, or of a recipe in the list. */
    box: (name: string, where: ".mw-runs" | ".mw-recipes" | ".mw-recipe-editor" = ".mw-runs") =>
      [...el.querySelectorAll(`${where} label`)].find((one) => one.textContent === name)!.querySelector("input")!,
    region: (name: string) => {
      const named = (one: Element) => one.getAttribute("aria-label") ?? el.querySelector(`#${one.getAttribute("aria-labelledby")}`)?.textContent;
      return [...el.querySelectorAll("section, [role=region]")].find((one) => named(one) === name)! as HTMLElement;
    },
    /** What describes a control, all together. */
    about: (control: HTMLElement) =>
      control.getAttribute("aria-describedby")!.split(" ").map((id) => el.querySelector(`#${id}`)!.textContent).filter(Boolean).join(" "),
    can: (button: HTMLElement) => button.getAttribute("aria-disabled") === null,
    type(input: HTMLInputElement | HTMLSelectElement, text: string) {
      input.value = text;
      input.dispatchEvent(new Event("change"));
    },
  };
}
