// A slider over the snapshots of a run, under its loss: which step's gradients are shown.

import { batch, computed } from "@preact/signals-core";
import { scaleLinear } from "d3-scale";
import { readFrame, rowsOf } from "#core/frame.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { integer } from "#ui/digits.ts";
import { number, powerOfAny } from "#ui/ruler/words.ts";
import type { Explored } from "./state.ts";

const HEIGHT = 44;
const PAD = 5; // above and below the curve
const LEAST_WIDTH = 120;
const THUMB = 9; // half of a slider's thumb

export function timeline({ view, snapshots, snapshot, looked }: Explored): HTMLElement {
  const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": t("explorer.step") });
  const line = s("path", { class: "mw-loss-line" });
  const mark = s("path", { class: "mw-plot-here", d: `M0 0V${HEIGHT}` });
  const plot = s("svg", { role: "img", class: "mw-loss-plot", height: HEIGHT }, line, mark);
  const words = h("span", { class: "mw-step-text" });
  const thinned = h("span", { class: "mw-note" });
  const [first, last] = [h("span", { class: "mw-num mw-muted", "aria-hidden": "true" }), h("span", { class: "mw-num mw-muted", "aria-hidden": "true" })];
  const element = h("div", { class: "mw-stack-tight" },
    h("p", { class: "mw-plot-caption" }, words, thinned),
    h("div", { class: "mw-step-row" }, first, h("div", { class: "mw-step-track" }, plot, slider), last));
  const [loss, seen, width] = [view.trait("_loss"), view.trait("_seen"), view.width(slider)];
  const steps = computed(() => snapshots.value.map(({ step }) => step));
  const index = computed(() => steps.value.indexOf(snapshot.value.step));
  /** Those within the snapshots. */
  const losses = computed(() => rowsOf(readFrame(loss.value).arrays.get("loss")!).map(([step, loss]) => ({ step: step!, loss: loss! }))
    .filter(({ step }) => step >= steps.value[0]! && step <= steps.value.at(-1)!));
  /** The slider's places are the snapshots, evenly; between two of them steps are spread evenly. */
  const places = computed(() => scaleLinear([0, steps.value.length - 1], [THUMB, Math.max(width.value, LEAST_WIDTH) - THUMB]));

  slider.addEventListener("input", () => (looked.value = steps.value[slider.valueAsNumber]!));
  for (const released of ["change", "pointerup"]) slider.addEventListener(released, letGo); // a slider that is back where it began sends no change

  function letGo(): void {
    const step = looked.value;
    if (step === null) return;
    batch(() => {
      looked.value = null;
      view.send("step", step === steps.value.at(-1) ? 0 : step); // at its last place it stays with the newest
    });
  }

  view.effect(() => {
    const { length } = steps.value;
    element.hidden = length < 2;
    setText(first, integer(steps.value[0] ?? 0));
    setText(last, integer(steps.value.at(-1) ?? 0));
    setText(thinned, t(seen.value > length ? "explorer.thinned" : "explorer.snapshots", { kept: integer(length), seen: integer(seen.value) }));
    set(slider, { max: Math.max(length - 1, 1) });
    if (looked.value === null) slider.valueAsNumber = index.value;
  });
  view.effect(() => {
    const { step, loss, lossScale } = snapshot.value;
    const parts = [t(index.value === steps.value.length - 1 ? "explorer.step_newest" : "explorer.step_is", { step: integer(step) })];
    if (losses.value.length > 0) parts.push(t("explorer.step_loss", { loss: number(loss) }));
    if (lossScale > 0) parts.push(t("explorer.step_scale", { scale: powerOfAny(lossScale) }));
    setText(words, parts.join(" · "));
    set(slider, { "aria-valuetext": listed(parts) });
  });
  view.effect(() => {
    const [start, end] = [losses.value[0], losses.value.at(-1)];
    set(plot, { hidden: losses.value.length < 2 });
    if (!start || !end || steps.value.length < 2) return;
    const x = scaleLinear(steps.value, steps.value.map((_, i) => places.value(i)));
    const finite = losses.value.map(({ loss }) => loss).filter(Number.isFinite);
    const y = scaleLinear([Math.min(...finite), Math.max(...finite)], [HEIGHT - PAD, PAD]);
    let pen = "M";
    const path = losses.value.map(({ step, loss }) => {
      if (!Number.isFinite(loss)) return ((pen = "M"), "");
      const place = `${pen}${x(step).toFixed(1)} ${y(loss).toFixed(1)}`;
      pen = "L";
      return place;
    });
    set(line, { d: path.join("") });
    set(plot, {
      viewBox: `0 0 ${Math.max(width.value, LEAST_WIDTH)} ${HEIGHT}`,
      "aria-label": t("explorer.loss_plot", { from: number(start.loss), first: start.step, to: number(end.loss), last: end.step }),
    });
  });
  view.effect(() => set(mark, { transform: `translate(${places.value(index.value).toFixed(1)} 0)` }));
  return element;
}
