// The charts of the shown runs over the same steps: loss, loss scale, and what became of the gradients.

import { extent } from "#core/range.ts";
import { computed } from "@preact/signals-core";
import { pathRound } from "d3-path";
import { scaleLinear } from "d3-scale";
import { action } from "#ui/buttons.ts";
import { chart, lineKey, type Series } from "#ui/chart/chart.ts";
import { type Axes, bandPath, finite, type Frame, lossAxes, lossPath, lossTicks, type Part, type Point, pointAt, stepAxis, wholeTicks, within } from "#ui/chart/geometry.ts";
import { steps } from "#ui/chart/steps.ts";
import { integer, twoTo } from "#ui/digits.ts";
import { h, set, setText } from "#ui/dom.ts";
import { listed, sentences, t } from "#ui/messages.ts";
import { axisNumber, decimal } from "#ui/run_words.ts";
import type { Lab } from "./lab.ts";
import type { GradientsPanel } from "./panels.ts";
import { type Line, linesOf } from "./lines.ts";
import { type Finding, isAlive, isKnown, type ShownRun } from "./state.ts";
import { sharesSaid, stripsChart } from "./strips.ts";
import { scale, spaced } from "./words.ts";

const MARK = 9;

/** The charts of the runs that are drawn. */
export function charts({ view, drawn, selected }: Lab, { open, follow }: GradientsPanel): HTMLElement {
  const findings = view.trait("_verdict");
  const titles = new Map(view.model.get("_tasks").map(({ name, title }) => [name, title]));
  const lines = computed(() => linesOf(drawn.value));
  const counted = computed(() => withGradients(lines.value, findings.value));
  const focused = computed(() => counted.value[0]);
  const loss = chart(t("lab.loss"), t("lab.loss_note"));
  const lossScale = chart(t("lab.loss_scale"), t("lab.loss_scale_note"));
  const gradients = stripsChart();
  const key = lineKey();
  const opener = action(t("lab.open_step"), () => focused.value && open(opener.element, { run: focused.value.row.id, step: step.value }));
  const all = computed(() => drawn.value.reduce((most, { row }) => Math.max(most, reach(row.steps ?? row.step, row.step, isAlive(row))), 0));
  const read = (step: number) => [t("chart.step_is", { step: integer(step) }), ...lines.value.map((line) => atStep(line, step, lines.value.length < 4))].join(" · ");
  const { element, part, step, settled, isLog } = steps(view, all, [loss, lossScale, gradients], (at) => (drawn.value.length > 0 ? read(at) : ""), opener.element);
  const apart = h("p", { class: "mw-note" });
  element.prepend(apart, key.element);
  view.onChange(settled, follow);
  const size = view.width(element);

  view.effect(() => {
    const [all, shown] = [selected.value.length, drawn.value];
    const task = shown[0]?.row.task ?? "";
    set(apart, { hidden: all === shown.length });
    setText(apart, t("lab.drawn_apart", { count: integer(shown.length), all: integer(all), task: titles.get(task) ?? task }));
  });
  view.effect(() => {
    const [runs, all] = [drawn.value, lines.value];
    const width = Math.max(240, Math.round(size.value) || 560);
    const { named, right } = key.place(width, all.map((line) => ({ name: lossLabel(line), style: line.style })));
    const frame = { width, left: 58, right, top: 8, bottom: 24 };

    const lossFrame = { ...frame, height: element.closest("[data-stage]") ? 120 : 210 }; // the stage has another width: it is drawn anew
    const lossXY = lossAxes(lossFrame, runs.map((run) => run.curves.loss), part.value, isLog.value);
    setText(loss.note, t(runs.some(({ row }) => row.loss_weight !== 1) ? "lab.loss_note_weighted" : "lab.loss_note"));
    loss.draw({
      frame: lossFrame,
      x: lossXY.x,
      yTicks: lossTicks(lossXY, isLog.value).map((at) => ({ at: lossXY.y(at), text: axisNumber(at) })),
      series: all.map((line) => ({
        ...series(line, lossXY, line.loss), name: lossLabel(line), path: lossPath(lossXY, line.loss), band: bandPath(lossXY, within(line.range, part.value)),
      })),
      named,
      empty: t("lab.no_curves"),
      summary: runs.length === 0 ? t("lab.no_curves") : sentences([t("lab.loss_summary"), ...runs.flatMap((run) => [lossWords(run), ...changeWords(run)])]),
    });

    const scaled = runs.filter((run) => run.row.scaled);
    const scaledLines = all.filter(({ runs }) => runs[0]!.row.scaled);
    const scaleFrame = { ...frame, height: 128 };
    const scaleXY = scaleAxes(scaleFrame, scaled.map((run) => run.curves.scale), part.value);
    lossScale.draw({
      frame: scaleFrame,
      x: scaleXY.x,
      yTicks: scaled.length === 0 ? [] : wholeTicks(scaleXY.y, 4).map((at) => ({ at: scaleXY.y(at), text: twoTo(at) })),
      series: scaledLines.map((line) => ({
        ...series(line, scaleXY, line.runs[0]!.curves.scale),
        path: line.runs.map(({ row, curves }) => scalePath(scaleXY, curves.scale, row.step)).join(""),
        marks: line.runs.map(({ curves }) => skipMarks(scaleXY, curves.skipped, MARK)).join(""),
      })),
      named,
      empty: runs.length === 0 ? "" : t("lab.no_scales"),
      summary: scaled.length === 0 ? t("lab.no_scales") : sentences([t("lab.scale_summary"), ...scaled.map(scaleWords)]),
    });
    const strips = counted.value.map((run) => ({ ...run, name: all.find(({ runs }) => runs.includes(run))!.name, shares: run.curves.shares }));
    gradients.draw(frame, lossXY.x, strips, named);
  });
  view.effect(() => opener.allow(
    focused.value ? "" : t("lab.no_shares"), focused.value && t("lab.gradients_of", { name: focused.value.name })));

  function series({ id, name, style, runs }: Line, { x, y }: Axes, curve: readonly Point[]): Omit<Series, "path"> {
    const last = within(curve, part.value).findLast((point) => Number.isFinite(point.value));
    const [bottom, top] = y.range() as [number, number];
    const rules = runs[0]!.row.changes.map(({ step }) => `M${x(step)},${top}V${bottom}`).join("");
    return { id, name, style, rules, end: y(last?.value ?? y.domain()[0]!) };
  }
  return element;
}

