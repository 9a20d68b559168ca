// The answer first: what becomes of the gradients, as large shares with their counts; and what the view leaves out.

import type { Answers } from "#core/gradients/answers.ts";
import { CLASSES } from "#core/gradients/boundaries.ts";
import { h, setText } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { swatch, type Textures } from "#ui/ruler/textures.ts";
import { integer } from "#ui/digits.ts";
import { share, spokenScale } from "#ui/ruler/words.ts";
import { explained } from "#ui/term.ts";
import type { Explored } from "./state.ts";

export function figures({ view, answers, scale }: Explored, textures: Textures): HTMLElement {
  const parts = CLASSES.map((kind) => {
    const number = h("div", { class: "mw-figure" });
    const count = h("div", { class: "mw-num mw-muted mw-figure-count" });
    const name = h("div", { class: "mw-figure-name" }, swatch(kind, textures), h("span", {}, ...explained(t(`explorer.class_${kind}`))));
    return { number, count, box: h("div", {}, number, name, count) };
  });
  view.effect(() => {
    const counts = answers.value.totals(scale.value);
    parts.forEach(({ number, count }, kind) => {
      setText(number, share(counts[kind]!, answers.value.total.finite));
      setText(count, integer(counts[kind]!));
    });
  });
  return h("div", { class: "mw-figures" }, ...parts.map(({ box }) => box));
}

/** The figures in a sentence. */
export function outcome(answers: Answers, log2LossScale: number): string {
  const counts = answers.totals(log2LossScale);
  const said = CLASSES.map((kind, i) => `${share(counts[i]!, answers.total.finite)} ${t(`explorer.class_${kind}`)}`);
  return t("common.named", { name: spokenScale(log2LossScale), what: listed(said) });
}

/** The truth beside the numbers. */
export function notes({ view, answers }: Explored): HTMLElement {
  const element = h("div", { class: "mw-note mw-stack-tight" });
  const withoutGradient = view.trait("_without_gradient");
  view.effect(() => {
    const { total: { zero, inf, nan, count }, format } = answers.value;
    const lines = [
      t("explorer.zeros", { share: share(zero, count), zero: integer(zero), count: integer(count) }),
      t("explorer.after_the_fact", { format: format.name }),
    ];
    if (inf + nan > 0) lines.push(t("explorer.not_finite", { inf: integer(inf), nan: integer(nan) }));
    if (withoutGradient.value.length > 0) lines.push(t("explorer.without", { names: listed(withoutGradient.value) }));
    element.replaceChildren(...lines.map((line) => h("p", {}, line)));
  });
  return element;
}
