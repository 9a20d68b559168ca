// A number line as SVG: the format's values as ticks, the marks of one number, and, where the scene has them, captions,
// a row for each other format, and a decimal ruler.

import { exact, isFinite } from "#core/formats/decode.ts";
import { encode } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { InputError } from "#core/formats/parse.ts";
import { rational, type Rational } from "#core/formats/rational.ts";
import { s, set } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { cut, figure } from "#ui/digits.ts";
import { labelOf, type DrawnMark } from "./marks.ts";
import { rulerOf } from "./ruler.ts";
import { APART, rowOf, type Row } from "./ticks.ts";
import { pixelOf, type View } from "./view.ts";

/** Pixels from the top, with captions and letters and without. */
const FULL = { midpoint: 38, input: 56, axis: 80, labels: 124 };
const PLAIN = { midpoint: 12, input: 30, axis: 54, labels: 80 };
type Layout = typeof FULL;
const CAPTION = 12;
const LETTERS = 26; // under the axis
const LINE = 16; // to the second line of labels
const ROWS = 150; // where the rows of the other formats begin
const ROW = 48;
const RULER = 44;
const LETTERED = 18; // pixels between ticks from which each bears its letter
const CHARACTER = 7.4; // pixels, of the labels' type
const EDGE = 6;

export interface Scene {
  readonly fmt: FloatFormat;
  readonly marks: readonly DrawnMark[];
  /** What is compared: formats, and the exact input as text, to be rounded to each. Without it, no captions, letters
   * and ruler are drawn either. */
  readonly compared?: { readonly others: readonly FloatFormat[]; readonly text: string };
}

function heightOf({ compared }: Scene): number {
  return compared ? ROWS + ROW * compared.others.length + RULER : PLAIN.labels + LINE + 4;
}

/** Draw into an SVG; gives the captions, for the SVG's description. */
export function draw(svg: SVGSVGElement, scene: Scene, view: View): string[] {
  const { fmt, marks, compared } = scene;
  const height = heightOf(scene);
  set(svg, { viewBox: `0 0 ${view.width} ${height}`, height });
  svg.style.minHeight = `${height}px`;
  if (!compared) {
    svg.replaceChildren(...drawRow(rowOf(fmt, view), view, PLAIN.axis - 7, 14), ...drawMarks(marks, view, PLAIN));
    return [];
  }
  const { others, text } = compared;
  const rows = [fmt, ...others].map((one) => ({ one, row: rowOf(one, view) }));
  const captions = rows.map(({ one, row }) => captionOf(one, row, one === fmt ? "" : text, view.width));
  const input = marks.find(({ role }) => role === "input");
  const plumb = input && pixelOf(view, input.value);
  const inside = plumb !== undefined && plumb >= 0 && plumb <= view.width;
  svg.replaceChildren(
    ...(inside && others.length ? [s("line", { class: "mw-nl-plumb", x1: plumb, x2: plumb, y1: FULL.axis, y2: height - RULER })] : []),
    ...rows.flatMap(({ one, row }, i) => {
      const top = i === 0 ? FULL.axis - 10 : ROWS + ROW * (i - 1) + 20;
      const caption = s("text", { class: "mw-nl-caption", x: 0, y: i === 0 ? CAPTION : ROWS + ROW * (i - 1) + 13 });
      caption.append(s("tspan", { class: "mw-nl-name" }, one.name), captions[i]!);
      return [caption, ...drawRow(row, view, top, 20), ...(i === 0 ? [] : drawResult(one, text, view, top + 10))];
    }),
    ...(fmt.tiesToLarger ? [] : drawLetters(rows[0]!.row)),
    ...drawMarks(marks, view, FULL),
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
  return s("text", { class: "mw-nl-letter", x, y: FULL.axis + LETTERS }, t(even ? "line.even_letter" : "line.odd_letter"));
}

function drawMarks(marks: readonly DrawnMark[], view: View, layout: Layout): SVGElement[] {
  if (marks.length === 0) return [s("text", { class: "mw-nl-empty", x: view.width / 2, y: layout.input }, t("bits.line_nan"))];
  const xs = new Map(marks.map((mark) => [mark, pixelOf(view, mark.value)]));
  const covered: [from: number, to: number][][] = [[], []]; // by the labels in each line under the axis
  const drawn = [...marks].sort((a, b) => rank(a) - rank(b)).map((mark) => {
    const { role, taken, beyond } = mark;
    const x = xs.get(mark)!;
    const inside = x >= 0 && x <= view.width;
    const group = s("g", { class: `mw-nl-${role}${taken ? " mw-nl-taken" : ""}` });
    const label = labelOf(mark);
    const half = (label.length * CHARACTER) / 2;
    const at = Math.min(Math.max(x, half + EDGE), view.width - half - EDGE);
    const line = (up: number, down: number) => group.append(s("line", { x1: x, x2: x, y1: up, y2: layout.axis + down }));
    const write = (y: number) => group.append(s("text", { x: at, y }, label));
    if (role === "input") {
      group.append(inside ? s("circle", { cx: x, cy: layout.axis, r: 6 }) : arrow(x > view.width, view.width, layout.axis));
      write(layout.input);
    } else if (inside && role === "midpoint") {
      line(layout.midpoint + 6, 14);
      write(layout.midpoint);
    } else if (inside) {
      if (role !== "far" || beyond) line(layout.axis - 12, 12);
      if (beyond) group.classList.add("mw-nl-infinite");
      if (beyond && mark.even !== null && layout === FULL) group.append(letterAt(x, mark.even));
      const crowded = marks.some((one) => one !== mark && STEPS.includes(one.role) && Math.abs(xs.get(one)! - x) < LETTERED);
      const free = covered.findIndex((line) => line.every(([from, to]) => at + half < from || at - half > to));
      if (free < 0 || (crowded && !taken) || (role === "far" && (free > 0 || at !== x))) return group;
      covered[free]!.push([at - half - EDGE, at + half + EDGE]);
      write(layout.labels + LINE * free);
    }
    return group;
  });
  return drawn.reverse(); // the result is drawn last, on top
}

const STEPS: readonly DrawnMark["role"][] = ["below", "above"];

/** Labels are placed in this order: the result's, its neighbours', those beyond. */
function rank({ role, taken }: DrawnMark): number {
  return taken ? 0 : role === "far" ? 2 : 1;
}

function arrow(right: boolean, width: number, axis: number): SVGElement {
  const [tip, back] = right ? [width - 1, width - 13] : [1, 13];
  return s("path", { d: `M${back},${axis - 7} L${tip},${axis} L${back},${axis + 7} Z` });
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
