// The answer first: what becomes of the gradients, as large shares with their counts; and what the view leaves out.

import type { Answers } from "#core/gradients/answers.ts";
import { CLASSES } from "#core/gradients/boundaries.ts";
import { h, setText } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { swatch, type Textures } from "./textures.ts";
import { integer, share, spokenScale } from "./words.ts";

export interface Figures {
  readonly element: HTMLElement;
  draw(counts: Float64Array): void;
  words(counts: Float64Array, log2LossScale: number): string;
}

export function figures(textures: Textures): Figures {
  const parts = CLASSES.map((kind) => {
    const number = h("div", { class: "mw-figure" });
    const count = h("div", { class: "mw-num mw-muted mw-figure-count" });
    const name = h("div", { class: "mw-figure-name" }, swatch(kind, textures), t(`explorer.class_${kind}`));
    return { number, count, box: h("div", {}, number, name, count) };
  });
  const element = h("div", { class: "mw-figures" }, ...parts.map(({ box }) => box));

  function draw(counts: Float64Array): void {
    const finite = counts.reduce((sum, one) => sum + one, 0);
    parts.forEach(({ number, count }, kind) => {
      setText(number, share(counts[kind]!, finite));
      setText(count, integer(counts[kind]!));
    });
  }

  function words(counts: Float64Array, log2: number): string {
    const finite = counts.reduce((sum, one) => sum + one, 0);
    const said = CLASSES.map((kind, i) => `${share(counts[i]!, finite)} ${t(`explorer.class_${kind}`)}`);
    return `${spokenScale(log2)}: ${listed(said)}`;
  }
  return { element, draw, words };
}

export interface Notes {
  readonly element: HTMLElement;
  show(answers: Answers, withoutGradient: readonly string[]): void;
}

/** The truth beside the numbers. */
export function notes(): Notes {
  const element = h("div", { class: "mw-note mw-stack-tight" });

  function show({ total, format }: Answers, withoutGradient: readonly string[]): void {
    const { zero, inf, nan, count } = total;
    const lines = [
      t("explorer.zeros", { share: share(zero, count), zero: integer(zero), count: integer(count) }),
      t("explorer.after_the_fact", { format: format.name }),
    ];
    if (inf + nan > 0) lines.push(t("explorer.not_finite", { inf: integer(inf), nan: integer(nan) }));
    if (withoutGradient.length > 0) lines.push(t("explorer.without", { names: listed(withoutGradient) }));
    element.replaceChildren(...lines.map((line) => h("p", {}, line)));
  }
  return { element, show };
}
