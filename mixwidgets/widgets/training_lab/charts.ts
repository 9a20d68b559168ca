// The loss and the loss scale of the shown runs, and of one of them its gradients; all over the same steps.

import { action } from "#ui/buttons.ts";
import { h, set, setText } from "#ui/dom.ts";
import { listed, sentences, t } from "#ui/messages.ts";
import { pointIn } from "#ui/pointer.ts";
import { chart, lineSample, type Series } from "./chart.ts";
import {
  type Axes, type Frame, lossAxes, lossPath, lossTicks, pointAt, reach, scaleAxes, scalePath, skipMarks, wholeTicks,
} from "./geometry.ts";
import { sharesChart } from "./shares_chart.ts";
import { isAlive, type Point, type ShownRun } from "./state.ts";
import { axisNumber, count, decimal, powerOfTwo, scale } from "./words.ts";

const MARK = 9;
const LABEL_CHARACTER = 7.4; // px, about, at the labels' size
const NARROW = 400; // px; below, and where names are long, the key stands over the charts instead of beside the lines
const MOST_NAMES = 0.3; // of the width
const TICK_ROOM = 64; // px

/** `draw` takes the runs to draw, and which of them has its gradients drawn. `open` gets the run whose gradients the
 * user asks for, and the step under the hand. */
export function charts(open: (run: string, step: number) => void): { element: HTMLElement; draw: (width: number, runs: readonly ShownRun[], one: ShownRun | undefined) => void; opener: HTMLElement } {
  const loss = chart(t("lab.loss"), t("lab.loss_note"));
  const lossScale = chart(t("lab.loss_scale"), t("lab.loss_scale_note"));
  const gradients = sharesChart();
  const key = h("p", { class: "mw-row mw-key", "aria-hidden": "true" });
  const box = h("input", { type: "checkbox" });
  const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": t("lab.step_at_hand") });
  const said = h("p", { class: "mw-note mw-step-said" });
  const opener = action(t("lab.open_step"), () => last?.one && open(last.one.row.id, slider.valueAsNumber));
  const hand = h("div", { class: "mw-stack-tight" },
    h("div", { class: "mw-row mw-step-hand" }, slider, h("label", { class: "mw-row" }, box, t("lab.log_axis")), opener.element), said);
  const element = h("div", { class: "mw-charts" }, key, loss.element, lossScale.element, gradients.element, hand);
  let last: { width: number; runs: readonly ShownRun[]; one: ShownRun | undefined; x: Axes["x"] } | undefined;
  let isHeld = false; // else the slider stays at the newest step

  box.addEventListener("change", () => last && draw(last.width, last.runs, last.one));
  slider.addEventListener("input", () => look(slider.valueAsNumber));
  for (const { svg } of [loss, lossScale, gradients]) {
    svg.addEventListener("pointermove", (event) => last && look(Math.round(last.x.invert(pointIn(svg, event).x))));
  }

  /** Read every chart at a step. */
  function look(step: number): void {
    slider.valueAsNumber = Math.min(Math.max(step, 0), Number(slider.max));
    isHeld = slider.value !== slider.max;
    read();
  }
  function read(): void {
    if (!last) return;
    const step = slider.valueAsNumber;
    const isEmpty = last.runs.length === 0;
    for (const one of [loss, lossScale, gradients]) one.mark(isEmpty || !isHeld ? null : last.x(step));
    const figures = isEmpty ? [] : last.runs.map((run) => atStep(run, step));
    setText(said, isEmpty ? "" : `${t("lab.step_is", { step: count(step) })} · ${figures.join(" · ")}`);
    set(slider, { "aria-valuetext": said.textContent });
    set(hand, { hidden: isEmpty });
    opener.allow(last.one && last.one.curves.shares.length > 0 ? "" : t("lab.no_shares"), last.one && t("lab.gradients_of", { name: last.one.name }));
  }

  const draw = (width: number, runs: readonly ShownRun[], one: ShownRun | undefined) => {
    const longest = runs.reduce((most, run) => Math.max(most, lossLabel(run).length), 0);
    const room = Math.round(38 + longest * LABEL_CHARACTER);
    const isNarrow = width < NARROW || room > MOST_NAMES * width;
    showKey(key, isNarrow ? runs : []);
    const right = isNarrow || longest === 0 ? 12 : room;
    const steps = runs.reduce((most, { row }) => Math.max(most, reach(row.steps ?? row.step, row.step, isAlive(row))), 0);
    const frame = { width, left: 58, right, top: 8, bottom: 24 };

    const lossFrame = { ...frame, height: element.closest("[data-stage]") ? 140 : 210 }; // the stage has another width: it is drawn anew
    const isLog = box.checked;
    const lossXY = lossAxes(lossFrame, runs.map((run) => run.curves.loss), steps, isLog);
    setText(loss.note, t(runs.some(({ row }) => row.loss_weight !== 1) ? "lab.loss_note_weighted" : "lab.loss_note"));
    loss.draw({
      ...axesTicks(lossFrame, lossXY, lossTicks(lossXY, isLog).map((at) => ({ at: lossXY.y(at), text: axisNumber(at) }))),
      series: runs.map((run) => series(run, lossXY, lossPath(lossXY, run.curves.loss), "", run.curves.loss, lossLabel(run))),
      named: !isNarrow,
      empty: t("lab.no_curves"),
      summary: runs.length === 0 ? t("lab.no_curves") : sentences([t("lab.loss_summary"), ...runs.map(lossWords)]),
    });

    const scaled = runs.filter((run) => run.row.scaled);
    const scaleFrame = { ...frame, height: 128 };
    const scaleXY = scaleAxes(scaleFrame, scaled.map((run) => run.curves.scale), steps);
    lossScale.draw({
      ...axesTicks(
        scaleFrame,
        scaleXY,
        scaled.length === 0 ? [] : wholeTicks(scaleXY.y, 4).map((at) => ({ at: scaleXY.y(at), text: powerOfTwo(at) })),
      ),
      series: scaled.map((run) => {
        const path = scalePath(scaleXY, run.curves.scale, run.row.step);
        return series(run, scaleXY, path, skipMarks(scaleXY, run.curves.skipped, MARK), run.curves.scale, run.name);
      }),
      named: !isNarrow,
      empty: runs.length === 0 ? "" : t("lab.no_scales"),
      summary: scaled.length === 0 ? t("lab.no_scales") : sentences([t("lab.scale_summary"), ...scaled.map(scaleWords)]),
    });

    const sharesFrame = { ...frame, height: 112 };
    gradients.draw(sharesFrame, lossXY.x, axesTicks(sharesFrame, lossXY, []).xTicks, one);
    set(slider, { max: Math.max(1, steps) });
    if (!isHeld) slider.valueAsNumber = Math.max(1, steps);
    last = { width, runs, one, x: lossXY.x };
    read();
  };
  return { element, draw, opener: opener.element };
}