/** The first run of each line that has counted gradients, those that lose first, as the verdict has them. */
function withGradients(lines: readonly Line[], findings: readonly Finding[]): ShownRun[] {
  const order = findings.filter(({ loses }) => loses).flatMap(({ runs }) => runs);
  const place = ({ runs }: Line) => (order.indexOf(runs[0]!.row.id) + 1 || Infinity);
  const sorted = lines.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
  return sorted.flatMap(({ runs }) => runs.find(({ curves }) => curves.shares.length > 0) ?? []);
}

/** "fp16 #2: loss 0.31, loss scale 2¹⁶". */
function atStep({ name, loss: mean, runs }: Line, step: number, isFew: boolean): string {
  const { row, curves } = runs[0]!;
  const [loss, scale] = [pointAt(mean, step), row.scaled ? pointAt(curves.scale, step) : undefined];
  const shares = pointAt(curves.shares.filter(isKnown), step);
  const inForce = row.changes.findLast((change) => step > change.step)?.recipe;
  const parts = [inForce ? spaced(inForce) : "", t("lab.newest_loss", { value: loss ? decimal(loss.value) : "–" })];
  if (scale && Number.isFinite(scale.value)) parts.push(t("lab.newest_loss_scale", { value: twoTo(scale.value) }));
  if (shares && isFew) parts.push(t("lab.shares_said", { shares: sharesSaid(shares) }));
  return t("common.named", { name, what: listed(parts) });
}

/** "fp16 dynamic changes to bf16 after step 200." */
const changeWords = ({ name, row }: ShownRun): string[] =>
  row.changes.map(({ step, recipe }) => t("lab.change_words", { name, recipe: spaced(recipe), step: integer(step) }));

/** What a run's lines are called: a loss that is not finite leaves a gap in its line: its label says so. */
const lossLabel = ({ name, runs }: Line): string => {
  const lost = runs.find(({ row }) => typeof row.loss === "string");
  return lost ? t("common.named", { name, what: decimal(lost.row.loss) }) : name;
};

const lossWords = ({ name, row, curves }: ShownRun): string =>
  t("lab.loss_words", { name, first: decimal(curves.loss[0]?.value ?? null), last: decimal(row.loss), step: integer(row.step) });

const scaleWords = ({ name, row }: ShownRun): string =>
  t("lab.scale_words", { name, scale: scale(row.loss_scale), skipped: integer(row.skipped) });

const SHORT = 1000; // steps

/** How many steps of a run the axis shows: those taken, if it is over; else all that it will take, so that nothing moves; of a
 * long run twice as many each time its line reaches the end. */
export function reach(steps: number, step: number, isGoingOn: boolean): number {
  if (!isGoingOn) return step;
  return Math.min(steps, Math.max(SHORT, 2 ** Math.ceil(Math.log2(step + 1))));
}

/** The y axis is log2 of the loss scale: half a binade of air below, one above for the marks. */
export function scaleAxes(frame: Frame, curves: readonly (readonly Point[])[], part: Part): Axes {
  const values = curves.flatMap((curve) => within(curve, part).filter(finite).map((point) => point.value));
  const [low, high] = extent(values);
  const air = Math.max(0.5, (high - low) * 0.12);
  const y = scaleLinear([low - air, high + 2 * air], [frame.height - frame.bottom, frame.top]);
  return { x: stepAxis(frame, part), y };
}

/** The loss scale as stairs: each value holds up to the next change, the last up to the run's newest step. */
export function scalePath({ x, y }: Axes, changes: readonly Point[], newestStep: number): string {
  const path = pathRound(1);
  let height: number | null = null;
  changes.forEach((point, i) => {
    if (!finite(point)) return void (height = null);
    const until = changes[i + 1]?.step ?? Math.max(newestStep, point.step);
    path[height === null ? "moveTo" : "lineTo"](x(point.step), (height = y(point.value)));
    path.lineTo(x(until), height);
  });
  return path.toString();
}

/** Downward triangles, `size` wide, whose tips touch the scale that each skipped step used. Of those that
 * would cover each other more than half, one stands for all. */
export function skipMarks(axes: Axes, skipped: readonly Point[], size: number): string {
  const path = pathRound(1);
  let [lastX, lastY] = [-Infinity, -Infinity];
  for (const point of skipped.filter(finite)) {
    const [x, y] = [axes.x(point.step), axes.y(point.value) - 2];
    if (Math.abs(x - lastX) < size / 2 && Math.abs(y - lastY) < size / 2) continue;
    [lastX, lastY] = [x, y];
    path.moveTo(x, y);
    path.lineTo(x - size / 2, y - size);
    path.lineTo(x + size / 2, y - size);
    path.closePath();
  }
  return path.toString();
}
