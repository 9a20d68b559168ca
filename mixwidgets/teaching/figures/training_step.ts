// One training step as a figure: what the page of TrainingStep shows of the usual step, from the same numbers and texts.

import type { FloatFormat } from "#core/formats/float_format.ts";
import { fateOf } from "#training/fate.ts";
import { look } from "#training/look.ts";
import { strip } from "#training/strip.ts";
import { listed, type Piece, t } from "#ui/messages.ts";
import { codeIn, unitName, weightName } from "../widgets/training_step/names.ts";
import { oneWeight, type StationName } from "../widgets/training_step/one.ts";
import type { Shown, WayIs } from "../widgets/training_step/station.ts";
import { placeOf, trainerOf, usual, widthsOf } from "../widgets/training_step/state.ts";
import { sentence } from "../widgets/training_step/words.ts";
import { countZones, type Zone, zoneWords } from "../widgets/training_step/zones.ts";
import { arrow, type Colour, el, figure, rounded, text, type Type, widthOf, wrapped } from "./svg.ts";

const NUMBERS: Record<StationName, number> = { kept: 1, copy: 2, loss: 3, backward: 4, check: 4, update: 5 };
const LINE = 18;
const TWIN: Type = { size: 12, mono: true, fill: "muted" };

/** What one draws below another, from a corner down: the elements, and how high they are. */
class Column {
  readonly parts: string[] = [];
  readonly x: number;
  readonly width: number;
  y: number;

  constructor(x: number, y: number, width: number) {
    [this.x, this.y, this.width] = [x, y, width];
  }

  add(height: number, draw: (y: number) => readonly string[]): void {
    this.parts.push(...draw(this.y));
    this.y += height;
  }

  lines(words: readonly string[], type: Type = { fill: "muted" }): void {
    for (const line of words.filter(Boolean).flatMap((one) => wrapped(one, this.width, type))) {
      this.add(LINE, (y) => [text(this.x, y + 13, line, type)]);
    }
  }
}

/** What the figures show: the step, and the words about it. */
function seen() {
  const [trainer, place] = [trainerOf(usual, new Uint8Array()), placeOf(usual)];
  const step = look(trainer);
  return { step, place, one: oneWeight(step, place, fateOf(step, place)), told: sentence(step, strip(trainer), place) };
}
type Seen = ReturnType<typeof seen>;

function bits(column: Column, format: FloatFormat, value: number): void {
  const code = codeIn(format, value);
  const isWide = format.bits > 16;
  const [cell, height] = isWide ? [6, 13] : [12, 16];
  const fields = ([["sign", 1], ["exponent", format.exponentBits], ["fraction", format.fractionBits]] as const);
  let [x, bit] = [column.x, format.bits];
  column.add(height + 7, (y) => fields.flatMap(([name, count]) => {
    const letter = text(x, y + height - 2, name[0]!.toUpperCase(), { size: 12, bold: true, mono: true, fill: name });
    x += 10;
    const [on, off, digits]: [string[], string[], string[]] = [[], [], []];
    for (let i = 0; i < count; i++, x += cell) {
      const isOn = (code >> BigInt(--bit)) % 2n === 1n;
      (isOn ? on : off).push(outline(x + 0.5, y + 0.5, cell - 1.5, height - 1));
      if (!isWide) digits.push(text(x + cell / 2 - 0.2, y + 12, isOn ? "1" : "0", { size: 11, mono: true, bold: isOn, fill: name, anchor: "middle" }));
    }
    x += 5;
    return [
      letter, el("path", { d: on.join(""), stroke: name, ...(isWide && { fill: name }), "stroke-width": isWide ? 0.8 : 1.5 }),
      el("path", { d: off.join(""), stroke: name, "stroke-width": 0.9, "stroke-dasharray": isWide ? undefined : "2 1.5" }), ...digits,
    ];
  }));
}

const outline = (x: number, y: number, width: number, height: number): string => `M${rounded(x)},${rounded(y)}h${rounded(width)}v${rounded(height)}h${-rounded(width)}z`;

