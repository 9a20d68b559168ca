// The visible part of a number line. All values are rational, so that neighbours in float64 can be distinguished.

import {
  add, compare, divide, floorLog2, multiply, nearestMultiple, power, rational, subtract, toNumber, type Rational,
} from "#core/formats/rational.ts";
import { clamp } from "#core/range.ts";

/** `width` pixels around `centre`; `level` is its zoom, in quarters of a doubling of value per pixel. */
export interface Viewport {
  readonly centre: Rational;
  readonly level: number;
  readonly width: number;
}

/** Levels to which zooming is held: from a 2^-24th of float64's smallest subnormal to its whole range, a pixel. */
const FINEST = -4 * 1098;
const COARSEST = 4 * 1018;
const QUARTERS = [16n, 19n, 23n, 27n]; // in sixteenths: exact, and close to 2^(0/4) … 2^(3/4)
const GRID = 64n; // the centre is a multiple of 1/64 pixel, so that it has few digits

/** The value that one pixel spans. */
export function unitOf(level: number): Rational {
  const doublings = Math.floor(level / 4);
  return multiply(rational(QUARTERS[level - 4 * doublings]!, 16n), power(2n, doublings));
}

/** The finest level at which a pixel spans at least `unit`. */
function levelOf(unit: Rational): number {
  const doublings = floorLog2(unit);
  const quarter = QUARTERS.findIndex((_, i) => compare(unitOf(4 * doublings + i), unit) >= 0);
  return held(4 * doublings + (quarter < 0 ? 4 : quarter));
}

const held = (level: number): number => clamp(level, FINEST, COARSEST);

/** A view in which `gap` (positive) spans `share` of the width. */
export function viewportOf(centre: Rational, gap: Rational, share: number, width: number): Viewport {
  const pixels = BigInt(Math.max(1, Math.round(share * width)));
  return snapped(centre, levelOf(divide(gap, rational(pixels))), width);
}

/** The position of a value, in pixels from the left; exact to far below a pixel inside the view. */
export function pixelOf(view: Viewport, x: Rational): number {
  return view.width / 2 + toNumber(divide(subtract(x, view.centre), unitOf(view.level)));
}

/** The value at a pixel. */
export function valueAt(view: Viewport, pixel: number): Rational {
  const from = rational(BigInt(Math.round((pixel - view.width / 2) * 64)), GRID);
  return add(view.centre, multiply(from, unitOf(view.level)));
}

/** The values at both ends. */
export function endsOf(view: Viewport): readonly [Rational, Rational] {
  return [valueAt(view, 0), valueAt(view, view.width)];
}

/** The viewport moved by some pixels, to the right if positive. */
export function panned(view: Viewport, pixels: number): Viewport {
  return snapped(valueAt(view, view.width / 2 + pixels), view.level, view.width);
}

/** The viewport zoomed by some quarters of a doubling, out if positive; the value at `pixel` stays there. */
export function zoomed(view: Viewport, steps: number, pixel: number): Viewport {
  const level = held(view.level + steps);
  if (level === view.level) return view;
  const fixed = valueAt(view, pixel);
  const ratio = divide(unitOf(level), unitOf(view.level));
  return snapped(add(fixed, multiply(subtract(view.centre, fixed), ratio)), level, view.width);
}

/** Whether a value lies within the viewport. */
export function contains(view: Viewport, x: Rational): boolean {
  const [low, high] = endsOf(view);
  return compare(x, low) >= 0 && compare(x, high) <= 0;
}

function snapped(centre: Rational, level: number, width: number): Viewport {
  return { centre: nearestMultiple(centre, divide(unitOf(level), rational(GRID))), level, width };
}
