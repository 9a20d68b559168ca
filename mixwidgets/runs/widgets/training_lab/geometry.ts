// Where a lab's loss scales, skipped steps and shares lie in its charts. No DOM.

import { pathRound } from "d3-path";
import { scaleLinear } from "d3-scale";
import { extent } from "#core/range.ts";
import { areaPath, type Axes, finite, type Frame, type Part, type Point, spans, stepAxis, within } from "#ui/chart/geometry.ts";
import { isKnown, type Shares } from "./state.ts";

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
  const sum = (one: Shares, classes: number) => one.of.slice(0, classes).reduce((all, share) => all + share, 0);
  const corners = span.map((one) => ({ at: x(one.step), low: y(sum(one, kind)), high: y(sum(one, kind + 1)) }));
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
