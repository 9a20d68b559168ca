// The charts of the shown runs over the same steps: loss and loss scale of each, and what became of the gradients of one of them.

import { CLASSES } from "#core/gradients/boundaries.ts";
import { extent } from "#core/range.ts";
import { computed } from "@preact/signals-core";
import { pathRound } from "d3-path";
import { scaleLinear } from "d3-scale";
import { action } from "#ui/buttons.ts";
import { chart, lineKey, plot, type Plot, type Series } from "#ui/chart/chart.ts";
import { areaPath, type Axes, finite, type Frame, lossAxes, lossPath, lossTicks, type Part, type Point, pointAt, spans, stepAxis, wholeTicks, within } from "#ui/chart/geometry.ts";
import { steps } from "#ui/chart/steps.ts";
import { integer, twoTo } from "#ui/digits.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { listed, sentences, t } from "#ui/messages.ts";
import { swatch, textures } from "#ui/ruler/textures.ts";
import { axisNumber, decimal, percent } from "#ui/run_words.ts";
import type { Lab } from "./lab.ts";
import type { GradientsPanel } from "./panels.ts";
import { isAlive, isKnown, type Row, type Shares, type ShownRun } from "./state.ts";
import { scale, spaced } from "./words.ts";

const MARK = 9;

/** The charts of the runs that are drawn; gradients are drawn of one of them. */
export function charts({ view, drawn, atHand }: Lab, { open, follow }: GradientsPanel): HTMLElement {
  const focused = computed(() => withGradients(drawn.value, atHand.value));
  const loss = chart(t("lab.loss"), t("lab.loss_note"));
  const lossScale = chart(t("lab.loss_scale"), t("lab.loss_scale_note"));
  const gradients = sharesChart();
  const key = lineKey();
  const opener = action(t("lab.open_step"), () => focused.value && open(opener.element, { run: focused.value.row.id, step: step.value }));
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
      summary: runs.length === 0 ? t("lab.no_curves") : sentences([t("lab.loss_summary"), ...runs.flatMap((run) => [lossWords(run), ...changeWords(run)])]),
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
    gradients.draw({ ...frame, height: 112 }, lossXY.x, focused.value);
  });
  view.effect(() => opener.allow(
    focused.value && focused.value.curves.shares.length > 0 ? "" : t("lab.no_shares"), focused.value && t("lab.gradients_of", { name: focused.value.name })));

  function series({ row, name, style }: ShownRun, { x, y }: Axes, curve: readonly Point[]): Omit<Series, "path"> {
    const last = within(curve, part.value).findLast((point) => Number.isFinite(point.value));
    const [bottom, top] = y.range() as [number, number];
    const rules = row.changes.map(({ step }) => `M${x(step)},${top}V${bottom}`).join("");
    return { id: row.id, name, style, rules, end: y(last?.value ?? y.domain()[0]!) };
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
  const inForce = row.changes.findLast((change) => step > change.step)?.recipe;
  const parts = [inForce ? spaced(inForce) : "", t("lab.newest_loss", { value: loss ? decimal(loss.value) : "–" })];
  if (scale && Number.isFinite(scale.value)) parts.push(t("lab.newest_loss_scale", { value: twoTo(scale.value) }));
  return t("common.named", { name, what: listed(parts) });
}

/** "fp16 dynamic changes to bf16 after step 200." */
const changeWords = ({ name, row }: ShownRun): string[] =>
  row.changes.map(({ step, recipe }) => t("lab.change_words", { name, recipe: spaced(recipe), step: integer(step) }));

/** What a run's lines are called: a loss that is not finite leaves a gap in its line: its label says so. */
const lossLabel = ({ name, row }: ShownRun): string => (typeof row.loss === "string" ? t("common.named", { name, what: decimal(row.loss) }) : name);

const lossWords = ({ name, row, curves }: ShownRun): string =>
  t("lab.loss_words", { name, first: decimal(curves.loss[0]?.value ?? null), last: decimal(row.loss), step: integer(row.step) });

const scaleWords = ({ name, row }: ShownRun): string =>
  t("lab.scale_words", { name, scale: scale(row.loss_scale), skipped: integer(row.skipped) });

const HALVES = [0, 0.5, 1];
const KINDS = [...CLASSES, "not_finite"] as const;

export function sharesChart(): Omit<Plot, "draw"> & { draw: (frame: Frame, x: Axes["x"], run: ShownRun | undefined) => void } {
  const fills = textures();
  const areas = CLASSES.map((kind) => s("path", { fill: fills.fill(kind) }));
  const { draw: drawAxes, ...rest } = plot(t("lab.shares"), "", s("g", { class: "mw-areas" }, ...areas));
  const figures = KINDS.map(() => h("span", { class: "mw-num" }));
  const key = h("p", { class: "mw-row mw-key mw-shares-key" },
    ...KINDS.map((kind, i) => h("span", { class: "mw-row" }, kind === "not_finite" ? "" : swatch(kind, fills), t(`lab.class_${kind}`), figures[i])));
  rest.element.append(key, fills.element);

  const draw = (frame: Frame, x: Axes["x"], run: ShownRun | undefined) => {
    const y = (share: number) => frame.top + (1 - share) * (frame.height - frame.bottom - frame.top);
    const shares = run?.curves.shares ?? [];
    const last = shares.findLast(isKnown);
    setText(rest.note, run ? t("lab.shares_note", { name: run.name }) : "");
    const yTicks = HALVES.map((share) => ({ at: y(share), text: t("lab.percent", { share: 100 * share }) }));
    drawAxes({ frame, x, yTicks, empty: last ? "" : t("lab.no_shares"), summary: last ? words(run!, last) : t("lab.no_shares") });
    sharesPaths(x, y, shares, CLASSES.length).forEach((path, i) => set(areas[i]!, { d: path }));
    figures.forEach((figure, i) => setText(figure, last ? percent(last.of[i]!) : "–"));
  };
  return { ...rest, draw };
}

const words = ({ name }: ShownRun, { step, of }: Shares): string =>
  t("lab.shares_words", { name, step: integer(step), shares: listed(KINDS.map((kind, i) => `${percent(of[i]!)} ${t(`lab.class_${kind}`)}`)) });

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

/** Stacked areas, one for each class, as closed paths. What they leave open at the top was not finite; steps whose shares are
 * unknown leave a gap. */
export function sharesPaths(x: Axes["x"], y: (share: number) => number, shares: readonly Shares[], classes: number): string[] {
  const drawn = spans(shares, isKnown);
  return Array.from({ length: classes }, (_, kind) => drawn.map((span) => area(x, y, span, kind)).join(""));
}

const BAR = 4; // px; a step alone

function area(x: Axes["x"], y: (share: number) => number, span: readonly Shares[], kind: number): string {
  const sum = (shares: Shares, classes: number) => shares.of.slice(0, classes).reduce((all, share) => all + share, 0);
  const corners = span.map((shares) => ({ at: x(shares.step), low: y(sum(shares, kind)), high: y(sum(shares, kind + 1)) }));
  if (corners.length === 1) corners.push({ ...corners[0]!, at: corners[0]!.at + BAR });
  return areaPath(corners);
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
