// The gradients of the last step on the ruler of their format, and a slider for the loss scale.

import { computed, signal } from "@preact/signals-core";
import { HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { CLASSES } from "#core/gradients/boundaries.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { bitInspector } from "#ui/ruler/bit_inspector.ts";
import { histogram } from "#ui/ruler/histogram.ts";
import { swatch, textures } from "#ui/ruler/textures.ts";
import { integer } from "#ui/digits.ts";
import { powerOfAny, powerOfTwo, share, shares, spokenScale } from "#ui/ruler/words.ts";
import type { Page } from "./session.ts";
import { tensorName } from "./words.ts";

export function gradientsPart({ view, session, traits, edit, answers }: Page): HTMLElement {
  const fills = textures();
  const names = computed(() => (session.settings.value, session.chosen.tensors.map(tensorName)));
  const scale = computed(() => {
    session.look.value;
    const report = session.isChanged.value ? undefined : session.report.value; // without one, the scale of the next step
    return Math.log2(report?.lossScale ?? session.chosen.lossScale);
  });
  const plot = histogram({ view, answers, scale }, fills);
  const binade = signal<number | null>(null);
  const inspector = bitInspector({ view, answers, scale, names, binade, choose: (exponent) => (binade.value = exponent) }, plot);

  const figures = CLASSES.map((kind) => {
    const number = h("span", { class: "mw-num mw-play-share" });
    return { number, element: h("span", { class: "mw-row mw-play-class" }, swatch(kind, fills), t(`ruler.zone_${kind}`), number) };
  });
  const zeros = h("p", { class: "mw-note" });
  const slider = h("input", { type: "range", min: LOWEST, max: HIGHEST, step: 1, "aria-label": t("play.scale") });
  const formula = h("span", { class: "mw-num mw-play-scale" });
  const hint = h("p", { class: "mw-note" });

  slider.addEventListener("input", () => edit(chosenScale(), true));
  slider.addEventListener("change", () => edit(chosenScale()));
  /** The first move of the slider switches a scale on. */
  const chosenScale = () => ({
    log2_loss_scale: slider.valueAsNumber, loss_scale: traits.peek().loss_scale === "none" ? "static" : traits.peek().loss_scale,
  });

  view.effect(() => {
    const { total, format } = answers.value;
    const counts = total.counts(format, scale.value).finite;
    figures.forEach(({ number }, kind) => setText(number, share(counts[kind]!, total.finite)));
    setText(zeros, total.zero ? t("play.true_zeros", { count: integer(total.zero), all: integer(total.count) }) : "");
    set(plot.element, { "aria-label": shares(counts, total.finite) });
  });
  view.effect(() => {
    session.look.value;
    const { loss_scale: kind, log2_loss_scale: log2 } = traits.value;
    slider.valueAsNumber = log2;
    set(slider, { "aria-valuetext": spokenScale(log2) });
    setText(hint, t(`play.scale_hint_${kind as "none" | "static" | "dynamic"}`, { start: powerOfAny(2 ** log2) }));
    const now = kind === "dynamic" ? session.chosen.lossScale : kind === "none" ? 1 : 2 ** log2;
    setText(formula, now === 1 ? "S = 1" : `S = ${powerOfAny(now)} = ${powerOfTwo(Math.log2(now))}`);
  });
  return h("section", { class: "mw-stack-tight", "aria-label": t("play.gradients") },
    h("div", { class: "mw-play-title" }, h("h4", {}, t("play.gradients")), h("span", { class: "mw-row mw-play-classes" }, ...figures.map(({ element }) => element))),
    inspector,
    h("div", { class: "mw-play-slider" }, h("label", { "aria-hidden": "true" }, t("play.scale")), slider, formula),
    hint, zeros, fills.element);
}
