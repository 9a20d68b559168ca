// The line as SVG: the format's own ticks with what is pointed at, a row for each format beside it, and the ruler.

import { exact, isFinite } from "#core/formats/decode.ts";
import { encode } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { InputError } from "#core/formats/parse.ts";
import { rational, type Rational } from "#core/formats/rational.ts";
import { s, set } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { cut, figure } from "#ui/digits.ts";
import type { Mark } from "./marks.ts";
import { rulerOf } from "./ruler.ts";
import { APART, rowOf, type Row } from "./ticks.ts";
import { pixelOf, type View } from "./view.ts";

const CAPTION = 12;
const MIDPOINT = 38;
const INPUT = 56;
const AXIS = 80;
const LETTERS = 106;
const LABELS = 124;
const ROWS = 140; // where the rows of the other formats begin
const ROW = 48;
const RULER = 44;
const LETTERED = 18; // pixels between ticks from which each bears its letter
const CHARACTER = 7.4; // pixels, of the labels' type
const EDGE = 6;

export interface Scene {
  readonly fmt: FloatFormat;
  readonly marks: readonly Mark[];
  readonly others: readonly FloatFormat[];
  /** The exact input as text, to be rounded to the other formats. */
  readonly text: string;
}

export function heightOf(others: number): number {
  return ROWS + ROW * others + RULER;
}

/** Draw into an SVG; the captions that were drawn come back, for those who do not see them. */
export function draw(svg: SVGSVGElement, { fmt, marks, others, text }: Scene, view: View): string[] {
  const height = heightOf(others.length);
  set(svg, { viewBox: `0 0 ${view.width} ${height}`, height });
  const rows = [fmt, ...others].map((one) => ({ one, row: rowOf(one, view) }));
  const captions = rows.map(({ one, row }) => captionOf(one, row, one === fmt ? "" : text, view.width));
  const input = marks.find(({ role }) => role === "input");
  const plumb = input && pixelOf(view, input.value);
  const inside = plumb !== undefined && plumb >= 0 && plumb <= view.width;
  svg.replaceChildren(
    ...(inside && others.length ? [s("line", { class: "mw-nl-plumb", x1: plumb, x2: plumb, y1: AXIS, y2: height - RULER })] : []),
    ...rows.flatMap(({ one, row }, i) => {
      const top = i === 0 ? AXIS - 10 : ROWS + ROW * (i - 1) + 20;
      const caption = s("text", { class: "mw-nl-caption", x: 0, y: i === 0 ? CAPTION : ROWS + ROW * (i - 1) + 13 });
      caption.append(s("tspan", { class: "mw-nl-name" }, one.name), captions[i]!);
      return [caption, ...drawRow(row, view, top, 20), ...(i === 0 ? [] : drawResult(one, text, view, top + 10))];
    }),
    ...(fmt.tiesToLarger ? [] : drawLetters(rows[0]!.row)),
    ...drawMarks(marks, view),
    ...drawRuler(view, input?.value ?? rational(0n), height - RULER + 8),
  );
  return rows.map(({ one }, i) => one.name + captions[i]!);
}

/** " · 5 values in view · 65505 → 65536" */
function captionOf(fmt: FloatFormat, { count }: Row, text: string, width: number): string {
  const parts = [count === 1n ? t("line.one") : t("line.count", { count: countText(count) })];
  const result = resultOf(fmt, text);
  if (result !== null) parts.push(`→ ${figure(fmt, result).text}`);
  return " · " + (width < 420 && text ? parts.slice(1) : parts).join(" · ");
}

