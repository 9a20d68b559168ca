// Where the bits of the design go, and those of two other formats: on one axis of powers of two, the significant bits of each
// binade. Two paths a format, so that a change draws little.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { ulp } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { floorLog2 } from "#core/formats/rational.ts";
import { twoTo } from "#ui/digits.ts";
import { s, set } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { raised } from "#ui/powers.ts";
import type { View } from "#ui/view.ts";
import type { Design } from "./design.ts";
import { largest } from "./words.ts";

const NAMES = 148; // pixels left, for the longest name
const ENDS = 64; // right, for a number of bits
const NARROW = 560; // below this width, a name stands over its row
const SIDE = 20; // there, for half a label
const OVER = 18; // there, for the name
const LEAST_WIDTH = 240;
const [ROW, GAP] = [6, 12]; // pixels of the lowest row, and below a row; a name stands in both
const BIT = 14; // pixels of a bit, at most
const AXIS = 26;
const LEAST_HEIGHT = 100;
const LABEL = 56; // pixels between the labels of the axis
const STEPS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

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

/** A format under its name; `label` is what stands before its row. */
export interface Named {
  readonly fmt: FloatFormat;
  readonly name: string;
  readonly label: string;
}

interface Row extends Named {
  readonly binades: readonly Binade[];
}

/** The first format is the design's. */
export function ranges(view: View<Design>, formats: ReadonlySignal<readonly Named[]>): SVGElement {
  const svg = s("svg", { role: "img", class: "mw-design-plot" });
  const size = view.measured(svg, () => ({ width: Math.max(svg.clientWidth, LEAST_WIDTH), height: Math.max(svg.clientHeight, LEAST_HEIGHT) }));
  const rows = computed<Row[]>(() => formats.value.map((named) => ({ ...named, binades: binadesOf(named.fmt) })));

  view.effect(() => {
    const { width, height } = size.value;
    const all = rows.value.flatMap(({ binades }) => [binades[0]!, binades.at(-1)!]);
    const low = Math.min(...all.map(({ exponent }) => exponent));
    const high = Math.max(...all.map(({ exponent }) => exponent)) + 1;
    const isNarrow = width < NARROW;
    const [left, right, over] = isNarrow ? [SIDE, SIDE, OVER] : [NAMES, ENDS, 0];
    const x = (exponent: number) => left + ((exponent - low) / (high - low)) * (width - left - right);
    const most = rows.value.map(({ binades }) => binades.at(-1)!.bits);
    const floor = height - AXIS;
    const heights = heightsOf(most, floor - rows.value.length * (over + GAP));
    let top = 0;
    const drawn = rows.value.flatMap((row, i) => {
      const rowHeight = heights[i]!;
      const [from, bottom] = [top + over, top + over + rowHeight];
      top = bottom + GAP;
      const middle = from + rowHeight / 2;
      const bits = most[i] === 1 ? t("designer.one_bit") : t("designer.bits_of", { count: most[i]! });
      return [
        s("text", isNarrow ? { x: 0, y: from - 5, class: "mw-design-label" } : { x: 0, y: middle, class: "mw-design-label", "dominant-baseline": "central" }, isNarrow ? `${row.label} · ${bits}` : row.label),
        ...steps(row, x, bottom, rowHeight / most[i]!),
        ...(isNarrow ? [] : [s("text", { x: x(row.binades.at(-1)!.exponent + 1) + 8, y: middle, "dominant-baseline": "central" }, bits)]),
      ].map((element) => (i === 0 ? element : (element.classList.add("mw-design-other"), element)));
    });
    set(svg, { viewBox: `0 0 ${width} ${height}`, "aria-label": t("designer.line", { rows: listed(rows.value.map(spoken)) }) });
    svg.replaceChildren(...axis(low, high, x, floor), ...drawn);
  });
  return svg;
}

/** As high as the rows' bits, with one scale but for the lowest, which have room for their name; all in `room` pixels. */
function heightsOf(bits: readonly number[], room: number): number[] {
  let unit = BIT;
  for (const _ of bits) { // each time, more may be lowest
    const high = bits.filter((count) => count * unit > ROW);
    if (high.length > 0) unit = Math.min(unit, (room - ROW * (bits.length - high.length)) / high.reduce((sum, count) => sum + count));
  }
  return bits.map((count) => Math.max(ROW, count * unit));
}

function spoken({ fmt, name, binades }: Row): string {
  return t("designer.line_row", { name, from: twoTo(binades[0]!.exponent), to: largest(fmt), count: binades.length, bits: binades.at(-1)!.bits });
}

/** The outlines of the subnormal binades and of the normal ones. */
function steps({ binades }: Row, x: (exponent: number) => number, bottom: number, unit: number): SVGElement[] {
  const outline = (part: readonly Binade[], kind: string) => {
    const [first, last] = [part[0], part.at(-1)];
    if (!first || !last) return [];
    const heights = part.filter(({ bits }, i) => bits !== part[i + 1]?.bits); // the last binade of each height
    const tops = heights.map(({ exponent, bits }) => `V${(bottom - bits * unit).toFixed(1)}H${x(exponent + 1).toFixed(1)}`).join("");
    return [s("path", { class: `mw-design-area-${kind}`, d: `M${x(first.exponent).toFixed(1)} ${bottom}${tops}V${bottom}Z` })];
  };
  return [...outline(binades.filter(({ isNormal }) => !isNormal), "subnormal"), ...outline(binades.filter(({ isNormal }) => isNormal), "normal")];
}

function axis(low: number, high: number, x: (exponent: number) => number, floor: number): SVGElement[] {
  const step = STEPS.find((binades) => x(low + binades) - x(low) >= LABEL) ?? STEPS.at(-1)!;
  const exponents = Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, i) => (Math.ceil(low / step) + i) * step);
  return [
    s("path", { class: "mw-design-grid", d: exponents.map((exponent) => `M${x(exponent).toFixed(1)} 0V${floor}`).join("") }),
    ...exponents.map((exponent) => s("text", { x: x(exponent), y: floor + 18, "text-anchor": "middle" }, ...raised(twoTo(exponent), (power) => s("tspan", { class: "mw-design-raised", dy: -5 }, power)))),
  ];
}
