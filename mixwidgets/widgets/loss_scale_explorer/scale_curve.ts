// What is lost at every loss scale: flushed on one side, overflowing on the other. It stands over the slider, scale
// over scale, and takes the pointer as the slider does; the keys are the slider's.

import { scaleLinear } from "d3-scale";
import { type Answers, HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { CLASSES } from "#core/gradients/boundaries.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { pointIn } from "#ui/pointer.ts";
import { barPaths } from "./geometry.ts";
import { swatch, type Textures } from "./textures.ts";
import { power, share } from "./words.ts";

const HEIGHT = 52; // of all gradients
const HEAD = 17; // above, for the word at the best scale
const THUMB = 8; // half of a slider's thumb: its middle stays this far from the slider's ends
const WORD = 30; // half the width of the word at the best scale

interface Actions {
  move(log2: number): void;
  release(): void;
}

export interface ScaleCurve {
  readonly element: HTMLElement;
  /** Draw every scale, for a width in pixels. */
  layout(answers: Answers, width: number): void;
  /** Mark the scale at hand. */
  mark(log2: number): void;
  /** The width that there is, in pixels. */
  width(): number;
}

export function scaleCurve(textures: Textures, { move, release }: Actions): ScaleCurve {
  const bars = CLASSES.map((kind) => s("path", { fill: textures.fill(kind) }));
  const subnormal = s("path", { class: "mw-scale-curve-subnormal" });
  const best = s("g", { class: "mw-scale-curve-best" });
  const here = s("path", { class: "mw-plot-here", d: `M0 ${HEAD - 3}V${HEAD + HEIGHT}` });
  const plot = s("svg", { role: "img", class: "mw-scale-curve-plot", height: HEAD + HEIGHT },
    ...bars, subnormal, best, here);
  const words = h("span");
  const key = h("span", { class: "mw-row mw-scale-curve-key", "aria-hidden": "true" },
    swatch("flushed", textures), t("explorer.short_flushed"),
    s("svg", { width: 20, height: 12 }, s("path", { d: "M0 6H20", class: "mw-scale-curve-subnormal" })), t("explorer.zone_subnormal"),
    swatch("overflow", textures), t("explorer.zone_overflow"));
  const caption = h("p", { class: "mw-note mw-plot-caption" }, words, key);
  const element = h("div", { class: "mw-scale-curve" }, caption, plot);
  const x = scaleLinear([LOWEST, HIGHEST], [THUMB, 600]);

  function layout(answers: Answers, width: number): void {
    x.range([THUMB, Math.max(width, 120) - THUMB]);
    set(plot, { viewBox: `0 0 ${Math.max(width, 120)} ${HEAD + HEIGHT}` });
    const scales = Array.from({ length: HIGHEST - LOWEST + 1 }, (_, i) => LOWEST + i);
    const all = Math.max(1, answers.total.finite);
    const y = scaleLinear([0, all], [0, HEIGHT]);
    const table = Float64Array.from(scales.flatMap((log2) => {
      const [flushed, , , overflow] = answers.totals(log2);
      return [flushed!, 0, 0, overflow!];
    }));
    const shape = { x, y, low: LOWEST - 0.5, bins: scales.length };
    barPaths(table, shape, HEAD + HEIGHT).forEach((d, kind) => set(bars[kind]!, { d }));
    const points = scales.map((log2) => `${x(log2).toFixed(1)} ${(HEAD + HEIGHT - y(answers.totals(log2)[1]!)).toFixed(1)}`);
    set(subnormal, { d: `M${points.join("L")}` });

    const place = x(answers.best.log2);
    const inside = Math.min(Math.max(place, WORD), Math.max(width, 120) - WORD);
    best.replaceChildren(
      s("path", { d: `M${place.toFixed(1)} ${HEAD}V${HEAD + HEIGHT}` }),
      s("text", { x: inside, y: 12, "text-anchor": "middle" }, t("explorer.scale_curve_best")),
    );
    setText(words, inWords(answers));
    set(plot, { "aria-label": t("explorer.scale_curve", { words: inWords(answers), best: answers.best.log2 }) });
  }

  plot.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault(); // the press would take the focus, which is the slider's
    plot.setPointerCapture(event.pointerId);
    move(under(event));
  });
  plot.addEventListener("pointermove", (event) => {
    if (plot.hasPointerCapture(event.pointerId)) move(under(event));
  });
  plot.addEventListener("lostpointercapture", release);

  function under(event: PointerEvent): number {
    const log2 = Math.round(x.invert(pointIn(plot, event).x));
    return Math.min(Math.max(log2, LOWEST), HIGHEST);
  }

  return {
    element,
    layout,
    mark: (log2) => set(here, { transform: `translate(${x(log2).toFixed(1)} 0)` }),
    width: () => plot.clientWidth,
  };
}

/** The best scales in a sentence: where nothing is lost, or else where least is. */
export function inWords(answers: Answers): string {
  const all = answers.total.finite;
  if (all === 0) return t("explorer.row_empty");
  const lost: number[] = [];
  for (let log2 = LOWEST; log2 <= HIGHEST; log2++) {
    const [flushed, , , overflow] = answers.totals(log2);
    lost.push(flushed! + overflow!);
  }
  const least = Math.min(...lost);
  const [first, last] = [lost.indexOf(least) + LOWEST, lost.lastIndexOf(least) + LOWEST];
  const args = { from: power(first), to: power(last), share: share(least, all) };
  if (least > 0) return t(first === last ? "explorer.scale_curve_least_at" : "explorer.scale_curve_least", args);
  return t(first === last ? "explorer.scale_curve_nothing_at" : "explorer.scale_curve_nothing", args);
}