const ZONE: Record<Zone, Colour> = { zero: "line", flushed: "flushed", subnormal: "subnormal", normal: "normal", overflow: "overflow" };

/** Squares of a zone, from left edges on; hatched ones are 0. */
function filled(zone: Zone, edges: readonly number[], y: number, width: number): string {
  const hatch = edges.map((x) => `M${rounded(x + 1)},${rounded(y + 10)}l${rounded(width - 2)},-9`).join("");
  return el("path", { fill: ZONE[zone], d: edges.map((x) => outline(x, y, width, 11)).join("") }) + (zone === "flushed" ? el("path", { stroke: "surface", "stroke-width": 1, d: hatch }) : "");
}

function squares(column: Column, words: string, zones: readonly Zone[]): void {
  if (!words) return;
  column.add(LINE, (y) => [text(column.x, y + 13, words, { fill: "muted" }), text(column.x + column.width, y + 13, zoneWords(countZones(zones)), { bold: true, anchor: "end" })]);
  const width = column.width / zones.length;
  column.add(16, (y) => [...new Set(zones)].map((zone) => filled(zone, zones.flatMap((one, i) => (one === zone ? [column.x + i * width] : [])), y, width - 1)));
}

function figureOf(column: Column, shown: Shown): void {
  const type: Type = { size: 19, bold: true, mono: true, fill: shown.tag || shown.isAfter ? "flushed" : "ink" };
  column.add(28, (y) => [text(column.x, y + 20, shown.figure, type), text(column.x + widthOf(shown.figure, type) + 10, y + 20, shown.aside, { fill: "muted" })]);
  if (shown.hasBits && shown.value !== null) bits(column, shown.format, shown.value);
}

/** What stands in each station, below its head. */
const BODIES: Record<StationName, (column: Column, one: Seen["one"]) => void> = {
  kept(column, { shown, lines }) {
    figureOf(column, shown.kept);
    column.lines([lines.kept]);
  },
  copy(column, { shown, lines: { copy, table } }) {
    figureOf(column, shown.copy);
    column.lines([copy]);
    const at = [0, 0.4, 0.72].map((part) => column.x + part * column.width);
    column.add(LINE, (y) => table.heads.map((words, i) => text(at[i]!, y + 13, words, { fill: "muted" })));
    table.rows.forEach((row, r) => column.add(LINE, (y) => row.map((words, i) => text(at[i]!, y + 13, words, { size: 12, mono: true, fill: r ? "muted" : "ink" }))));
    column.lines([table.note]);
  },
  loss(column, { shown, lines: { loss: [twin, ...others] } }) {
    figureOf(column, shown.loss);
    column.lines([twin!], TWIN);
    column.lines(others.slice(0, -1), {});
    column.lines(others.slice(-1));
  },
  backward(column, { shown, lines: { backward } }) {
    squares(column, backward.outputs, backward.outputZones);
    squares(column, backward.unit, backward.unitZones);
    figureOf(column, shown.backward);
    column.lines([backward.twin], TWIN);
  },
  check(column, { shown, lines: { check: [finite, twin] } }) {
    column.lines([finite!], {});
    figureOf(column, shown.check);
    column.lines([twin!], TWIN);
  },
  update(column, { shown, lines: { update } }) {
    column.lines(update.slice(0, -1), {});
    figureOf(column, shown.update);
    column.lines(update.slice(-1));
  },
};

