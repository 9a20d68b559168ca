// The scale in large, a curve of what is lost at every scale, the slider under it, a field for the exponent, and the best
// scale.

import { linear } from "#ui/scale.ts";
import { computed } from "@preact/signals-core";
import { wholeIn } from "#core/formats/parse.ts";
import { HEADROOM, HIGHEST, LOWEST, type Answers } from "#core/gradients/answers.ts";
import { CLASSES } from "#core/gradients/boundaries.ts";
import { clamp } from "#core/range.ts";
import { button } from "#ui/buttons.ts";
import { twoTo, withMinus } from "#ui/digits.ts";
import { h, s, set, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { draggable, pointIn } from "#ui/pointer.ts";
import { barPaths } from "#ui/ruler/geometry.ts";
import { swatch, type Textures } from "#ui/ruler/textures.ts";
import { powerOfTwo, share, spokenScale } from "#ui/ruler/words.ts";
import type { Explored } from "./state.ts";

/** A power of two whose exponent is one number, or in brackets. */
const POWER_OF_TWO = /^\s*(?:S\s*=\s*)?2\s*(?:\^|\*\*)\s*([-+−–]?\d+|[({][^(){}]*[)}])\s*$/;

// The curve, in pixels
const HEIGHT = 52; // of all gradients
const HEAD = 17; // above, for the word at the best scale
const LEAST_WIDTH = 120;
const THUMB = 8; // half of a slider's thumb: its middle stays this far from the slider's ends
const WORD = 30; // half the width of the word at the best scale

export function scaleControl(explored: Explored, textures: Textures): { element: HTMLElement; readout: HTMLElement } {
  const { view, answers, scale, commit } = explored;
  const power = h("sup");
  const number = h("span");
  const formula = h("p", { class: "mw-num mw-scale" }, "S = 2", power, " = ", number);
  const bestPower = h("sup");
  const use = button("", () => {
    move(proposal.value);
    commit();
    slider.focus(); // the button is disabled now, and would drop the focus
  });
  const reason = h("p", { class: "mw-note" });
  const best = h("div", { class: "mw-row mw-best" }, h("span", {}, t("explorer.best"), " 2", bestPower), use);
  const readout = h("div", { class: "mw-explorer-scale" }, formula, best, reason);

  const errorId = uniqueId("error");
  const slider = h("input", { type: "range", min: LOWEST, max: HIGHEST, step: 1, "aria-label": t("explorer.slider") });
  const field = h("input", {
    type: "text", class: "mw-scale-exponent", autocomplete: "off", spellcheck: "false", "aria-label": t("explorer.field"), "aria-describedby": errorId,
  });
  const error = h("p", { class: "mw-error", id: errorId, role: "alert" });
  const curve = scaleCurve(explored, textures, slider);
  const end = (log2: number) => h("span", { class: "mw-num mw-muted", "aria-hidden": "true" }, "2", h("sup", {}, withMinus(String(log2))));
  const element = h("div", { class: "mw-stack-tight" },
    h("div", { class: "mw-scale-row mw-entry" },
      end(LOWEST), h("div", { class: "mw-scale-track" }, curve, slider), end(HIGHEST),
      h("span", { class: "mw-scale-field" }, h("span", { class: "mw-muted mw-num", "aria-hidden": "true" }, "S = 2^"), field), error));
  const proposal = computed(() => answers.value.best.log2);

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
    setText(power, withMinus(String(log2)));
    setText(number, powerOfTwo(log2));
    slider.valueAsNumber = log2;
    if (typed() !== log2) field.value = String(log2); // what is typed stays as it is typed
    set(slider, { "aria-valuetext": spokenScale(log2) });
  });
  view.effect(() => {
    use.disabled = scale.value === proposal.value;
    setText(use, t(use.disabled ? "explorer.in_use" : "explorer.use_it"));
  });
  view.effect(() => {
    const { log2, headroom } = answers.value.best;
    setText(bestPower, withMinus(String(log2)));
    setText(reason, t(headroom < HEADROOM ? "explorer.reason_tight" : "explorer.reason", {
      share: share(answers.value.totals(log2)[0]!, answers.value.total.finite), headroom: Number.isFinite(headroom) ? headroom : "∞",
    }));
  });
  return { element, readout };
}

