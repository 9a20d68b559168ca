// The format's line, a row for each format that it is compared with, and a decimal ruler under all.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { exact, isFinite } from "#core/formats/decode.ts";
import { encode } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { readOr, toExact } from "#core/formats/parse.ts";
import { add, compare, divide, floorLog10, multiply, power, rational, subtract, type Rational } from "#core/formats/rational.ts";
import { cut, figure, integer } from "#ui/digits.ts";
import { s, set } from "#ui/dom.ts";
import { inSeries, listed, t } from "#ui/messages.ts";
import { CHARACTER, drawMarks, drawRow } from "#ui/number_line/drawing.ts";
import type { Mark } from "#ui/number_line/marks.ts";
import { contains, endsOf, pixelOf, rowOf, unitOf, type Row, type Viewport } from "#ui/number_line/viewport.ts";
import type { View } from "#ui/view.ts";

const CAPTION = 12; // pixels
export const LAYOUT = { midpoint: 38, input: 56, axis: 80, tick: 10, letters: 106, labels: 124 };
const ROWS = 150; // where the rows of the other formats begin
const ROW = 48;
const ROW_AXIS = 30; // from the top of such a row
const RULER = 44; // its height
const NARROW = 420; // width below which a row's caption has room for its result only
// The ruler
const SPACING = 96; // pixels between labels, at least
const LONGEST = 11; // characters of a label; longer ones are replaced by offsets from a number in the view
const EVERY_DIGIT = 800; // more than any float64 has: labels are exact

const NONE = { value: null }; // the line's own number is marked

interface Scene {
  readonly row: ReadonlySignal<Row>;
  readonly marks: ReadonlySignal<readonly Mark[]>;
  /** The formats of the rows below. */
  readonly others: ReadonlySignal<readonly FloatFormat[]>;
  /** The exact input as text, to be rounded to the other formats. */
  readonly text: ReadonlySignal<string>;
}

export function comparison(view: View, { row, marks, others, text }: Scene): SVGSVGElement {
  const [plumb, values, results, marked] = [s("g"), s("g"), s("g"), s("g")];
  const svg = s("svg", { class: "mw-nl", role: "img" }, plumb, values, results, marked);
  const below = computed(() => others.value.map((fmt, i) => ({
    row: rowOf(fmt, row.value.view), top: ROWS + ROW * i, result: computed(() => resultOf(fmt, text.value)), // a drag seldom changes it
  })));
  const lines = computed(() => [{ row: row.value, top: 0, result: NONE }, ...below.value]);
  const captions = computed(() => lines.value.map((line) => captionOf(line.row, line.result.value)));
  const spoken = computed(() => inSeries(lines.value.map((line, i) => line.row.fmt.name + captions.value[i])));
  const ends = computed(() => endsOf(row.value.view).map((end) => cut(end, 17)) as [string, string]);
  const height = computed(() => ROWS + ROW * others.value.length + RULER);
  const input = () => marks.value.find(({ role }) => role === "input")?.value;
  view.effect(() => {
    const width = row.value.view.width;
    set(svg, { viewBox: `0 0 ${width} ${height.value}`, height: height.value });
    svg.style.minHeight = `${height.value}px`;
  });
  view.effect(() => values.replaceChildren(
    ...below.value.flatMap(({ row: other, top }) => drawRow(other, { axis: top + ROW_AXIS, tick: LAYOUT.tick })),
    ...drawRow(row.value, LAYOUT),
    ...drawRuler(row.value.view, () => input() ?? rational(0n), height.value - RULER + 8),
  ));
  view.effect(() => results.replaceChildren(...lines.value.flatMap(({ row: { fmt, view: viewport }, top, result }, i) => [
    s("text", { class: "mw-nl-caption", x: 0, y: top + CAPTION }, s("tspan", { class: "mw-nl-name" }, fmt.name), captions.value[i]),
    ...drawResult(fmt, result.value, viewport, top + ROW_AXIS),
  ])));
  view.effect(() => {
    const { view: viewport } = row.value;
    plumb.replaceChildren(...(others.value.length ? drawPlumb(input(), viewport, height.value - RULER) : []));
    marked.replaceChildren(...drawMarks(marks.value, viewport, LAYOUT));
    const [from, to] = ends.value;
    const inside = listed(marks.value.filter(({ value }) => contains(viewport, value)).map(({ label }) => label));
    set(svg, { "aria-label": t("line.described", { from, to, marks: inside || t("line.nothing"), rows: spoken.value }) });
  });
  return svg;
}

/** From the number through the rows below. */
function drawPlumb(input: Rational | undefined, viewport: Viewport, bottom: number): SVGElement[] {
  if (!input || !contains(viewport, input)) return [];
  const x = pixelOf(viewport, input);
  return [s("line", { class: "mw-nl-plumb", x1: x, x2: x, y1: LAYOUT.axis, y2: bottom })];
}

/** " · 5 values in view · → 65536" */
function captionOf({ fmt, view, count }: Row, result: bigint | null): string {
  const values = count === 1n ? t("line.one") : t("line.count", { count: countText(count) });
  if (result === null) return ` · ${values}`;
  const rounded = `→ ${figure(fmt, result).text}`;
  return view.width < NARROW ? ` · ${rounded}` : ` · ${values} · ${rounded}`;
}

/** The code that the input is rounded to; null without an input, or where the format has no code for it. */
function resultOf(fmt: FloatFormat, text: string): bigint | null {
  return readOr(() => (text ? encode(fmt, toExact(text)) : null), null);
}

function countText(count: bigint): string {
  if (count < 10_000_000n) return integer(count);
  return `≈ ${cut(rational(count - (count % 10n ** BigInt(String(count).length - 2))), 2)}`;
}

/** A ring around the value that the input is rounded to in another format. */
function drawResult(fmt: FloatFormat, code: bigint | null, view: Viewport, y: number): SVGElement[] {
  if (code === null || !isFinite(fmt, code)) return [];
  const x = pixelOf(view, exact(fmt, code));
  return x < 0 || x > view.width ? [] : [s("circle", { class: "mw-nl-result", cx: x, cy: y, r: 5 })];
}

/** The decimal ruler: marks at round steps of 1, 2 or 5 × 10^n, exact at every zoom. `reference` gives a number in the view,
 * such as the one that is explained. It is called only if labels are offsets, and is then the `origin` that they are counted
 * from. */
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
    const text = cut(offset, EVERY_DIGIT);
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
function drawRuler(view: Viewport, reference: () => Rational, y: number): SVGElement[] {
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
