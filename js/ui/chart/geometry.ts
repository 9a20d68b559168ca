// The geometry of lines over steps, their bands, ticks and labels. No DOM.

import { pathRound } from "d3-path";
import { type ScaleContinuousNumeric, type ScaleLinear, scaleLinear, scaleLog } from "d3-scale";
import { extent } from "#core/range.ts";

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Axes {
  x: ScaleLinear<number, number>;
  y: ScaleContinuousNumeric<number, number>;
}

export interface Point {
  readonly step: number;
  readonly value: number;
}

/** The lowest and the highest of several curves at a step. */
export interface Range {
  readonly step: number;
  readonly low: number;
  readonly high: number;
}

/** The steps that a chart shows: all of them, or those that it was zoomed to. */
export interface Part {
  readonly from: number;
  readonly to: number;
  readonly isWhole: boolean;
}

export const wholePart = (steps: number): Part => ({ from: 0, to: Math.max(1, steps), isWhole: true });

export const finite = (point: Point): boolean => Number.isFinite(point.value);

export function stepAxis(frame: Frame, { from, to }: Part): ScaleLinear<number, number> {
  return scaleLinear([from, to], [frame.left, frame.width - frame.right]);
}

/** The points of a curve in the part, with the next point on each side, to which its line continues. */
export function within<T extends { readonly step: number }>(curve: readonly T[], { from, to }: Part): readonly T[] {
  const [first, last] = [curve.findLastIndex(({ step }) => step <= from), curve.findIndex(({ step }) => step >= to)];
  return curve.slice(Math.max(0, first), last < 0 ? undefined : last + 1);
}

/** The y axis goes from 0, or from the lowest loss if that is below 0, to the highest loss. If only a part of the steps is
 * shown it starts at the lowest loss; a logarithmic axis does so too, at the lowest above 0. */
export function lossAxes(frame: Frame, curves: readonly (readonly Point[])[], part: Part, isLog = false): Axes {
  const x = stepAxis(frame, part);
  const reach = [frame.height - frame.bottom, frame.top];
  const values = curves.flatMap((curve) => within(curve, part).filter(finite).map(({ value }) => value)).filter((value) => !isLog || value > 0);
  const [low, high] = extent(values, isLog ? [0.1, 1] : [0, 0]);
  if (isLog) return { x, y: scaleLog([beside(low, -1), beside(high > low ? high : 10 * low, 1)], reach) };
  const [bottom, top] = part.isWhole ? [Math.min(0, low), Math.max(0, high)] : [low, high];
  return { x, y: scaleLinear([bottom, top > bottom ? top : bottom + 1], reach).nice(4) };
}

/** The nearest of 1, 2 and 5 times the powers of ten that is not above (−1) or not below (1) `value`, which is positive. */
function beside(value: number, direction: 1 | -1): number {
  const ten = 10 ** Math.floor(Math.log10(value));
  const near = [1, 2, 5, 10].map((times) => times * ten);
  return (direction > 0 ? near.find((tick) => tick >= value) : near.findLast((tick) => tick <= value)) ?? value;
}

/** Ticks of the y axis. A logarithmic one has the powers of ten, with 2 and 5 times these if they are fewer than three. */
export function lossTicks({ y }: Axes, isLog: boolean): number[] {
  const ticks = y.ticks(4);
  if (!isLog) return ticks;
  const starting = (digits: string) => ticks.filter((tick) => digits.includes(tick.toExponential(0)[0]!));
  const tens = starting("1");
  return tens.length < 3 ? starting("125") : tens;
}

/** A curve's last point at or before a step; its first point if there is none. */
export function pointAt<T extends { readonly step: number }>(curve: readonly T[], step: number): T | undefined {
  return curve.findLast((point) => point.step <= step) ?? curve[0];
}

/** Ticks at whole values only. */
export function wholeTicks(axis: ScaleContinuousNumeric<number, number>, about: number): number[] {
  return axis.ticks(about).filter(Number.isInteger);
}

/** The losses as a line, with gaps where they are not finite or not on the axis. */
export function lossPath({ x, y }: Axes, curve: readonly Point[]): string {
  const path = pathRound(1);
  for (const span of spans(curve, (point) => finite(point) && Number.isFinite(y(point.value)))) {
    span.forEach(({ step, value }, i) => path[i === 0 ? "moveTo" : "lineTo"](x(step), y(value)));
  }
  return path.toString();
}

/** A range as an area, with gaps like those of a line. It reaches down to the axis where its lowest value is not on it. */
export function bandPath({ x, y }: Axes, ranges: readonly Range[]): string {
  const floor = y.range()[0]!;
  return spans(ranges, ({ high }) => Number.isFinite(y(high))).map((span) => areaPath(span.map(({ step, low, high }) =>
    ({ at: x(step), low: Number.isFinite(y(low)) ? y(low) : floor, high: y(high) })))).join("");
}

/** The parts of a curve between its gaps, which are where a point is not drawn. */
export function spans<T>(curve: readonly T[], isDrawn: (point: T) => boolean): T[][] {
  const parts: T[][] = [[]];
  for (const point of curve) {
    if (isDrawn(point)) parts.at(-1)!.push(point);
    else parts.push([]);
  }
  return parts.filter((part) => part.length > 0);
}

/** A closed path around an area, from left to right along its top. */
export function areaPath(corners: readonly { at: number; low: number; high: number }[]): string {
  const path = pathRound(1);
  corners.forEach(({ at, high }, i) => path[i === 0 ? "moveTo" : "lineTo"](at, high));
  corners.toReversed().forEach(({ at, low }) => path.lineTo(at, low));
  path.closePath();
  return path.toString();
}

/** Positions of labels close to the wanted ones, at least `gap` apart, and within low … high if there is room. */
export function spread(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a]! - wanted[b]!);
  const placed = [...wanted];
  let next = low;
  for (const i of order) {
    placed[i] = Math.max(wanted[i]!, next);
    next = placed[i]! + gap;
  }
  let limit = high;
  for (const i of order.reverse()) {
    placed[i] = Math.min(placed[i]!, limit);
    limit = placed[i]! - gap;
  }
  return placed;
}
