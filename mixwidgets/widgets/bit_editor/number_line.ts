// The neighbours of a number, drawn to scale: its steps, the midpoint where rounding turns, and what was typed.

import { classify, isFinite, nextDown, nextUp } from "#core/formats/decode.ts";
import { explain } from "#core/formats/explain.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { compare, divide, magnitudeOf, subtract, toNumber, type Rational } from "#core/formats/rational.ts";
import { s, set } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { cut, digitsToTellApart, figure, place } from "#ui/digits.ts";
import type { EditedNumber } from "./state.ts";
import { exactOf, places, typedText } from "./words.ts";

const LABEL_DIGITS = 8;
const CROWDED = 12; // characters of a label beyond which neighbours' labels stand in two rows
const AXIS = 48;
const ROWS = [70, 86];

export interface Mark {
  /** On a scale where the gap of interest is 1. */
  readonly at: number;
  readonly label: string;
  readonly kind: "step" | "far" | "here" | "infinity" | "midpoint" | "typed";
}

export interface Line {
  readonly domain: readonly [number, number];
  readonly marks: readonly Mark[];
}

/** What the line shows of a number; null for NaN, which has no place on it. */
export function lineOf(number: EditedNumber): Line | null {
  const { fmt, code } = number;
  const how = number.input === "" ? null : explain(fmt, number.input, number);
  if (!how?.midpoint) return classify(fmt, code) === "nan" ? null : around(fmt, code);

  const { below, above } = places(fmt, how);
  const value = exactOf(how);
  const tied = compare(value, how.midpoint) === 0;
  const digits = digitsToTellApart([below, above, how.midpoint, ...(tied ? [] : [value])], LABEL_DIGITS);
  const at = scaleTo(below, subtract(above, below));
  const marks = stepMarks(fmt, at, digits, [
    [farther(fmt, how.below, nextDown), "far"],
    [how.below, "step", below],
    [how.above, "step", above],
    [farther(fmt, how.above, nextUp), "far"],
  ]);
  return {
    domain: [-1.3, 2.3],
    marks: [
      ...marks,
      { at: at(how.midpoint), label: t("bits.midpoint", { midpoint: cut(how.midpoint, digits) }), kind: "midpoint" },
      { at: at(value), label: typedText(number).slice(0, 24), kind: "typed" },
    ],
  };
}

/** A representable number among the steps beside it. */
function around(fmt: FloatFormat, code: bigint): Line {
  const [down, up] = [farther(fmt, code, nextDown), farther(fmt, code, nextUp)];
  const here = place(fmt, code);
  const beside = [down, up].filter((c) => c !== null).map((c) => place(fmt, c));
  const gaps = beside.map((x) => magnitudeOf(subtract(x, here)));
  const unit = gaps.reduce((a, b) => (compare(a, b) >= 0 ? a : b));
  const marks = stepMarks(fmt, scaleTo(here, unit), digitsToTellApart([here, ...beside], LABEL_DIGITS), [
    [farther(fmt, down, nextDown), "far"],
    [down, "step"],
    [code, "here"],
    [up, "step"],
    [farther(fmt, up, nextUp), "far"],
  ]);
  return { domain: [-2.4, 2.4], marks };
}

function farther(fmt: FloatFormat, code: bigint | null, step: typeof nextUp): bigint | null {
  const next = code === null ? null : step(fmt, code);
  return next === code ? null : next; // nothing lies beyond an infinity
}

function scaleTo(origin: Rational, unit: Rational): (x: Rational) => number {
  return (x) => toNumber(divide(subtract(x, origin), unit));
}

/** `at` where a step that the format does not have stands for what is there instead. */
type Step = readonly [code: bigint | null, kind: "step" | "far" | "here", at?: Rational];

function stepMarks(fmt: FloatFormat, at: (x: Rational) => number, digits: number, steps: readonly Step[]): Mark[] {
  return steps.flatMap(([code, kind, step]): Mark[] => {
    if (code === null) return [];
    const x = step ?? place(fmt, code);
    if (isFinite(fmt, code) && compare(x, place(fmt, code)) === 0) {
      const zero = fmt.hasNegativeZero && code === fmt.signBit;
      return [{ at: at(x), label: zero ? "−0" : cut(x, digits), kind }];
    }
    const instead = figure(fmt, code).text;
    const label = `${cut(x, digits)} → ${instead}`;
    return [{ at: at(x), label: label.length > CROWDED ? instead : label, kind: "infinity" }];
  });
}

export function numberLine(): { element: SVGElement; show(number: EditedNumber): void } {
  const element = s("svg", { class: "mw-bit-line", role: "img" });
  const show = (number: EditedNumber) => {
    const line = lineOf(number);
    const labels = line?.marks.map((mark) => mark.label) ?? [];
    set(element, { "aria-label": line ? t("bits.line", { marks: listed(labels) }) : t("bits.line_nan") });
    element.replaceChildren(
      s("line", { class: "mw-bit-axis", x1: "1%", x2: "99%", y1: AXIS, y2: AXIS }),
      ...(line ? draw(line) : [s("text", { x: "50%", y: 30, class: "mw-bit-line-empty" }, t("bits.line_nan"))]),
    );
  };
  return { element, show };
}

function draw({ domain, marks: all }: Line): SVGElement[] {
  const [low, high] = domain;
  const marks = all.filter(({ kind, at }) => kind !== "far" || (at >= low && at <= high)); // ulps may double and more
  const x = (at: number) => Math.min(Math.max((100 * (at - low)) / (high - low), 0), 100);
  const crowded = marks.some(({ kind, label }) => kind === "step" && label.length > CROWDED);
  let steps = 0;
  return marks.map(({ at, label, kind }) => {
    const left = `${x(at).toFixed(3)}%`;
    const group = s("g", { class: `mw-bit-mark-${kind}${kind === "far" && crowded ? " mw-bit-crowded" : ""}` });
    const text = (y: number) => group.append(s("text", { x: left, y }, label));
    if (kind === "midpoint") {
      group.append(s("line", { x1: left, x2: left, y1: 18, y2: AXIS + 12 }));
      text(12);
    } else if (kind === "typed") {
      // Beyond the line's end an arrow points to where the number lies.
      const inside = at >= low && at <= high;
      group.append(inside ? s("circle", { cx: left, cy: AXIS, r: 6 }) : arrow(at > high));
      if (!inside) group.classList.add(at > high ? "mw-bit-beyond-right" : "mw-bit-beyond-left");
      text(32);
    } else {
      group.append(s("line", { x1: left, x2: left, y1: AXIS - 7, y2: AXIS + 7 }));
      if (kind === "here") group.append(s("circle", { cx: left, cy: AXIS, r: 6 }));
      if (kind !== "far" && kind !== "here") steps += 1;
      text(kind === "here" ? 32 : ROWS[crowded && steps % 2 === 0 && kind !== "far" ? 1 : 0]!);
    }
    return group;
  });
}

function arrow(right: boolean): SVGElement {
  const shape = right ? "M-10,-7 L2,0 L-10,7 Z" : "M10,-7 L-2,0 L10,7 Z";
  // An SVG of its own, since a path takes no percentage.
  return s("svg", { x: right ? "99%" : "1%", y: AXIS, overflow: "visible" }, s("path", { d: shape }));
}