/** A station, no lower than `height`. Returns how high it is. */
function station(name: StationName, one: Seen["one"], x: number, y: number, width: number, height = 0): { svg: string; height: number } {
  const shown = one.shown[name];
  const column = new Column(x + 13, y + 34, width - 26);
  BODIES[name](column, one);
  const high = Math.max(height, column.y + 6 - y);
  const tag = shown.tag && t(`step.ui.tag_${shown.tag}`);
  const title: Type = { size: 13, bold: true };
  const after = x + 44 + widthOf(shown.title, title);
  const head = [
    el("circle", { cx: x + 23, cy: y + 17, r: 10, fill: "ink" }), text(x + 23, y + 21.5, String(NUMBERS[name]), { size: 12.5, bold: true, fill: "surface", anchor: "middle" }),
    text(x + 41, y + 22, shown.title, title), text(x + width - 13, y + 22, shown.format.name, { size: 12, mono: true, fill: "muted", anchor: "end" }),
    ...(tag ? [el("rect", { x: after, y: y + 8, width: widthOf(tag, { size: 12, bold: true }) + 12, height: 18, rx: 9, fill: "flushed" }), text(after + 6, y + 21.5, tag, { size: 12, bold: true, fill: "surface" })] : []),
  ];
  const frame = el("rect", { x, y, width, height: high, rx: 7, fill: shown.isNarrow ? "soft" : "surface", stroke: shown.tag ? "flushed" : "line", "stroke-width": shown.tag ? 2 : 1 });
  return { svg: frame + head.join("") + column.parts.join(""), height: high };
}

/** A way between stations, and what happens on it. */
function way(from: readonly [number, number], to: readonly [number, number], { is, words }: { readonly is: WayIs; readonly words: string }, at: readonly [number, number], anchor: Type["anchor"] = "start"): string {
  const isLost = is === "lost";
  return arrow([from, to], isLost ? "flushed" : "accent", { "stroke-width": 2.5, "stroke-dasharray": isLost ? "4 3" : undefined }) + text(...at, words, { size: 12, bold: isLost, fill: isLost ? "flushed" : "muted", anchor });
}

/** The sentence, from a corner down: its strong words have the colour of what happened. */
function told(column: Column, { headline, more }: Seen["told"], size: number): void {
  const words = (piece: Piece) => piece.text;
  const strong = headline.filter((piece) => piece.strong).map(words).join("").trim();
  const type = { size, bold: true };
  const lines = wrapped(headline.map(words).join(""), column.width, type);
  for (const [i, line] of lines.entries()) {
    const from = lines.slice(0, i).join(" ").length + Number(i > 0);
    const cut = Math.max(0, Math.min(line.length, strong.length - from));
    column.add(size * 1.35, (y) => [el("text", { x: column.x, y: y + size, "font-size": size, "font-weight": 700, fill: "ink" }, ...[[line.slice(0, cut), "flushed"], [line.slice(cut), "ink"]].filter(([part]) => part).map(([part, fill]) => el("tspan", { fill: fill as Colour }, spaced(part!))))]);
  }
  column.y += 4;
  column.lines([more], { size: 13, fill: "muted" });
}

const spaced = (words: string): string => words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The network with its weight, in a box of 200 × 150. */
function network(x: number, y: number, { place, step }: Seen): string {
  const widths = widthsOf(usual);
  const at = (layer: number, unit: number) => [x + 26 + layer * 74, y + 75 + (unit - (widths[layer]! - 1) / 2) * 34] as const;
  const { layer, shape: [, outputs] } = step.tensors[place.tensor]!;
  const ends = [Math.floor(place.index / outputs), place.index % outputs] as const;
  const isChosen = (l: number, unit: number) => l - layer in ends && unit === ends[(l - layer) as 0 | 1];
  const lines = widths.slice(1).flatMap((count, l) => Array.from({ length: widths[l]! }, (_, i) => Array.from({ length: count }, (_, j) => {
    const chosen = l === layer && i === ends[0] && j === ends[1];
    return el("path", { stroke: chosen ? "accent" : "control", "stroke-width": chosen ? 4 : 0.9, d: `M${at(l, i).join()}L${at(l + 1, j).join()}` });
  })).flat());
  const units = widths.flatMap((count, l) => Array.from({ length: count }, (_, unit) => {
    const [cx, cy] = at(l, unit);
    const chosen = isChosen(l, unit);
    return el("circle", { cx, cy, r: 12, fill: "surface", stroke: chosen ? "accent" : "control", "stroke-width": chosen ? 2.5 : 1.2 }) + text(cx, cy + 4, unitName(l, unit, widths.length), { size: 12, bold: chosen, fill: chosen ? "ink" : "muted", anchor: "middle" });
  }));
  return lines.join("") + units.join("");
}

