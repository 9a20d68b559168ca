// What a loss scale does to the gradients, in a sentence made of their counts, and the best scale beside it: in words, and as an
// outline of the bars where they would stand.

import { HEADROOM, type Answers } from "#core/gradients/answers.ts";
import { CLASSES } from "#core/gradients/boundaries.ts";
import { clamp } from "#core/range.ts";
import { integer, twoTo } from "#ui/digits.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { binned, outlinePath } from "#ui/ruler/geometry.ts";
import type { Histogram } from "#ui/ruler/histogram.ts";
import { share } from "#ui/ruler/words.ts";
import type { Explored } from "./state.ts";

const NAME = 46; // half the width of the outline's name, in pixels
const ABOVE = 5; // pixels from the outline to its name

export function headline({ view, answers, scale }: Explored): HTMLElement {
  const [lead, rest] = [h("p", { class: "mw-lead mw-explorer-lead" }), h("p", { class: "mw-explorer-rest mw-muted" })];
  view.effect(() => {
    setText(lead, lossWords(answers.value, scale.value));
    setText(rest, bestWords(answers.value, scale.value));
  });
  return h("div", { class: "mw-explorer-says" }, lead, rest);
}

/** What is lost at a scale. */
export function lossWords(answers: Answers, log2: number): string {
  const { total: { finite, count }, format } = answers;
  if (finite === 0) return t("explorer.says_none", { count: integer(count) });
  const [flushed, , , overflow] = answers.totals(log2);
  const args = { flushed: share(flushed!, finite), overflow: share(overflow!, finite), format: format.name, scale: twoTo(log2) };
  return t(flushed! > 0 ? (overflow! > 0 ? "explorer.says_both" : "explorer.says_flushed") : overflow! > 0 ? "explorer.says_overflow" : "explorer.says_nothing", args);
}

/** Which scale is the best, and why; a word where there is none. */
export function bestWords(answers: Answers, log2: number): string {
  if (answers.total.finite === 0) return t("explorer.no_best");
  const reason = bestReason(answers);
  return log2 === answers.best.log2 ? t("explorer.is_best", { reason }) : t("explorer.best_is", { scale: twoTo(answers.best.log2), reason });
}

/** "it flushes 0.1 % and leaves 4 binades before overflow". */
export function bestReason(answers: Answers): string {
  const { best: { log2, headroom }, total: { finite } } = answers;
  if (finite === 0) return t("explorer.no_best");
  const [flushed, , , overflow] = answers.totals(log2);
  return t(overflow! > 0 ? "explorer.reason_over" : headroom < HEADROOM ? "explorer.reason_tight" : "explorer.reason", {
    share: share(flushed!, finite), overflow: share(overflow!, finite), headroom: Number.isFinite(headroom) ? headroom : "∞",
  });
}

/** Draw in the histogram where the bars would stand at the best scale. */
export function bestOutline({ view, answers, scale, drawn }: Explored, plot: Histogram): void {
  const line = s("path", { class: "mw-best-outline" });
  const name = s("text", { class: "mw-best-name", "text-anchor": "middle" });
  plot.element.append(line, name);
  view.effect(() => {
    const { total, format, best: { log2 } } = answers.value;
    if (total.finite === 0) {
      set(line, { d: "" });
      return setText(name, "");
    }
    const shape = plot.frame.value;
    const table = binned(total, format, log2, drawn.value);
    const counts = Array.from({ length: shape.bins }, (_, bin) => CLASSES.reduce((sum, _, kind) => sum + table[bin * CLASSES.length + kind]!, 0));
    const most = counts.indexOf(Math.max(...counts));
    const end = shape.x(shape.low + shape.bins);
    set(line, { d: outlinePath(counts, shape, plot.floor) });
    set(name, { x: clamp(shape.x(shape.low + most + 0.5), NAME, end - NAME).toFixed(1), y: (plot.floor - shape.y(counts[most]!) - ABOVE).toFixed(1) });
    setText(name, t("explorer.best", { scale: twoTo(log2) }));
  });
  view.effect(() => set(line, { visibility: scale.value === answers.value.best.log2 ? "hidden" : "visible" })); // there the bars are the outline
}
