// The loss and the loss scale of the shown runs, and of one of them its gradients; all over the same steps.

import { computed } from "@preact/signals-core";
import { action } from "#ui/buttons.ts";
import { chart, lineKey, type Series } from "#ui/chart/chart.ts";
import { type Axes, lossAxes, lossPath, lossTicks, type Point, pointAt, wholeTicks, within } from "#ui/chart/geometry.ts";
import { steps } from "#ui/chart/steps.ts";
import { setText } from "#ui/dom.ts";
import { listed, sentences, t } from "#ui/messages.ts";
import { integer, twoTo } from "#ui/digits.ts";
import { axisNumber, decimal } from "#ui/run_words.ts";
import type { GradientsPanel } from "./gradients_panel.ts";
import { reach, scaleAxes, scalePath, skipMarks } from "./geometry.ts";
import type { Lab } from "./lab.ts";
import { sharesChart } from "./shares_chart.ts";
import { isAlive, type Row, type ShownRun } from "./state.ts";
import { scale } from "./words.ts";

const MARK = 9;

/** Of one of the runs that are drawn the gradients are drawn too. */
export function charts({ view, drawn, atHand }: Lab, { open, follow }: GradientsPanel): HTMLElement {
  const one = computed(() => withGradients(drawn.value, atHand.value));
  const loss = chart(t("lab.loss"), t("lab.loss_note"));
  const lossScale = chart(t("lab.loss_scale"), t("lab.loss_scale_note"));
  const gradients = sharesChart();
  const key = lineKey();
  const opener = action(t("lab.open_step"), () => one.value && open(opener.element, { run: one.value.row.id, step: step.value }));
  const all = computed(() => drawn.value.reduce((most, { row }) => Math.max(most, reach(row.steps ?? row.step, row.step, isAlive(row))), 0));
  const read = (step: number) => [t("chart.step_is", { step: integer(step) }), ...drawn.value.map((run) => atStep(run, step))].join(" · ");
  const { element, part, step, settled, isLog } = steps(view, all, [loss, lossScale, gradients], (at) => (drawn.value.length > 0 ? read(at) : ""), opener.element);
  element.prepend(key.element);
  view.onChange(settled, follow);
  const size = view.width(element);

  view.effect(() => {
    const runs = drawn.value;
    const width = Math.max(240, Math.round(size.value) || 560);
    const { named, right } = key.place(width, runs.map((run) => ({ name: lossLabel(run), style: run.style })));
    const frame = { width, left: 58, right, top: 8, bottom: 24 };

    const lossFrame = { ...frame, height: element.closest("[data-stage]") ? 120 : 210 }; // the stage has another width: it is drawn anew
    const lossXY = lossAxes(lossFrame, runs.map((run) => run.curves.loss), part.value, isLog.value);
    setText(loss.note, t(runs.some(({ row }) => row.loss_weight !== 1) ? "lab.loss_note_weighted" : "lab.loss_note"));
    loss.draw({
      frame: lossFrame,
      x: lossXY.x,
      yTicks: lossTicks(lossXY, isLog.value).map((at) => ({ at: lossXY.y(at), text: axisNumber(at) })),
      series: runs.map((run) => ({ ...series(run, lossXY, run.curves.loss), name: lossLabel(run), path: lossPath(lossXY, run.curves.loss) })),
      named,
      empty: t("lab.no_curves"),
      summary: runs.length === 0 ? t("lab.no_curves") : sentences([t("lab.loss_summary"), ...runs.map(lossWords)]),
    });

    const scaled = runs.filter((run) => run.row.scaled);
    const scaleFrame = { ...frame, height: 128 };
    const scaleXY = scaleAxes(scaleFrame, scaled.map((run) => run.curves.scale), part.value);
    lossScale.draw({
      frame: scaleFrame,
      x: scaleXY.x,
      yTicks: scaled.length === 0 ? [] : wholeTicks(scaleXY.y, 4).map((at) => ({ at: scaleXY.y(at), text: twoTo(at) })),
      series: scaled.map((run) => ({
        ...series(run, scaleXY, run.curves.scale),
        path: scalePath(scaleXY, run.curves.scale, run.row.step),
        marks: skipMarks(scaleXY, run.curves.skipped, MARK),
      })),
      named,
      empty: runs.length === 0 ? "" : t("lab.no_scales"),
      summary: scaled.length === 0 ? t("lab.no_scales") : sentences([t("lab.scale_summary"), ...scaled.map(scaleWords)]),
    });
    gradients.draw({ ...frame, height: 112 }, lossXY.x, one.value);
  });
  view.effect(() => opener.allow(
    one.value && one.value.curves.shares.length > 0 ? "" : t("lab.no_shares"), one.value && t("lab.gradients_of", { name: one.value.name })));

  function series({ row, name, style }: ShownRun, { y }: Axes, curve: readonly Point[]): Omit<Series, "path"> {
    const last = within(curve, part.value).findLast((point) => Number.isFinite(point.value));
    return { id: row.id, name, style, end: y(last?.value ?? y.domain()[0]!) };
  }
  return element;
}

/** Whose gradients are drawn: the run selected alone, else the one at hand, else the newest of the selected that has some. */
function withGradients(shown: readonly ShownRun[], atHand: Row | undefined): ShownRun | undefined {
  const known = shown.filter(({ curves }) => curves.shares.length > 0);
  if (shown.length === 1) return shown[0];
  return known.find(({ row }) => row.id === atHand?.id) ?? known.sort((a, b) => (a.row.id < b.row.id ? 1 : -1))[0];
}

/** "fp16 #2: loss 0.31, loss scale 2¹⁶". */
function atStep({ name, row, curves }: ShownRun, step: number): string {
  const [loss, scale] = [pointAt(curves.loss, step), row.scaled ? pointAt(curves.scale, step) : undefined];
  const parts = [t("lab.newest_loss", { loss: loss ? decimal(loss.value) : "–" })];
  if (scale && Number.isFinite(scale.value)) parts.push(t("lab.newest_scale", { scale: twoTo(scale.value) }));
  return t("common.named", { name, what: listed(parts) });
}

/** What a run's lines are called: a loss that is not finite leaves a gap in its line: its label says so. */
const lossLabel = ({ name, row }: ShownRun): string => (typeof row.loss === "string" ? t("common.named", { name, what: decimal(row.loss) }) : name);

const lossWords = ({ name, row, curves }: ShownRun): string =>
  t("lab.loss_words", { name, first: decimal(curves.loss[0]?.value ?? null), last: decimal(row.loss), step: integer(row.step) });

const scaleWords = ({ name, row }: ShownRun): string =>
  t("lab.scale_words", { name, scale: scale(row.loss_scale), skipped: integer(row.skipped) });
