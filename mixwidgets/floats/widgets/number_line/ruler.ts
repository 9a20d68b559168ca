// The decimal ruler under the line: round steps of 1, 2 or 5 × 10^n, exact at every zoom.

import {
  add, compare, divide, floorLog10, multiply, power, rational, subtract, type Rational,
} from "#core/formats/rational.ts";
import { cut } from "#ui/digits.ts";
import { s } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { CHARACTER } from "#ui/number_line/drawing.ts";
import { endsOf, pixelOf, unitOf, type Viewport } from "#ui/number_line/viewport.ts";

const SPACING = 96; // pixels between labels, at least
const LONGEST = 11; // characters of a label; longer ones are replaced by offsets from a number in the view
const DIGITS = 800; // more than any float64 has: labels are exact

/** `reference` gives a number in the view, such as the one that is explained. It is called only if labels are offsets, and is
 * then the `origin` that they are counted from. */
export function rulerOf(view: Viewport, reference: () => Rational) {
  const plain = marksFrom(view, rational(0n), "");
  if (plain.every(({ label }) => label.length <= LONGEST)) return { marks: plain, origin: null };
  const origin = reference();
  return { marks: marksFrom(view, origin, "+"), origin };
}

function marksFrom(view: Viewport, origin: Rational, plus: string) {
  const step = niceStep(multiply(unitOf(view.level), rational(BigInt(SPACING))));
  const [low, high] = endsOf(view).map((end) => subtract(end, origin)) as [Rational, Rational];
  const marks = [];
  for (let n = ceiling(divide(low, step)); ; n += 1n) {
    const offset = multiply(rational(n), step);
    if (compare(offset, high) > 0) return marks;
    const text = cut(offset, DIGITS);
    marks.push({ x: pixelOf(view, add(origin, offset)), label: n > 0n ? plus + text : text });
  }
}

/** The least of 1, 2, 5 × 10^n that is at least x. */
function niceStep(x: Rational): Rational {
  const ten = power(10n, floorLog10(x));
  return [1n, 2n, 5n, 10n].map((n) => multiply(rational(n), ten)).find((step) => compare(step, x) >= 0)!;
}

function ceiling({ numerator, denominator }: Rational): bigint {
  const quotient = numerator / denominator;
  return quotient * denominator < numerator ? quotient + 1n : quotient;
}

/** The ruler at the height `y`. */
export function drawRuler(view: Viewport, reference: () => Rational, y: number): SVGElement[] {
  const { marks, origin } = rulerOf(view, reference);
  return [
    s("line", { class: "mw-nl-axis", x1: 0, x2: view.width, y1: y, y2: y }),
    ...marks.map(({ x, label }) => {
      const half = (label.length * CHARACTER) / 2;
      const whole = x - half >= 0 && x + half <= view.width;
      return s("g", { class: "mw-nl-ruler" },
        s("line", { x1: x, x2: x, y1: y, y2: y + 5 }),
        whole ? s("text", { x, y: y + 18 }, label) : null);
    }),
    ...(origin ? [s("text", { class: "mw-nl-origin", x: 0, y: y + 34 }, t("line.origin", { origin: cut(origin, 17) }))] : []),
  ];
}
