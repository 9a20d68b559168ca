// How the chosen network's numbers are kept.

import { chips } from "#ui/choices.ts";
import { h, set } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { ACCUMULATIONS, LOSS_SCALES, OPTIMIZERS, WEIGHT_ROUNDINGS } from "#training/types.ts";
import { type Field, formatMenu, menu } from "./fields.ts";
import type { Page } from "./parts.ts";
import type { Choice } from "./state.ts";
import { settingText } from "./words.ts";

type Named = { readonly [K in keyof Choice]?: Field<Choice[K]> };

export function precisionPart({ view, traits, edit }: Page): HTMLElement {
  const format = (name: "weight_format" | "activation_format" | "gradient_format" | "optimizer_format") =>
    formatMenu(t(`play.${name}`), (value) => edit({ [name]: value }));
  const words = <N extends "accumulation" | "weight_rounding" | "optimizer">(name: N, options: readonly string[]) =>
    menu<string>(t(`play.${name}`), options, (value) => t(`play.${name}_${value}` as "play.optimizer_adam"), (value) => edit({ [name]: value }));
  const number = (name: "learning_rate" | "momentum" | "eps" | "loss_weight" | "growth_interval" | "batch_size", options: readonly number[]) =>
    menu<number>(t(`play.${name}`), options, settingText, (value) => edit({ [name]: value }));

  const always: Named = {
    weight_format: format("weight_format"),
    activation_format: format("activation_format"),
    gradient_format: format("gradient_format"),
  };
  const folded: Named = {
    accumulation: words("accumulation", ACCUMULATIONS),
    optimizer: words("optimizer", OPTIMIZERS),
    optimizer_format: format("optimizer_format"),
    learning_rate: number("learning_rate", [1e-4, 3e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3]),
    momentum: number("momentum", [0.5, 0.9, 0.99]),
    eps: number("eps", [1e-12, 1e-8, 1e-6, 1e-4]),
    weight_rounding: words("weight_rounding", WEIGHT_ROUNDINGS),
    loss_weight: number("loss_weight", [1, 0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]),
    growth_interval: number("growth_interval", [5, 10, 25, 50, 100, 200, 2000]),
    batch_size: number("batch_size", [1, 8, 16, 32, 64]),
  };
  const master = h("input", { type: "checkbox" });
  master.addEventListener("change", () => edit({ master_weights: master.checked }));
  const scales = chips(t("play.scale"), LOSS_SCALES, (kind) => edit({ loss_scale: kind }), (kind) => t(`play.scale_${kind}`));
  const elementsOf = (fields: Named) => Object.values(fields).map(({ element }) => element);
  /** When a field has a use; the others always have one. */
  const isUsed: { readonly [K in keyof Choice]?: (choice: Choice) => boolean } = {
    momentum: ({ optimizer }) => optimizer === "momentum",
    eps: ({ optimizer }) => optimizer === "adam",
    optimizer_format: ({ optimizer }) => optimizer !== "sgd",
    weight_rounding: ({ master_weights }) => !master_weights,
    growth_interval: ({ loss_scale }) => loss_scale === "dynamic",
  };

  view.effect(() => {
    const choice = traits.value;
    for (const [name, field] of Object.entries({ ...always, ...folded }) as [keyof Choice, Field<unknown>][]) {
      field.show(choice[name]);
      set(field.element, { hidden: isUsed[name]?.(choice) === false });
    }
    master.checked = choice.master_weights;
    scales.show(choice.loss_scale);
  });
  return h("section", { class: "mw-stack-tight mw-play-precision", "aria-label": t("play.precision") },
    h("div", { class: "mw-play-fields" }, ...elementsOf(always),
      h("label", { class: "mw-play-check" }, master, t("play.master_weights")),
      h("div", { class: "mw-play-field" }, h("span", { class: "mw-play-label", "aria-hidden": "true" }, t("play.scale")), scales.element)),
    h("details", { class: "mw-unfolding" }, h("summary", {}, t("play.more")), h("div", { class: "mw-play-fields" }, ...elementsOf(folded))));
}
