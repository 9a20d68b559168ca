// The losses of both networks over the steps, on a logarithmic axis, and below them the loss scale. Drawn on canvases, because
// while it trains all of it changes many times a second.

import { scaleLinear } from "d3-scale";
import { extent } from "#core/range.ts";
import { crispCanvas, type Pen } from "#ui/canvas.ts";
import { h, set, setText } from "#ui/dom.ts";
import { integer, superscript, twoTo } from "#ui/digits.ts";
import { t } from "#ui/messages.ts";
import { powerOfAny } from "#ui/ruler/words.ts";
import type { Page, Row } from "./session.ts";
import { lossText } from "./words.ts";

const LEFT = 40; // px for the numbers of the y axis
const EDGE = 6;
const FOOT = 20;
const LEAST = 1e-9; // a loss of 0, which is not on a logarithmic axis, is drawn here

export function lossesPart({ view, session, traits }: Page): HTMLElement {
  const canvas = h("canvas", { class: "mw-play-chart", role: "img" });
  const path = h("canvas", { class: "mw-play-path", role: "img" });
  const [plain, chosen] = [h("strong", { class: "mw-num" }), h("strong", { class: "mw-num" })];
  const [plainKey, chosenKey] = [h("span", { class: "mw-play-key mw-play-key-reference" }), h("span", { class: "mw-play-key mw-play-key-chosen" })];
  const skipped = h("span", { class: "mw-num" });
  const scaleTitle = h("p", { class: "mw-play-path-title mw-note" }, t("play.scale"), " ", skipped);
  const note = h("p", { class: "mw-note" });
  const [chart, course] = [crispCanvas(view, canvas), crispCanvas(view, path)];

  view.effect(() => {
    session.report.value; // the history, which is no signal, grows with it
    const { rows, stride } = session.history;
    const last = rows.at(-1);
    setText(plain, last ? lossText(last.reference) : "–");
    setText(chosen, last ? lossText(last.loss) : "–");
    setText(note, stride > 1 ? t("play.thinned", { stride }) : "");
    set(canvas, { "aria-label": last ? t("play.losses_now", { step: integer(last.step), reference: lossText(last.reference), loss: lossText(last.loss) }) : t("play.losses_none") });
    const drawn = chart();
    if (drawn) drawLosses(drawn, rows, getComputedStyle(plainKey).color, getComputedStyle(chosenKey).color, getComputedStyle(canvas).color);
  });
  view.effect(() => {
    const isScaled = traits.value.loss_scale !== "none";
    path.hidden = scaleTitle.hidden = !isScaled;
    session.report.value;
    session.settings.value;
    if (!isScaled) return;
    const { rows } = session.history;
    setText(skipped, t("play.skipped", { count: integer(session.chosen.skippedSteps) }));
    set(path, { "aria-label": t("play.path_now", { scale: powerOfAny(session.chosen.lossScale), count: integer(session.chosen.skippedSteps) }) });
    const drawn = course();
    if (drawn) drawPath(drawn, rows, session.chosen.lossScale, getComputedStyle(chosenKey).color, getComputedStyle(canvas).color);
  });
  return h("div", { class: "mw-play-losses" },
    h("p", { class: "mw-play-legend" }, h("span", {}, plainKey, "float32 ", plain), h("span", {}, chosenKey, t("play.chosen"), " ", chosen)),
    canvas, scaleTitle, path, note);
}

function frameOf({ width, height }: Pen, rows: readonly Row[], low: number, high: number, foot: number) {
  const steps = rows.at(-1)?.step ?? 1;
  return {
    x: scaleLinear([0, Math.max(steps, 10)], [LEFT, width - EDGE]),
    y: scaleLinear([low, high], [height - foot, EDGE]),
  };
}

function drawLosses(drawn: Pen, rows: readonly Row[], reference: string, chosen: string, ink: string): void {
  const { pen, width, height } = drawn;
  const logs = rows.flatMap((row) => [row.reference, row.loss]).filter(Number.isFinite).map((loss) => Math.log10(Math.max(loss, LEAST)));
  const [low, high] = [Math.min(-0.6, ...logs) - 0.08, Math.max(0, ...logs) + 0.08];
  const { x, y } = frameOf(drawn, rows, low, high, FOOT);
  Object.assign(pen, { strokeStyle: ink, fillStyle: ink, lineWidth: 1, font: `12px ${getComputedStyle(pen.canvas).fontFamily}`, textBaseline: "middle" });
  const decades = Array.from({ length: Math.ceil(high) - Math.floor(low) }, (_, i) => Math.floor(low) + i);
  const digits = high - low > 2.5 ? [1] : [1, 2, 5];
  for (const decade of decades) {
    for (const digit of digits) {
      const at = decade + Math.log10(digit);
      if (at < low || at > high) continue;
      pen.globalAlpha = 0.18;
      pen.fillRect(LEFT, Math.round(y(at)), width - LEFT - EDGE, 1);
      pen.globalAlpha = 1;
      pen.textAlign = "right";
      pen.fillText(decade < -3 ? `${digit === 1 ? "" : `${digit}·`}10${superscript(decade)}` : String(Number((digit * 10 ** decade).toPrecision(1))), LEFT - 6, y(at));
    }
  }
  pen.textAlign = "center";
  for (const step of x.ticks(4)) pen.fillText(integer(step), Math.min(x(step), width - 16), height - 8);
  const line = (of: (row: Row) => number, colour: string, thick: number) => {
    Object.assign(pen, { strokeStyle: colour, lineWidth: thick, lineJoin: "round" });
    pen.beginPath();
    let isDown = false; // a loss that is not finite leaves a gap
    for (const row of rows) {
      const loss = of(row);
      if (Number.isFinite(loss)) pen[isDown ? "lineTo" : "moveTo"](x(row.step), y(Math.log10(Math.max(loss, LEAST))));
      isDown = Number.isFinite(loss);
    }
    pen.stroke();
  };
  line((row) => row.reference, reference, 4); // wide enough to be seen behind the other where both are equal
  line((row) => row.loss, chosen, 1.5);
}

/** `next`: the scale of the next step. */
function drawPath(drawn: Pen, rows: readonly Row[], next: number, colour: string, ink: string): void {
  const { pen, height } = drawn;
  const logs = [...rows.map(({ lossScale }) => lossScale), next].map(Math.log2).filter(Number.isFinite);
  const [low, high] = extent(logs);
  const { x, y } = frameOf(drawn, rows, low - 1, high + 1, EDGE);
  Object.assign(pen, { fillStyle: ink, font: `12px ${getComputedStyle(pen.canvas).fontFamily}`, textBaseline: "middle", textAlign: "right" });
  for (const log2 of new Set([low, high])) pen.fillText(twoTo(log2), LEFT - 6, y(log2));
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
}
