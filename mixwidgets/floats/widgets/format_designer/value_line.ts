// A chart that compares a design with another format: the significant bits of each binade.

import { computed, signal, type ReadonlySignal } from "@preact/signals-core";
import { formats, getFormat } from "#core/formats/catalogue.ts";
import { exact, ulp } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { divide, floorLog2, power, toNumber, type Rational } from "#core/formats/rational.ts";
import { labelled, menuOf } from "#ui/choices.ts";
import { cut, twoTo } from "#ui/digits.ts";
import { h, s, set } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import type { View } from "#ui/view.ts";
import type { Design } from "./design.ts";
import { MAP_BITS } from "./map.ts";

const SIDE = 24; // pixels left and right, for half a label
const CAPTION = 20; // above a row
const TICK = 8; // below a row, for the ticks of single values
const AXIS = 24;
const NARROW = 480; // below this width, a caption has no room for its counts
const LEAST_WIDTH = 240;
const LEAST_HEIGHT = 140;
const LABEL = 60; // pixels between the labels of the axis
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** A binade with positive values of the format, and their number of significant bits. */
export interface Binade {
  readonly exponent: number;
  readonly bits: number;
  readonly isNormal: boolean;
}

export function binadesOf(fmt: FloatFormat): readonly Binade[] {
  const unit = floorLog2(ulp(fmt, fmt.smallestCode));
  const [low, high] = [floorLog2(fmt.magnitude(fmt.smallestCode)), floorLog2(fmt.magnitude(fmt.maxCode))];
  return Array.from({ length: high - low + 1 }, (_, i) => {
    const exponent = low + i;
    return { exponent, bits: Math.min(exponent - unit + 1, fmt.precision), isNormal: exponent >= fmt.emin };
  });
}

export function valueLine(view: View<Design>, fmt: ReadonlySignal<FloatFormat>, name: ReadonlySignal<string>): HTMLElement {
  const other = signal(getFormat(name.value === "float16" ? "bfloat16" : "float16")!);
  const select = menuOf(formats.map(({ name }) => name), (name) => (other.value = getFormat(name)!));
  select.value = other.value.name;

  const svg = s("svg", { role: "img", class: "mw-design-plot" });
  const frame = h("div", { class: "mw-design-frame" }, svg);
  const element = h("div", { class: "mw-design-line" }, labelled(t("designer.compared"), select), frame);
  const width = view.measured(svg, () => Math.max(svg.clientWidth, LEAST_WIDTH));
  const height = view.measured(frame, () => Math.max(frame.clientHeight, LEAST_HEIGHT));
  const rows = computed(() => [{ fmt: fmt.value, name: name.value }, { fmt: other.value, name: other.value.name }].map((row) => ({ ...row, binades: binadesOf(row.fmt) })));

  view.effect(() => {
    const all = rows.value.flatMap(({ binades }) => binades);
    const low = Math.min(...all.map(({ exponent }) => exponent));
    const high = Math.max(...all.map(({ exponent }) => exponent)) + 1;
    const most = Math.max(...all.map(({ bits }) => bits));
    const x = (exponent: number) => SIDE + ((exponent - low) / (high - low)) * (width.value - 2 * SIDE);
    const rowHeight = (height.value - AXIS) / 2;
    const unit = (rowHeight - CAPTION - TICK) / most;
    set(svg, { viewBox: `0 0 ${width.value} ${height.value}` });
    svg.replaceChildren(
      ...axis(low, high, x, height.value),
      ...rows.value.flatMap((row, i) => [
        s("text", { x: 0, y: rowHeight * i + CAPTION - 6, class: "mw-design-caption" }, captionOf(row, width.value >= NARROW)),
        ...drawRow(row, x, rowHeight * (i + 1) - TICK, unit),
      ]),
    );
    set(svg, { "aria-label": t("designer.line", { rows: listed(rows.value.map((row) => captionOf(row, true))) }) });
  });
  return element;
}

interface Row {
  readonly fmt: FloatFormat;
  readonly name: string;
  readonly binades: readonly Binade[];
}

/** "float16 · 2⁻²⁴ to 65504 · 40 binades · up to 11 bits" */
function captionOf({ fmt, name, binades }: Row, withCounts: boolean): string {
  const args = { name, from: twoTo(binades[0]!.exponent), to: cut(exact(fmt, fmt.maxCode), 6) };
  if (!withCounts) return t("designer.line_row_short", args);
  return t("designer.line_row", { ...args, count: binades.length, bits: binades.at(-1)!.bits });
}

function drawRow({ fmt, binades }: Row, x: (exponent: number) => number, floor: number, unit: number): SVGElement[] {
  const area = (binades: readonly Binade[], kind: string) => {
    const [first, last] = [binades[0], binades.at(-1)];
    if (!first || !last) return [];
    const tops = binades.map(({ exponent, bits }) => `V${(floor - bits * unit).toFixed(1)}H${x(exponent + 1).toFixed(1)}`).join("");
    return [s("path", { class: `mw-design-area-${kind}`, d: `M${x(first.exponent).toFixed(1)} ${floor}${tops}V${floor}Z` })];
  };
  const values = fmt.bits > MAP_BITS ? [] : Array.from({ length: Number(fmt.maxCode) + 1 }, (_, code) => fmt.magnitude(BigInt(code)));
  const ticks = values.filter(({ numerator }) => numerator > 0n).map((value) => {
    const at = x(log2(value)).toFixed(1);
    return `M${at} ${floor}v${TICK - 2}`;
  });
  return [
    ...area(binades.filter(({ isNormal }) => !isNormal), "subnormal"),
    ...area(binades.filter(({ isNormal }) => isNormal), "normal"),
    s("path", { class: "mw-design-values", d: ticks.join("") }),
  ];
}

function axis(low: number, high: number, x: (exponent: number) => number, bottom: number): SVGElement[] {
  const step = STEPS.find((binades) => x(low + binades) - x(low) >= LABEL) ?? STEPS.at(-1)!;
  const exponents = Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, i) => (Math.ceil(low / step) + i) * step);
  return exponents.flatMap((exponent) => [
    s("path", { class: "mw-design-grid", d: `M${x(exponent).toFixed(1)} 0V${bottom - AXIS}` }),
    s("text", { x: x(exponent), y: bottom - 6, "text-anchor": "middle" }, twoTo(exponent)),
  ]);
}

function log2(value: Rational): number {
  const exponent = floorLog2(value);
  return exponent + Math.log2(toNumber(divide(value, power(2n, exponent))));
}
