// The losses of both networks over the steps, on a logarithmic axis, beside the curves of the two guesses; and below them the
// loss scale. Drawn on canvases, because while it trains all of it changes many times a second.

import { type ReadonlySignal, signal } from "@preact/signals-core";
import { clamp, extent } from "#core/range.ts";
import { crispCanvas, type Pen } from "#ui/canvas.ts";
import { h, set, setText } from "#ui/dom.ts";
import { integer, powerText, twoTo } from "#ui/digits.ts";
import { listed, type MessageKey, t } from "#ui/messages.ts";
import { pointIn } from "#ui/pointer.ts";
import { powerOfAny } from "#ui/ruler/words.ts";
import { linear } from "#ui/scale.ts";
import type { Page, Row } from "./session.ts";
import { otherGuess } from "./state.ts";
import type { Story } from "./story.ts";
import { lossText } from "./words.ts";

const LEFT = 40; // px for the numbers of the y axis
const RIGHT = 84; // px for the names of the lines
const EDGE = 8;
const FOOT = 22;
const LABEL = 28; // px from one name to the next
const TICK = 50; // px from one step of the axis to the next, at least about
const LEAST = 1e-9; // a loss of 0, which is not on a logarithmic axis, is drawn here
const CURVE_POINTS = 40;

/** log10 of the loss that a guess means, from `start`, after `part` of the steps (0 … 1). */
const CURVES: Readonly<Record<string, (part: number, start: number) => number>> = {
  learns: (part, start) => start - (start + 1) * (1 - Math.exp(-3 * part)),
  still: (_, start) => start,
  stalls: (part, start) => start - 0.16 * (1 - Math.exp(-5 * part)),
  breaks: (part, start) => (part < 0.1 ? start + 5 * part : NaN),
};

interface Curve {
  readonly kind: string;
  readonly label: string;
}

export function lossesPart({ view, session }: Page, story: Story, end: ReadonlySignal<number>, name: ReadonlySignal<string>): HTMLElement {
  const canvas = h("canvas", { class: "mw-play-chart", role: "img" });
  const path = h("canvas", { class: "mw-play-path", role: "img" });
  const [plain, chosen] = ["reference", "chosen"].map((kind) => h("span", { class: `mw-play-key-${kind}`, hidden: true })); // they have the colours
  const note = h("span", { class: "mw-note" });
  const [chart, course] = [crispCanvas(view, canvas), crispCanvas(view, path)];
  const pointed = signal<{ x: number; width: number } | null>(null); // a pixel of the chart

  canvas.addEventListener("pointermove", (event) => (pointed.value = { x: pointIn(canvas, event).x, width: canvas.clientWidth }));
  canvas.addEventListener("pointerleave", () => (pointed.value = null));
  /** The curves of the guesses before a guess, that of the guess while it plays. */
  const curves = (): Curve[] => {
    const [act, phase, guess] = [story.act.value, story.phase.value, story.guess.value];
    if (!act || act.isSecond || phase === "told") return [];
    const kinds = ["learns", otherGuess[act.story]!];
    if (phase === "asking") return kinds.map((kind) => ({ kind, label: `${t(`play.curve_${kind}` as MessageKey)}?` }));
    return guess === null ? [] : [{ kind: kinds[guess]!, label: t("play.your_guess") }];
  };

  view.effect(() => {
    session.report.value; // the history, which is no signal, grows with it
    const { rows, stride } = session.history;
    const last = rows.at(-1);
    const most = Math.max(end.value, last?.step ?? 0);
    const { x: at, width } = pointed.value ?? { x: NaN, width: 0 };
    const step = ((at - LEFT) / (width - LEFT - RIGHT)) * most;
    const told = step >= 0 ? rows.find((row) => row.step >= step) : undefined;
    const words = (row: Row) => t("play.losses_at", { step: integer(row.step), reference: lossText(row.reference), name: name.value, loss: lossText(row.loss) });
    setText(note, told ? words(told) : stride > 1 ? t("play.thinned", { stride }) : t("play.loss_of"));
    set(canvas, { "aria-label": `${t("play.loss")} ${last ? words(last) : t("play.loss_of")}` });
    const drawn = chart();
    if (!drawn) return;
    drawLosses(drawn, {
      rows, end: most, curves: curves(), start: Math.log10(Math.log(session.chosen.data.classes)),
      lines: [{ name: "float32", of: (row) => row.reference, colour: getComputedStyle(plain!).color, thick: 4 }, { name: name.value, of: (row) => row.loss, colour: getComputedStyle(chosen!).color, thick: 1.6 }],
      at, ink: getComputedStyle(canvas).color,
    });
  });
  view.effect(() => {
    const isScaled = session.settings.value.lossScale.kind !== "none";
    path.hidden = !isScaled;
    set(canvas, { class: isScaled ? "mw-play-chart mw-play-chart-scaled" : "mw-play-chart" });
    session.report.value;
    if (!isScaled) return;
    const [scale, skipped] = [session.chosen.lossScale, session.chosen.skippedSteps];
    const names = [`S = ${powerOfAny(scale)}`, t("play.skipped", { count: integer(skipped) })];
    set(path, { "aria-label": listed(names) });
    const drawn = course();
    if (drawn) drawPath(drawn, session.history.rows, end.value, scale, names, getComputedStyle(chosen!).color, getComputedStyle(canvas).color);
  });
  return h("div", { class: "mw-play-losses" }, h("p", {}, h("strong", {}, t("play.loss")), " ", note), canvas, path, plain!, chosen!);
}

