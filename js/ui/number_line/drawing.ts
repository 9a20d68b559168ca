// A number line as SVG: a format's values as ticks, or as bands where they are too close, and the marks of a number. The
// values change with the view alone, and the marks with the number too.

import { clamp } from "#core/range.ts";
import { s } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { labelOf, type Mark } from "./marks.ts";
import { APART, pixelOf, type Row, type Viewport } from "./viewport.ts";

/** Where the parts of a line are, in pixels from the top. */
interface Layout {
  readonly midpoint: number;
  readonly input: number;
  readonly axis: number;
  /** Half the height of a tick. */
  readonly tick: number;
  /** E and O, for even and odd codes; drawn only where they have a place. */
  readonly letters?: number;
  /** The first of two lines of labels. */
  readonly labels: number;
}

export const LINE = 16; // pixels between the lines of labels
export const CHARACTER = 7.4; // pixels, of the labels' type
const LETTERED = 18; // pixels: ticks at least this far apart have letters
const EDGE = 6;

/** A format's values. */
export function drawRow(row: Row, { axis: y, tick, letters }: Pick<Layout, "axis" | "tick" | "letters">): SVGElement[] {
  const { fmt, view, ticks, bands, range } = row;
  const lines = [s("line", { class: "mw-nl-beyond", x1: 0, x2: view.width, y1: y, y2: y })];
  if (range) lines.push(s("line", { class: "mw-nl-axis", x1: range[0], x2: range[1], y1: y, y2: y }));
  return [
    ...lines,
    ...bands.map(({ from, to, gap }) => {
      const x = Math.max(from, 0);
      const opacity = 0.35 + 0.65 * (1 - gap / APART); // the closer, the darker
      const width = Math.max(Math.min(to, view.width) - x, 1);
      return s("rect", { class: "mw-nl-band", x, y: y - tick + 3, width, height: 2 * tick - 6, opacity: opacity.toFixed(2) });
    }),
    ...ticks.map(({ x }) => s("line", { class: "mw-nl-tick", x1: x, x2: x, y1: y - tick, y2: y + tick })),
    ...(letters !== undefined && !fmt.tiesToLarger ? drawLetters(row, letters) : []),
  ];
}

/** E under even codes and O under odd ones, where there is room. */
function drawLetters({ ticks, bands }: Row, y: number): SVGElement[] {
  return ticks
    .filter(({ x }, i) => {
      const beside = [ticks[i - 1], ticks[i + 1]].filter((tick) => tick !== undefined);
      const clear = bands.every(({ from, to }) => x < from - LETTERED || x > to + LETTERED);
      return clear && beside.every((tick) => Math.abs(tick.x - x) >= LETTERED);
    })
    .map(({ x, code }) => letterAt(x, y, (code & 1n) === 0n));
}

function letterAt(x: number, y: number, even: boolean): SVGElement {
  return s("text", { class: "mw-nl-letter", x, y }, t(even ? "line.even_letter" : "line.odd_letter"));
}

/** The marks on a format's values. */
export function drawMarks(marks: readonly Mark[], view: Viewport, layout: Layout): SVGElement[] {
  if (marks.length === 0) return [s("text", { class: "mw-nl-empty", x: view.width / 2, y: layout.input }, t("bits.line_nan"))];
  const { axis, tick } = layout;
  const xs = new Map(marks.map((mark) => [mark, pixelOf(view, mark.value)]));
  const covered: [from: number, to: number][][] = [[], []]; // by the labels in each line of them
  const drawn = [...marks].sort((a, b) => rank(a) - rank(b)).map((mark) => {
    const { role, taken, beyond } = mark;
    const x = xs.get(mark)!;
    const inside = x >= 0 && x <= view.width;
    const group = s("g", { class: `mw-nl-${role}${taken ? " mw-nl-taken" : ""}` });
    const label = labelOf(mark);
    const half = (label.length * CHARACTER) / 2;
    const at = clamp(x, half + EDGE, view.width - half - EDGE);
    const line = (top: number, bottom: number) => group.append(s("line", { x1: x, x2: x, y1: top, y2: bottom }));
    const write = (y: number) => group.append(s("text", { x: at, y }, label));
    if (role === "input") {
      group.append(inside ? s("circle", { cx: x, cy: axis, r: 6 }) : arrow(x > view.width, view.width, axis));
      write(layout.input);
    } else if (inside && role === "midpoint") {
      line(layout.midpoint + 6, axis + 14);
      write(layout.midpoint);
    } else if (inside) {
      if (role !== "far" || beyond) line(axis - tick - 2, axis + tick + 2);
      if (beyond) group.classList.add("mw-nl-infinite");
      if (beyond && mark.even !== null && layout.letters !== undefined) group.append(letterAt(x, layout.letters, mark.even));
      const crowded = marks.some((other) => other !== mark && STEPS.includes(other.role) && Math.abs(xs.get(other)! - x) < LETTERED);
      const free = covered.findIndex((labels) => labels.every(([from, to]) => at + half < from || at - half > to));
      if (free < 0 || (crowded && !taken) || (role === "far" && at !== x)) return group;
      covered[free]!.push([at - half - EDGE, at + half + EDGE]);
      write(layout.labels + LINE * free);
    }
    return group;
  });
  return drawn.reverse(); // the result is drawn last, on top
}

const STEPS: readonly Mark["role"][] = ["below", "above"];

/** The order in which labels are placed: of the result, its neighbours, the next values. The midpoint's line is drawn below all. */
function rank({ role, taken }: Mark): number {
  return taken ? 0 : role === "midpoint" ? 3 : role === "far" ? 2 : 1;
}

/** An arrow to a mark beyond the end of the line. */
function arrow(right: boolean, width: number, axis: number): SVGElement {
  const [tip, back] = right ? [width - 1, width - 13] : [1, 13];
  return s("path", { d: `M${back},${axis - 7} L${tip},${axis} L${back},${axis + 7} Z` });
}