/** What is lost at every loss scale: flushed on one side, overflowing on the other. It stands over the slider, scale over
 * scale, and can be dragged as the slider can; the keys are the slider's, which gets the focus. */
function scaleCurve({ view, answers, scale, move, commit }: Explored, textures: Textures, slider: HTMLElement): HTMLElement {
  const bars = CLASSES.map((kind) => s("path", { fill: textures.fill(kind) }));
  const subnormal = s("path", { class: "mw-scale-curve-subnormal" });
  const best = s("g", { class: "mw-scale-curve-best" });
  const here = s("path", { class: "mw-plot-here", d: `M0 ${HEAD - 3}V${HEAD + HEIGHT}` });
  const plot = s("svg", { role: "img", class: "mw-scale-curve-plot", height: HEAD + HEIGHT }, ...bars, subnormal, best, here);
  const words = h("span");
  const key = h("span", { class: "mw-row mw-scale-curve-key", "aria-hidden": "true" },
    swatch("flushed", textures), t("ruler.short_flushed"),
    s("svg", { width: 20, height: 12 }, s("path", { d: "M0 6H20", class: "mw-scale-curve-subnormal" })), t("ruler.zone_subnormal"),
    swatch("overflow", textures), t("ruler.zone_overflow"));
  const measured = view.width(plot);
  const width = computed(() => Math.max(measured.value, LEAST_WIDTH));
  const x = computed(() => linear([LOWEST, HIGHEST], [THUMB, width.value - THUMB]));

  view.effect(() => {
    set(plot, { viewBox: `0 0 ${width.value} ${HEAD + HEIGHT}` });
    const scales = Array.from({ length: HIGHEST - LOWEST + 1 }, (_, i) => LOWEST + i);
    const totals = scales.map((log2) => answers.value.totals(log2));
    const y = (count: number) => (HEIGHT * count) / Math.max(1, answers.value.total.finite);
    const table = Float64Array.from(totals.flatMap(([flushed, , , overflow]) => [flushed!, 0, 0, overflow!]));
    const shape = { x: x.value, y, low: LOWEST - 0.5, bins: scales.length };
    barPaths(table, shape, HEAD + HEIGHT).forEach((d, kind) => set(bars[kind]!, { d }));
    const points = totals.map(([, count], i) => `${x.value(scales[i]!).toFixed(1)} ${(HEAD + HEIGHT - y(count!)).toFixed(1)}`);
    set(subnormal, { d: `M${points.join("L")}` });

    const place = x.value(answers.value.best.log2);
    const inside = clamp(place, WORD, width.value - WORD);
    best.replaceChildren(
      s("path", { d: `M${place.toFixed(1)} ${HEAD}V${HEAD + HEIGHT}` }),
      s("text", { x: inside, y: 12, "text-anchor": "middle" }, t("explorer.scale_curve_best")),
    );
    setText(words, bestInWords(answers.value));
    set(plot, { "aria-label": t("explorer.scale_curve", { words: bestInWords(answers.value), best: answers.value.best.log2 }) });
  });
  view.effect(() => set(here, { transform: `translate(${x.value(scale.value).toFixed(1)} 0)` }));

  const moveUnder = (event: PointerEvent) => move(Math.round(x.value.invert(pointIn(plot, event).x)));
  draggable(plot, (down) => {
    const from = scale.value;
    moveUnder(down);
    return { move: moveUnder, back: () => move(from) };
  }, commit, slider);

  return h("div", {}, h("p", { class: "mw-note mw-plot-caption" }, words, key), plot);
}

/** The best scales in a sentence: where nothing is lost, or else where least is. */
function bestInWords(answers: Answers): string {
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