/** What colours and tints mean, and what the figure is. */
function legend(column: Column, { step }: Seen): void {
  const keys: [string, string][] = [
    ["float32", el("rect", { width: 13, height: 11, rx: 2, fill: "surface", stroke: "control" })], [step.settings.gradientFormat.name, el("rect", { width: 13, height: 11, rx: 2, fill: "soft", stroke: "accent" })],
    ...(["flushed", "subnormal", "normal"] as const).map((zone): [string, string] => [t(`step.ui.key_${zone}`), filled(zone, [0], 0, 13)]),
  ];
  let x = 0;
  for (const [words, mark] of keys) {
    const width = 30 + widthOf(words);
    if (x + width > column.width) {
      x = 0;
      column.y += LINE + 4;
    }
    column.parts.push(el("g", { transform: `translate(${column.x + x},${column.y + 4})` }, mark), text(column.x + x + 19, column.y + 14, words, { fill: "muted" }));
    x += width;
  }
  column.y += LINE + 12;
  column.lines([t("five.caption", { step: step.step, task: t(`train.task_${usual.task as "circle"}`), scale: step.lossScale, examples: step.batch.length })], { size: 13 });
}

const described = ({ told: { headline, more }, step, place }: Seen): string => listed([t("step.ui.title"), weightName(step, place)]) + ": " + headline.map((piece) => piece.text).join("") + " " + more;

/** Two rows of three stations, as on a wide page. */
export function trainingStep(): string {
  const all = seen();
  const { ways } = all.one;
  const words = new Column(237, 50, 690);
  told(words, all.told, 20);
  const [x, width] = [[21, 338, 656] as const, 283];
  const row = (names: readonly StationName[], y: number) => {
    const height = Math.max(...names.map((name) => station(name, all.one, 0, y, width).height));
    return { svg: names.map((name, i) => station(name, all.one, x[i]!, y, width, height).svg).join(""), end: y + height, middle: y + height / 2 };
  };
  const upper = row(["kept", "update", "check"], 176);
  const lower = row(["copy", "loss", "backward"], upper.end + 32);
  const keys = new Column(21, lower.end + 12, 918);
  legend(keys, all);
  const [left, right] = [x[0] + width / 2, x[2] + width / 2];
  return figure("training-step", 960, keys.y + 14, described(all), network(21, 12, all), ...words.parts, upper.svg, lower.svg,
    way([left, upper.end + 2], [left, upper.end + 30], ways.a12, [left + 12, upper.end + 20]),
    way([x[0] + width + 2, lower.middle], [x[1] - 2, lower.middle], ways.a2, [0, 0]), way([x[1] + width + 2, lower.middle], [x[2] - 2, lower.middle], ways.a3, [0, 0]),
    way([right, upper.end + 30], [right, upper.end + 2], ways.a34, [right + 12, upper.end + 20]),
    way([x[2] - 2, upper.middle], [x[1] + width + 2, upper.middle], ways.a45, [x[2] - 17, upper.middle - 9], "middle"),
    way([x[1] - 2, upper.middle], [x[0] + width + 2, upper.middle], ways.a5, [x[1] - 17, upper.middle - 9], "middle"), ...keys.parts);
}

/** The stations below each other, in the order of a step, for a narrow page. */
export function trainingStepStanding(): string {
  const all = seen();
  const { ways } = all.one;
  const words = new Column(14, 166, 338);
  told(words, all.told, 17);
  const parts: string[] = [];
  let y = words.y + 8;
  for (const [name, on] of [["kept", ways.a12], ["copy", ways.a2], ["loss", ways.a3], ["backward", ways.a34], ["check", ways.a45], ["update", ways.a5]] as const) {
    const { svg, height } = station(name, all.one, 14, y, 338);
    const end = y + height;
    const onward = name === "update" ? { is: on.is, words: t("step.ui.onward") } : on;
    parts.push(svg, way([40, end + 2], [40, end + 26], onward, [54, end + 19]));
    y = end + 28;
  }
  const keys = new Column(14, y + 6, 338);
  legend(keys, all);
  return figure("training-step", 366, keys.y + 12, described(all), network(83, 10, all), ...words.parts, ...parts, ...keys.parts);
}
