// A slider over the snapshots of a run, under its loss: which step's gradients are shown.

import { scaleLinear } from "d3-scale";
import type { History, Snapshot } from "#core/gradients/snapshots.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { integer, number, powerOfAny } from "./words.ts";

const HEIGHT = 44;
const PAD = 5; // above and below the curve
const THUMB = 8; // half of a slider's thumb

interface Actions {
  /** While the slider moves; 0 means the newest. */
  look(step: number): void;
  /** Once, when it is let go. */
  commit(step: number): void;
}

export interface Timeline {
  readonly element: HTMLElement;
  /** Take the steps that there are, the loss as float32 pairs (step, loss), and how many snapshots there were. */
  replace(history: History, loss: DataView, seen: number): void;
  /** Lay out for the width that there is. */
  layout(): void;
  show(snapshot: Snapshot): void;
  /** Whether the slider is being moved. */
  isHeld(): boolean;
}

export function timeline({ look, commit }: Actions): Timeline {
  const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": t("explorer.step") });
  const line = s("path", { class: "mw-loss-line" });
  const mark = s("path", { class: "mw-plot-here", d: `M0 0V${HEIGHT}` });
  const plot = s("svg", { role: "img", class: "mw-loss-plot", height: HEIGHT }, line, mark);
  const said = h("span", { class: "mw-step-text" });
  const thinned = h("span", { class: "mw-note" });
  const [first, last] = [h("span", { class: "mw-num mw-muted", "aria-hidden": "true" }), h("span", { class: "mw-num mw-muted", "aria-hidden": "true" })];
  const element = h("div", { class: "mw-stack-tight", hidden: true },
    h("p", { class: "mw-plot-caption" }, said, thinned),
    h("div", { class: "mw-scale-row mw-step-row" }, first, h("div", { class: "mw-scale-track" }, plot, slider), last));
  let steps: readonly number[] = [];
  let losses: { step: number; loss: number }[] = [];
  const places = scaleLinear([0, 1], [THUMB, 120 - THUMB]);
  let shown: Snapshot | undefined;
  let held = false;

  /** The last place of the slider is the newest snapshot, and stays it. */
  const stepAt = (index: number) => (index === steps.length - 1 ? 0 : steps[index]!);
  slider.addEventListener("input", () => {
    held = true;
    look(stepAt(slider.valueAsNumber));
  });
  slider.addEventListener("change", () => {
    held = false;
    commit(stepAt(slider.valueAsNumber));
  });

  function replace(history: History, loss: DataView, seen: number): void {
    ({ steps } = history);
    element.hidden = steps.length < 2;
    const [from, to] = [steps[0] ?? 0, steps.at(-1) ?? 0];
    losses = Array.from({ length: loss.byteLength / 8 }, (_, i) => (
      { step: loss.getFloat32(8 * i, true), loss: loss.getFloat32(8 * i + 4, true) }
    )).filter(({ step }) => step >= from && step <= to);
    set(slider, { max: Math.max(steps.length - 1, 1) });
    setText(first, integer(from));
    setText(last, integer(to));
    const args = { kept: integer(steps.length), seen: integer(seen) };
    setText(thinned, t(seen > steps.length ? "explorer.thinned" : "explorer.snapshots", args));
    plot.toggleAttribute("hidden", losses.length < 2);
    if (shown) show(shown);
    layout();
  }

  function layout(): void {
    if (steps.length < 2) return;
    const width = Math.max(slider.clientWidth, 120);
    // The slider's places are the snapshots, evenly; between two of them steps are spread evenly.
    places.domain([0, steps.length - 1]).range([THUMB, width - THUMB]);
    const x = scaleLinear(steps, steps.map((_, i) => places(i)));
    const finite = losses.map(({ loss }) => loss).filter(Number.isFinite);
    const y = scaleLinear([Math.min(...finite), Math.max(...finite)], [HEIGHT - PAD, PAD]);
    let pen = "M";
    const path = losses.map(({ step, loss }) => {
      if (!Number.isFinite(loss)) return ((pen = "M"), "");
      const place = `${pen}${x(step).toFixed(1)} ${y(loss).toFixed(1)}`;
      pen = "L";
      return place;
    });
    set(plot, { viewBox: `0 0 ${width} ${HEIGHT}` });
    set(line, { d: path.join("") });
    point();
    const [start, end] = [losses[0], losses.at(-1)];
    if (start && end) set(plot, { "aria-label": t("explorer.loss_plot", { from: number(start.loss), first: start.step, to: number(end.loss), last: end.step }) });
  }

  function point(): void {
    if (shown) set(mark, { transform: `translate(${places(steps.indexOf(shown.step)).toFixed(1)} 0)` });
  }

  function show(snapshot: Snapshot): void {
    shown = snapshot;
    const index = steps.indexOf(snapshot.step);
    if (!held) slider.valueAsNumber = index;
    const parts = [t(index === steps.length - 1 ? "explorer.step_newest" : "explorer.step_is", { step: integer(snapshot.step) })];
    if (losses.length > 0) parts.push(t("explorer.step_loss", { loss: number(snapshot.loss) }));
    if (snapshot.lossScale > 0) parts.push(t("explorer.step_scale", { scale: powerOfAny(snapshot.lossScale) }));
    setText(said, parts.join(" · "));
    set(slider, { "aria-valuetext": listed(parts) });
    point();
  }

  return { element, replace, layout, show, isHeld: () => held };
}
