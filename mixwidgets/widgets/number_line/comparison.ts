// The format's line, a row for each format that it is compared with, and a decimal ruler under all.

import { exact, isFinite } from "#core/formats/decode.ts";
import { encode } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { readOr } from "#core/formats/parse.ts";
import { rational } from "#core/formats/rational.ts";
import { s, set } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { cut, figure, integer } from "#ui/digits.ts";
import { drawLine, drawRow } from "#ui/number_line/drawing.ts";
import type { Mark } from "#ui/number_line/marks.ts";
import { rowOf } from "#ui/number_line/ticks.ts";
import { pixelOf, type Viewport } from "#ui/number_line/viewport.ts";
import { drawRuler } from "./ruler.ts";

const CAPTION = 12; // pixels
export const LAYOUT = { midpoint: 38, input: 56, axis: 80, tick: 10, letters: 106, labels: 124 };
const ROWS = 150; // where the rows of the other formats begin
const ROW = 48;
const RULER = 44;
const NARROW = 420; // width below which a row's caption has room for its result only

export interface Scene {
  readonly fmt: FloatFormat;
  readonly marks: readonly Mark[];
  readonly others: readonly FloatFormat[];
  /** The exact input as text, to be rounded to the other formats. */
  readonly text: string;
}

/** Draw into an SVG; gives the captions, for the SVG's description. */
export function draw(svg: SVGSVGElement, { fmt, marks, others, text }: Scene, view: Viewport): string[] {
  const height = ROWS + ROW * others.length + RULER;
  set(svg, { viewBox: `0 0 ${view.width} ${height}`, height });
  svg.style.minHeight = `${height}px`;
  const input = marks.find(({ role }) => role === "input");
  const plumb = input && pixelOf(view, input.value);
  const captions = [captionOf(fmt, view)];
  const rows = others.flatMap((other, i) => {
    const top = ROWS + ROW * i;
    const result = resultOf(other, text);
    captions.push(captionOf(other, view, result));
    return [
      drawCaption(other, captions.at(-1)!, top + 13),
      ...drawRow(rowOf(other, view), view, top + 30, 10),
      ...drawResult(other, result, view, top + 30),
    ];
  });
  const inside = plumb !== undefined && plumb >= 0 && plumb <= view.width;
  svg.replaceChildren(
    ...(inside && others.length ? [s("line", { class: "mw-nl-plumb", x1: plumb, x2: plumb, y1: LAYOUT.axis, y2: height - RULER })] : []),
    ...rows,
    drawCaption(fmt, captions[0]!, CAPTION),
    ...drawLine(fmt, marks, view, LAYOUT),
    ...drawRuler(view, input?.value ?? rational(0n), height - RULER + 8),
  );
  return [fmt, ...others].map(({ name }, i) => name + captions[i]!);
}

function drawCaption({ name }: FloatFormat, caption: string, y: number): SVGElement {
  return s("text", { class: "mw-nl-caption", x: 0, y }, s("tspan", { class: "mw-nl-name" }, name), caption);
}

/** " · 5 values in view · → 65536" */
function captionOf(fmt: FloatFormat, view: Viewport, result: bigint | null = null): string {
  const { count } = rowOf(fmt, view);
  const values = count === 1n ? t("line.one") : t("line.count", { count: countText(count) });
  if (result === null) return ` · ${values}`;
  const rounded = `→ ${figure(fmt, result).text}`;
  return view.width < NARROW ? ` · ${rounded}` : ` · ${values} · ${rounded}`;
}

/** The code that the input is rounded to; null without an input, or where the format has no code for it. */
function resultOf(fmt: FloatFormat, text: string): bigint | null {
  return readOr(() => (text ? encode(fmt, text) : null), null);
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
