// The steps of several charts: which of them are shown, and which is read out. With the pointer, hover to read a step, click to
// keep it, drag to zoom, double-click to show all; with the keyboard, use the slider, +, − and Escape.

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { clamp } from "#core/range.ts";
import { announcer } from "#ui/announcer.ts";
import { action } from "#ui/buttons.ts";
import { h, set, setText } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { keysNote } from "#ui/term.ts";
import { integer } from "#ui/digits.ts";
import type { View } from "#ui/view.ts";
import { type Part, wholePart } from "./geometry.ts";
import type { Plot } from "./chart.ts";

const LEAST = 4; // steps, at the closest zoom
const CLICK = 4; // px that the pointer may move in a click

/** `all`: the number of steps. `read`: the charts' values at a step in words, "" if they are empty. `more`: elements beside
 * the controls. The returned `element` has the charts and, below them, the controls. */
export function steps(
  view: View, all: ReadonlySignal<number>, plots: readonly Pick<Plot, "element" | "svg" | "mark" | "stepAt">[],
  read: (step: number) => string, ...more: HTMLElement[]
) {
  const zoom = signal<Part | null>(null);
  const [kept, pointed, dragged, isLog] = [signal<number | null>(null), signal<number | null>(null), signal<[number, number] | null>(null), signal(false)];
  const whole = computed(() => wholePart(all.value));
  const part = computed(() => (zoom.value && zoom.value.to <= whole.value.to ? zoom.value : whole.value));
  /** The step that is read out: that under the pointer, else the kept one, else the newest. */
  const step = computed(() => Math.min(pointed.value ?? kept.value ?? Infinity, whole.value.to));

  /** The kept step, updated when the slider is released and not while it moves; 0 if none is kept. */
  const settled = signal(0);
  const settle = () => (settled.value = kept.value ?? 0);
  const keep = (wanted: number) => {
    kept.value = wanted < whole.value.to ? wanted : null; // follow the newest step
    const { from, to, isWhole } = part.value;
    if (!isWhole && (wanted < from || wanted > to)) show(wanted - (to - from) / 2, to - from);
  };
  /** Show `size` steps from `from` on, within the steps that exist. */
  const show = (from: number, size: number) => {
    const all = whole.value.to;
    const length = Math.max(LEAST, Math.round(size));
    const first = Math.round(clamp(from, 0, all - length));
    zoom.value = length < all ? { from: first, to: first + length, isWhole: false } : null;
  };
  /** Zoom around the step that is read out. */
  const zoomBy = (factor: number) => {
    const { from, to } = part.value;
    const fixed = step.value >= from && step.value <= to ? step.value : (from + to) / 2;
    show(fixed - (fixed - from) * factor, (to - from) * factor);
  };

  const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": t("chart.step") });
  slider.addEventListener("input", () => {
    pointed.value = null;
    keep(slider.valueAsNumber);
  });
  slider.addEventListener("change", settle);
  const box = h("input", { type: "checkbox" });
  box.addEventListener("change", () => (isLog.value = box.checked));
  const [closer, wider, back] = [
    action("+", () => zoomBy(0.5)), action("−", () => zoomBy(2)), action(t("chart.all_steps"), () => (zoom.value = null)),
  ];
  set(closer.element, { "aria-label": t("chart.zoom_in") });
  set(wider.element, { "aria-label": t("chart.zoom_out") });
  const values = h("p", { class: "mw-note mw-step-said" });
  const spoken = announcer(view);
  const controls = h("div", { class: "mw-stack-tight" },
    h("div", { class: "mw-row mw-step-hand" }, slider, closer.element, wider.element, back.element, h("label", { class: "mw-row" }, box, t("chart.log_axis")), ...more, keysNote("chart.keys")),
    values, spoken.element);
  const element = h("div", { class: "mw-charts" }, ...plots.map((plot) => plot.element), controls);

  element.addEventListener("keydown", (event) => {
    if (hasModifier(event)) return;
    if (event.key === "+" || event.key === "=") zoomBy(0.5);
    else if (event.key === "-" || event.key === "_") zoomBy(2);
    else if (event.key === "Escape" && dragged.value) dragged.value = null;
    else if (event.key === "Escape" && zoom.value) zoom.value = null;
    else return;
    event.preventDefault();
  });
  plots.forEach(follow);

  function follow({ svg, stepAt }: Pick<Plot, "svg" | "stepAt">): void {
    let pressed: { x: number; step: number; isDrag: boolean } | null = null;
    let before: number | null = null; // the kept step before a click, to return to if it becomes a double-click
    svg.addEventListener("pointerdown", (event) => {
      if (event.button === 0) pressed = { x: event.clientX, step: stepAt(event), isDrag: false };
    });
    svg.addEventListener("pointermove", (event) => {
      pointed.value = stepAt(event);
      if (event.buttons === 0) pressed = null;
      if (!pressed || (!pressed.isDrag && Math.abs(event.clientX - pressed.x) <= CLICK)) return;
      if (!pressed.isDrag) svg.setPointerCapture(event.pointerId); // the pointer may leave the chart
      if (!pressed.isDrag || dragged.value) dragged.value = [pressed.step, pointed.value]; // not after Escape
      pressed.isDrag = true;
    });
    svg.addEventListener("pointerup", () => {
      if (dragged.value) {
        const [from, to] = dragged.value.toSorted((a, b) => a - b) as [number, number];
        if (to > from) show(from, to - from);
        pointed.value = null; // after zooming, another step is under the pointer
      }
      dragged.value = null;
    });
    svg.addEventListener("click", ({ detail }) => {
      if (pressed && !pressed.isDrag) {
        if (detail < 2) before = kept.value;
        keep(pressed.step);
        settle();
      }
      pressed = null;
    });
    svg.addEventListener("dblclick", () => {
      zoom.value = null;
      kept.value = before;
      settle();
    });
    svg.addEventListener("pointercancel", () => (pressed = dragged.value = pointed.value = null));
    svg.addEventListener("pointerleave", () => (pointed.value = null));
  }

  view.effect(() => {
    const wanted = { read: pointed.value === null ? kept.value : step.value, kept: kept.value, dragged: dragged.value };
    for (const plot of plots) plot.mark(wanted);
  });
  view.effect(() => {
    const text = read(step.value);
    set(controls, { hidden: text === "" });
    set(slider, { max: whole.value.to, "aria-valuetext": text });
    slider.valueAsNumber = step.value;
    setText(values, text);
  });
  view.effect(() => {
    const { from, to, isWhole } = part.value;
    closer.allow(to - from > LEAST ? "" : t("chart.closest"), t("chart.zoom_in"));
    wider.allow(isWhole ? t("chart.all_shown") : "", t("chart.zoom_out"));
    back.allow(isWhole ? t("chart.all_shown") : "");
  });
  view.onChange(zoom, () => {
    const { from, to } = part.value;
    spoken.say(t("chart.steps_shown", { from: integer(from), to: integer(to), all: integer(whole.value.to) }));
  });
  return { element, part, step, settled, isLog };
}