/** "fp16 #2: loss 0.31, loss scale 2¹⁶". */
function atStep({ name, row, curves }: ShownRun, step: number): string {
  const [loss, scale] = [pointAt(curves.loss, step), row.scaled ? pointAt(curves.scale, step) : undefined];
  const parts = [t("lab.newest_loss", { loss: loss ? decimal(loss.value) : "–" })];
  if (scale && Number.isFinite(scale.value)) parts.push(t("lab.newest_scale", { scale: powerOfTwo(scale.value) }));
  return `${name}: ${listed(parts)}`;
}

/** One sample and name a run; none where the lines carry their names themselves. */
function showKey(key: HTMLElement, runs: readonly ShownRun[]): void {
  const wanted = runs.map((run) => `${run.style} ${lossLabel(run)}`).join("|");
  set(key, { hidden: runs.length === 0 });
  if (key.dataset["shows"] === wanted) return;
  key.dataset["shows"] = wanted;
  key.replaceChildren(
    ...runs.map((run) => {
      const sample = lineSample();
      sample.show(run.style);
      return h("span", { class: "mw-row" }, sample.element, lossLabel(run));
    }),
  );
}

function axesTicks(frame: Frame, axes: Axes, yTicks: { at: number; text: string }[]) {
  const xTicks = wholeTicks(axes.x, (frame.width - frame.left - frame.right) / TICK_ROOM).map((at) => ({ at: axes.x(at), text: count(at) }));
  return { frame, xTicks, yTicks };
}

function series(run: ShownRun, axes: Axes, path: string, marks: string, curve: readonly Point[], name: string): Series {
  const last = curve.findLast((point) => Number.isFinite(point.value));
  const end = axes.y(last?.value ?? axes.y.domain()[0]!);
  return { id: run.row.id, name, style: run.style, path, marks, end };
}

/** What a run's lines are called: a loss that is not finite leaves a gap in its line: its label says so. */
const lossLabel = ({ name, row }: ShownRun): string => (typeof row.loss === "string" ? `${name}: ${decimal(row.loss)}` : name);

const lossWords = ({ name, row, curves }: ShownRun): string =>
  t("lab.loss_words", { name, first: decimal(curves.loss[0]?.value ?? null), last: decimal(row.loss), step: count(row.step) });

const scaleWords = ({ name, row }: ShownRun): string =>
  t("lab.scale_words", { name, scale: scale(row.loss_scale), skipped: count(row.skipped) });