interface Line {
  readonly name: string;
  readonly colour: string;
  readonly thick: number;
  of(row: Row): number;
}

interface Drawn {
  readonly rows: readonly Row[];
  readonly end: number;
  readonly lines: readonly Line[];
  readonly curves: readonly Curve[];
  /** log10 of the loss of guessing. */
  readonly start: number;
  /** The pixel whose step is told; NaN: none. */
  readonly at: number;
  readonly ink: string;
}

const fontOf = (pen: CanvasRenderingContext2D, weight = 400) => `${weight} 12px ${getComputedStyle(pen.canvas).fontFamily}`;
const logOf = (loss: number) => Math.log10(Math.max(loss, LEAST));

function drawLosses({ pen, width, height }: Pen, { rows, end, lines, curves, start, at, ink }: Drawn): void {
  const logs = rows.flatMap((row) => lines.map(({ of }) => of(row))).filter(Number.isFinite).map(logOf);
  const low = Math.min(curves.length > 0 || rows.length === 0 ? -1 : -0.6, ...logs) - 0.08;
  const high = Math.max(0, ...logs) + 0.08;
  const x = linear([0, Math.max(end, 10)], [LEFT, width - RIGHT]);
  const y = linear([low, high], [height - FOOT, EDGE]);
  const right = x(Math.max(end, 10));
  Object.assign(pen, { strokeStyle: ink, fillStyle: ink, lineWidth: 1, font: fontOf(pen), textBaseline: "middle", textAlign: "right" });
  const decades = Array.from({ length: Math.ceil(high) - Math.floor(low) }, (_, i) => Math.floor(low) + i);
  const digits = high - low > 2.5 ? [1] : [1, 2, 5];
  for (const decade of decades) {
    for (const digit of digits) {
      const place = decade + Math.log10(digit);
      if (place < low || place > high) continue;
      pen.globalAlpha = 0.18;
      pen.fillRect(LEFT, Math.round(y(place)), right - LEFT, 1);
      pen.globalAlpha = 1;
      pen.fillText(decade < -3 ? `${digit === 1 ? "" : `${digit}·`}${powerText(10, decade)}` : String(Number((digit * 10 ** decade).toPrecision(1))), LEFT - 6, y(place));
    }
  }
  pen.fillRect(LEFT, height - FOOT, right - LEFT, 1);
  pen.textAlign = "center";
  for (const step of x.ticks(clamp((right - LEFT) / TICK, 1, 4))) pen.fillText(integer(step), x(step), height - 9);
  pen.textAlign = "left";
  pen.fillText(t("play.step_axis"), right + 24, height - 9);

  for (const { kind, label } of curves) {
    Object.assign(pen, { strokeStyle: ink, lineWidth: 1.5 });
    pen.setLineDash([2, 3]);
    pen.beginPath();
    let [tip, isDown] = [[0, 0], false];
    for (let i = 0; i <= CURVE_POINTS; i++) {
      const loss = CURVES[kind]!(i / CURVE_POINTS, start);
      if (Number.isNaN(loss)) break;
      tip = [x((i / CURVE_POINTS) * end), Math.max(EDGE, y(loss))];
      pen[isDown ? "lineTo" : "moveTo"](tip[0]!, tip[1]!);
      isDown = true;
    }
    pen.stroke();
    pen.setLineDash([]);
    pen.fillText(label, tip[0]! + 8, clamp(tip[1]!, EDGE + 4, height - FOOT - 8));
  }
  for (const { of, colour, thick } of lines) {
    Object.assign(pen, { strokeStyle: colour, lineWidth: thick, lineJoin: "round" });
    pen.beginPath();
    let isDown = false; // a loss that is not finite leaves a gap
    for (const row of rows) {
      const loss = of(row);
      if (Number.isFinite(loss)) pen[isDown ? "lineTo" : "moveTo"](x(row.step), y(logOf(loss)));
      isDown = Number.isFinite(loss);
    }
    pen.stroke();
  }
  const last = rows.at(-1);
  if (!last) {
    pen.beginPath();
    pen.arc(x(0), y(start), 4, 0, 2 * Math.PI);
    return pen.fill();
  }
  nameLines(pen, last, lines, x(last.step) + 8, (loss) => (Number.isFinite(loss) ? y(logOf(loss)) : EDGE), height - FOOT, ink);
  if (!(at >= LEFT && at <= right)) return;
  pen.globalAlpha = 0.6;
  pen.fillRect(at, EDGE, 1, height - FOOT - EDGE);
  pen.globalAlpha = 1;
}

