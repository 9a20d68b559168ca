// The one control of the loss scale S: a slider that stands on a curve of what is lost at every scale, with a mark at the best
// one, and the exponent, which can be typed.

import { computed } from "@preact/signals-core";
import { wholeIn } from "#core/formats/parse.ts";
import { HIGHEST, LOWEST, type Answers } from "#core/gradients/answers.ts";
import { CLASSES } from "#core/gradients/boundaries.ts";
import { clamp } from "#core/range.ts";
import { button } from "#ui/buttons.ts";
import { twoTo } from "#ui/digits.ts";
import { h, s, set, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { barPaths } from "#ui/ruler/geometry.ts";
import { tickMark } from "#ui/ruler/histogram.ts";
import { swatch, type Textures } from "#ui/ruler/textures.ts";
import { powerOfTwo, share, spokenScale } from "#ui/ruler/words.ts";
import { linear } from "#ui/scale.ts";
import { term } from "#ui/term.ts";
import type { Explored } from "./state.ts";

/** A power of two whose exponent is one number, or in brackets. */
const POWER_OF_TWO = /^\s*(?:S\s*=\s*)?2\s*(?:\^|\*\*)\s*([-+−–]?\d+|[({][^(){}]*[)}])\s*$/;

// The curve, in pixels
const HEAD = 26; // above it, for the mark of the best scale
const HEIGHT = 52; // of all gradients
const FOOT = 22; // below it, for the axis
const SIDE = 14; // beside the slider, so that the outermost tick labels fit
const LEAST_WIDTH = 120;
const THUMB = 6; // half of the slider's thumb: its middle stays this far from the slider's ends
const WORD = 44; // half the width of the mark at the best scale
const TICK = 8; // binades
const TICK_ROOM = 60; // pixels for each tick

export function scaleControl(explored: Explored, textures: Textures): HTMLElement {
  const { view, answers, scale, commit } = explored;
  const errorId = uniqueId("error");
  const slider = h("input", { type: "range", class: "mw-scale-slider", min: LOWEST, max: HIGHEST, step: 1, "aria-label": t("explorer.slider") });
  const field = h("input", {
    type: "text", class: "mw-scale-exponent", autocomplete: "off", spellcheck: "false", "aria-label": t("explorer.field"), "aria-describedby": errorId,
  });
  const number = h("span", { class: "mw-num mw-scale-number" });
  const error = h("p", { class: "mw-error", id: errorId, role: "alert" });
  const best = button("", () => {
    move(answers.value.best.log2);
    commit();
    slider.focus();
  }, { class: "mw-scale-best" });
  const { plot, words, width, x } = scaleCurve(explored, textures);
  const key = h("span", { class: "mw-row mw-scale-curve-key", "aria-hidden": "true" },
    swatch("flushed", textures), t("ruler.short_flushed"),
    s("svg", { width: 20, height: 12 }, s("path", { d: "M0 6H20", class: "mw-scale-curve-subnormal" })), t("ruler.zone_subnormal"),
    swatch("overflow", textures), t("ruler.zone_overflow"));
  const how = term("?", () => t("explorer.scale_note"), t("explorer.scale_about"));
  const element = h("div", { class: "mw-stack-tight mw-scale-control", role: "group", "aria-label": t("explorer.slider") },
    h("div", { class: "mw-row mw-scale-entry" },
      h("strong", {}, t("explorer.slider")), how, h("span", { class: "mw-scale-power mw-entry" }, h("span", { class: "mw-num", "aria-hidden": "true" }, "S = 2^"), field, error), number),
    h("p", { class: "mw-note mw-plot-caption" }, words, key),
    h("div", { class: "mw-scale-strip" }, plot, best, slider));

  function move(log2: number): void {
    complain("");
    explored.move(log2);
  }

  function complain(text: string): void {
    setText(error, text);
    set(field, { "aria-invalid": text ? "true" : undefined });
  }

  /** The field's whole number within the range, which may stand after the "S = 2^" that is beside the field; null for
   * anything else. */
  const typed = () => wholeIn(field.value.replace(POWER_OF_TWO, "$1"), LOWEST, HIGHEST);

  slider.addEventListener("input", () => move(slider.valueAsNumber));
  slider.addEventListener("change", commit);
  field.addEventListener("input", () => {
    const log2 = typed();
    if (log2 !== null) move(log2); // else still being typed
  });
  field.addEventListener("change", () => {
    if (typed() === null) return complain(t("explorer.bad_exponent", { came: field.value || t("common.nothing"), low: LOWEST, high: HIGHEST, kept: scale.value }));
    field.value = String(scale.value); // "007" as 7
    commit();
  });

  view.effect(() => {
    const log2 = scale.value;
    complain("");
    setText(number, `= ${powerOfTwo(log2)}`);
    slider.valueAsNumber = log2;
    if (typed() !== log2) field.value = String(log2); // what is typed stays as it is typed
    set(slider, { "aria-valuetext": spokenScale(log2) });
  });
  view.effect(() => {
    const { best: { log2 }, total } = answers.value;
    best.hidden = total.finite === 0;
    setText(best, t("explorer.best", { scale: twoTo(log2) }));
    best.style.left = `${clamp(x.value(log2), WORD, width.value - WORD)}px`;
  });
  return element;
}

/** What is lost at every loss scale: flushed on one side, overflowing on the other. */
function scaleCurve({ view, answers }: Explored, textures: Textures) {
  const bars = CLASSES.map((kind) => s("path", { fill: textures.fill(kind) }));
  const subnormal = s("path", { class: "mw-scale-curve-subnormal" });
  const best = s("path", { class: "mw-scale-curve-best" });
  const axis = s("g", { class: "mw-ticks" });
  const plot = s("svg", { role: "img", class: "mw-scale-curve-plot", height: HEAD + HEIGHT + FOOT }, ...bars, subnormal, best, axis);
  const words = h("span");
  const measured = view.width(plot);
  const width = computed(() => Math.max(measured.value - 2 * SIDE, LEAST_WIDTH));
  const x = computed(() => linear([LOWEST, HIGHEST], [THUMB, width.value - THUMB]));
  const floor = HEAD + HEIGHT;

  view.effect(() => {
    set(plot, { viewBox: `${-SIDE} 0 ${width.value + 2 * SIDE} ${floor + FOOT}` });
    const step = TICK * Math.max(1, Math.ceil((TICK_ROOM * (HIGHEST - LOWEST)) / TICK / width.value));
    const ticks = Array.from({ length: Math.floor((HIGHEST - LOWEST) / step) + 1 }, (_, i) => LOWEST + i * step);
    axis.replaceChildren(s("line", { x1: 0, x2: width.value, y1: floor, y2: floor, class: "mw-floor" }), ...ticks.map((tick) => tickMark(tick, x.value(tick), floor)));
  });
  view.effect(() => {
    const scales = Array.from({ length: HIGHEST - LOWEST + 1 }, (_, i) => LOWEST + i);
    const totals = scales.map((log2) => answers.value.totals(log2));
    const y = (count: number) => (HEIGHT * count) / Math.max(1, answers.value.total.finite);
    const table = Float64Array.from(totals.flatMap(([flushed, , , overflow]) => [flushed!, 0, 0, overflow!]));
    const shape = { x: x.value, y, low: LOWEST - 0.5, bins: scales.length };
    barPaths(table, shape, floor).forEach((d, kind) => set(bars[kind]!, { d }));
    const points = totals.map(([, count], i) => `${x.value(scales[i]!).toFixed(1)} ${(floor - y(count!)).toFixed(1)}`);
    set(subnormal, { d: `M${points.join("L")}` });
    const { best: { log2 }, total } = answers.value;
    set(best, { d: total.finite === 0 ? "" : `M${x.value(log2).toFixed(1)} ${HEAD}V${floor}` });
    setText(words, leastInWords(answers.value));
    set(plot, { "aria-label": t("explorer.scale_curve", { words: leastInWords(answers.value) }) });
  });
  return { plot, words, width, x };
}

/** Where nothing is lost, or else where least is, in a sentence. */
function leastInWords(answers: Answers): string {
  const all = answers.total.finite;
  if (all === 0) return t("explorer.row_empty");
  const lost: number[] = [];
  for (let log2 = LOWEST; log2 <= HIGHEST; log2++) {
    const [flushed, , , overflow] = answers.totals(log2);
    lost.push(flushed! + overflow!);
  }
  const least = Math.min(...lost);
  const [first, last] = [lost.indexOf(least) + LOWEST, lost.lastIndexOf(least) + LOWEST];
  const args = { from: twoTo(first), to: twoTo(last), share: share(least, all) };
  if (least > 0) return t(first === last ? "explorer.scale_curve_least_at" : "explorer.scale_curve_least", args);
  return t(first === last ? "explorer.scale_curve_nothing_at" : "explorer.scale_curve_nothing", args);
}