/** The code that the input becomes; null without an input, or where the format has no code for it. */
function resultOf(fmt: FloatFormat, text: string): bigint | null {
  try {
    return text ? encode(fmt, text) : null;
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

function countText(count: bigint): string {
  if (count < 10_000_000n) return count.toLocaleString("en-US");
  return `≈ ${cut(rational(count - (count % 10n ** BigInt(String(count).length - 2))), 2)}`;
}

function drawRow({ ticks, bands, range }: Row, view: View, top: number, high: number): SVGElement[] {
  const middle = top + high / 2;
  const lines = [s("line", { class: "mw-nl-beyond", x1: 0, x2: view.width, y1: middle, y2: middle })];
  if (range) lines.push(s("line", { class: "mw-nl-axis", x1: range[0], x2: range[1], y1: middle, y2: middle }));
  return [
    ...lines,
    ...bands.map(({ from, to, gap }) => {
      const x = Math.max(from, 0);
      const opacity = 0.35 + 0.65 * (1 - gap / APART); // the closer, the darker
      const width = Math.max(Math.min(to, view.width) - x, 1);
      return s("rect", { class: "mw-nl-band", x, y: top + 3, width, height: high - 6, opacity: opacity.toFixed(2) });
    }),
    ...ticks.map(({ x }) => s("line", { class: "mw-nl-tick", x1: x, x2: x, y1: top, y2: top + high })),
  ];
}

/** A ring around the value that the input becomes in another format. */
function drawResult(fmt: FloatFormat, text: string, view: View, y: number): SVGElement[] {
  const code = resultOf(fmt, text);
  if (code === null || !isFinite(fmt, code)) return [];
  const x = pixelOf(view, exact(fmt, code));
  return x < 0 || x > view.width ? [] : [s("circle", { class: "mw-nl-result", cx: x, cy: y, r: 5 })];
}

/** E under even codes and O under odd ones, where there is room. */
function drawLetters({ ticks, bands }: Row): SVGElement[] {
  return ticks
    .filter(({ x }, i) => {
      const beside = [ticks[i - 1], ticks[i + 1]].filter((tick) => tick !== undefined);
      const clear = bands.every(({ from, to }) => x < from - LETTERED || x > to + LETTERED);
      return clear && beside.every((tick) => Math.abs(tick.x - x) >= LETTERED);
    })
    .map(({ x, code }) => letterAt(x, (code & 1n) === 0n));
}

function letterAt(x: number, even: boolean): SVGElement {
  return s("text", { class: "mw-nl-letter", x, y: LETTERS }, t(even ? "line.even_letter" : "line.odd_letter"));
}

function drawMarks(marks: readonly Mark[], view: View): SVGElement[] {
  const taken: [number, number][] = []; // what labels below the axis cover
  const drawn = [...marks].sort((a, b) => Number(b.taken) - Number(a.taken)).map((mark) => {
    const x = pixelOf(view, mark.value);
    const group = s("g", { class: `mw-nl-${mark.role}${mark.taken ? " mw-nl-taken" : ""}` });
    const inside = x >= 0 && x <= view.width;
    const label = mark.role === "midpoint" ? t("bits.midpoint", { midpoint: mark.label }) : mark.label;
    const half = (label.length * CHARACTER) / 2;
    const at = Math.min(Math.max(x, half + EDGE), view.width - half - EDGE);
    if (mark.role === "input") {
      group.append(inside ? s("circle", { cx: x, cy: AXIS, r: 6 }) : arrow(x > view.width, view.width));
      group.append(s("text", { x: at, y: INPUT }, label));
    } else if (inside && mark.role === "midpoint") {
      group.append(s("line", { x1: x, x2: x, y1: MIDPOINT + 6, y2: AXIS + 14 }), s("text", { x: at, y: MIDPOINT }, label));
    } else if (inside) {
      if (mark.beyond) group.classList.add("mw-nl-infinite");
      group.append(s("line", { x1: x, x2: x, y1: AXIS - 12, y2: AXIS + 12 }));
      if (mark.beyond && mark.even !== null) group.append(letterAt(x, mark.even));
      const apart = marks.every((one) => one === mark || one.role === "midpoint" || one.role === "input" || Math.abs(pixelOf(view, one.value) - x) >= LETTERED);
      const free = (apart || mark.taken) && taken.every(([from, to]) => at + half < from || at - half > to);
      if (free) {
        taken.push([at - half - EDGE, at + half + EDGE]);
        group.append(s("text", { x: at, y: LABELS }, label));
      }
    }
    return group;
  });
  return drawn.reverse(); // the result is drawn last, on top
}

function arrow(right: boolean, width: number): SVGElement {
  const [tip, back] = right ? [width - 1, width - 13] : [1, 13];
  return s("path", { d: `M${back},${AXIS - 7} L${tip},${AXIS} L${back},${AXIS + 7} Z` });
}

function drawRuler(view: View, reference: Rational, y: number): SVGElement[] {
  const { marks, origin } = rulerOf(view, reference);
  const note = origin && s("text", { class: "mw-nl-origin", x: 0, y: y + 34 }, t("line.origin", { origin: cut(origin, 17) }));
  return [
    s("line", { class: "mw-nl-axis", x1: 0, x2: view.width, y1: y, y2: y }),
    ...marks.map(({ x, label }) => {
      const half = (label.length * CHARACTER) / 2;
      const whole = x - half >= 0 && x + half <= view.width;
      return s("g", { class: "mw-nl-ruler" },
        s("line", { x1: x, x2: x, y1: y, y2: y + 5 }),
        whole ? s("text", { x, y: y + 18 }, label) : null);
    }),
    ...(note ? [note] : []),
  ];
}