/** The names of the lines at their ends, with the last losses, moved apart where they would touch. */
function nameLines(pen: CanvasRenderingContext2D, last: Row, lines: readonly Line[], x: number, y: (loss: number) => number, bottom: number, ink: string): void {
  const places = lines.map(({ of }) => clamp(y(of(last)), EDGE + 6, bottom - 16));
  const [first, second] = places as [number, number];
  if (Math.abs(first - second) < LABEL) {
    const middle = clamp((first + second) / 2, EDGE + 6 + LABEL / 2, bottom - 16 - LABEL / 2);
    const isFirstAbove = first < second;
    [places[0], places[1]] = [middle + (isFirstAbove ? -LABEL : LABEL) / 2, middle + (isFirstAbove ? LABEL : -LABEL) / 2];
  }
  Object.assign(pen, { strokeStyle: getComputedStyle(pen.canvas).backgroundColor, lineWidth: 4 });
  const write = (text: string, y: number, fillStyle: string, weight?: number) => {
    Object.assign(pen, { fillStyle, font: fontOf(pen, weight) });
    pen.strokeText(text, x, y); // no line strikes it through
    pen.fillText(text, x, y);
  };
  lines.forEach(({ name, of, colour }, i) => {
    write(name, places[i]!, i === 0 ? ink : colour, 700);
    write(lossText(of(last)), places[i]! + 14, ink);
  });
}

/** `next`: the scale of the next step; `names`: the line's name and how many steps were skipped. */
function drawPath({ pen, width, height }: Pen, rows: readonly Row[], end: number, next: number, names: readonly string[], colour: string, ink: string): void {
  const logs = [...rows.map(({ lossScale }) => lossScale), next].map(Math.log2).filter(Number.isFinite);
  const [low, high] = extent(logs);
  const x = linear([0, Math.max(end, rows.at(-1)?.step ?? 10)], [LEFT, width - RIGHT]);
  const y = linear([low - 1, high + 1], [height - 4, 10]);
  Object.assign(pen, { fillStyle: ink, font: fontOf(pen), textBaseline: "middle", textAlign: "right" });
  for (const log2 of new Set(y(low) - y(high) > 14 ? [low, high] : [high])) pen.fillText(twoTo(log2), LEFT - 6, y(log2));
  Object.assign(pen, { strokeStyle: colour, lineWidth: 2 });
  pen.beginPath();
  rows.forEach(({ step, lossScale }, i) => {
    const at = y(Math.log2(lossScale));
    if (i === 0) pen.moveTo(x(0), at);
    pen.lineTo(x(step - 1), at);
    pen.lineTo(x(step), at);
  });
  pen.stroke();
  pen.fillStyle = colour;
  for (const { step, lossScale, skipped } of rows) {
    if (!skipped) continue;
    const [at, top] = [x(step), Math.max(0, y(Math.log2(lossScale)) - 11)];
    pen.beginPath();
    pen.moveTo(at - 4, top);
    pen.lineTo(at + 4, top);
    pen.lineTo(at, Math.min(top + 7, height));
    pen.fill();
  }
  const beside = x(rows.at(-1)?.step ?? 0) + 8;
  Object.assign(pen, { fillStyle: colour, font: fontOf(pen, 700), textAlign: "left" });
  pen.fillText(names[0]!, beside, 14);
  Object.assign(pen, { fillStyle: ink, font: fontOf(pen) });
  pen.fillText(names[1]!, beside, 30);
}
