// The number that the pointer or a key selects on the line: a value of the format, a midpoint, or one in between.

import {
  add, compare, divide, floorLog10, multiply, nearestMultiple, negate, power, rational, subtract, type Rational,
} from "#core/formats/rational.ts";
import { clamp } from "#core/range.ts";
import { cut } from "#ui/digits.ts";
import type { Mark } from "./marks.ts";
import type { Row } from "./ticks.ts";
import { pixelOf, unitOf, valueAt } from "./viewport.ts";

/** A code of the format, or a text to be rounded to it. */
export type Target = { readonly code: bigint } | { readonly text: string };

const MAGNET = 5; // pixels: the pointer snaps to a value or a midpoint this near
const ROOM = 20; // pixels: it snaps if values are this far apart, to midpoints at twice that
const EDGE = 2; // pixels from the ends of the viewport, so that the number stays in it
const EIGHTHS = 8n; // a key moves by this fraction of the gap between two values
const DIGITS = 1_200; // more than any midpoint has, so that texts are exact

/** The number at a pixel, with as few digits as distinguish it from the next pixel's. */
export function targetAt({ fmt, view, ticks: values, bands }: Row, pixel: number): Target {
  const x = clamp(pixel, EDGE, view.width - EDGE);
  const isNear = (at: number) => Math.abs(at - x) <= MAGNET;
  const beyond = (value: Rational) => ({ value, x: pixelOf(view, value), code: null }); // the step past the largest value
  const ticks = [
    ...(values[0]?.code === (fmt.signBit | fmt.maxCode) ? [beyond(negate(fmt.overflowStep))] : []),
    ...values,
    ...(values.at(-1)?.code === fmt.maxCode ? [beyond(fmt.overflowStep)] : []),
  ];
  for (const [i, tick] of ticks.entries()) {
    const next = ticks[i + 1];
    const [before, after] = [tick.x - (ticks[i - 1]?.x ?? -Infinity), (next?.x ?? Infinity) - tick.x];
    if (isNear(tick.x) && Math.min(before, after) >= ROOM) return tick.code === null ? textOf(tick.value) : { code: tick.code };
    const isBesideBand = bands.some(({ from, to }) => from < tick.x + after && to > tick.x);
    if (next && after >= 2 * ROOM && !isBesideBand && isNear(tick.x + after / 2)) {
      return textOf(divide(add(tick.value, next.value), rational(2n)));
    }
  }
  return textOf(nearestMultiple(valueAt(view, x), power(10n, floorLog10(unitOf(view.level)))));
}

/** The number an eighth of the gap away, which includes values and midpoints; null at the end of the line. */
export function targetBeside(marks: readonly Mark[], direction: 1 | -1): Target | null {
  const of = (role: Mark["role"]) => marks.find((mark) => mark.role === role);
  const input = of("input");
  const isExact = !of("midpoint");
  const low = isExact && direction > 0 ? input : of("below");
  const high = isExact && direction < 0 ? input : of("above");
  if (!input || !low || !high) return null;
  const eighth = divide(subtract(high.value, low.value), rational(EIGHTHS));
  const { numerator, denominator } = divide(subtract(input.value, low.value), eighth);
  if (numerator < 0n) return direction > 0 ? targetOf(low) : null;
  const count = direction > 0 ? numerator / denominator + 1n : (numerator + denominator - 1n) / denominator - 1n;
  if (count <= 0n) return targetOf(low);
  if (count < EIGHTHS) return textOf(add(low.value, multiply(rational(count), eighth)));
  return direction > 0 && compare(input.value, high.value) >= 0 ? null : targetOf(high);
}

/** The value at which a mark is drawn; beyond the largest finite value, the one that would come next. */
export function targetOf({ code, beyond, value }: Mark): Target {
  return code === null || beyond ? textOf(value) : { code };
}

function textOf(value: Rational): Target {
  return { text: cut(value, DIGITS) };
}
