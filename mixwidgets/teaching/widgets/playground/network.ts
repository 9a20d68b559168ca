// What is learned, and by how many units.

import { action } from "#ui/buttons.ts";
import { h, set } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { LIMITS, startingSettings } from "#training/settings.ts";
import { ACTIVATIONS, TASKS, type Task } from "#training/types.ts";
import { menu, wholeField } from "./fields.ts";
import type { Page } from "./parts.ts";
import { MOST_STEPS } from "./state.ts";

const UNITS = 8; // of a layer that is added

export function networkPart({ view, traits, edit }: Page): HTMLElement {
  const task = menu<string>(t("play.task"), TASKS, (name) => t(`play.task_${name as Task}`), (name) => {
    const { layers, learningRate } = startingSettings(name as Task); // those that suit it
    edit({ task: name, layers: [...layers], learning_rate: learningRate });
  });
  const layers = () => traits.peek().layers;
  const units = Array.from({ length: LIMITS.hiddenLayers }, (_, i) =>
    wholeField(t("play.units", { layer: i + 1 }), 1, LIMITS.units, (value) => edit({ layers: layers().with(i, value) })));
  const fewer = action("−", () => edit({ layers: layers().slice(0, -1) }));
  const more = action("+", () => edit({ layers: [...layers(), UNITS] }));
  set(fewer.element, { "aria-label": t("play.fewer_layers") });
  set(more.element, { "aria-label": t("play.more_layers") });
  const activation = menu<string>(t("play.activation"), ACTIVATIONS, (name) => name, (name) => edit({ activation: name }));
  const seed = wholeField(t("play.seed"), 0, LIMITS.seed, (value) => edit({ seed: value }));
  const steps = wholeField(t("play.steps"), 1, MOST_STEPS, (value) => edit({ steps: value }));

  view.effect(() => {
    const { task: name, layers, activation: function_, seed: drawn, steps: last } = traits.value;
    task.show(name);
    activation.show(function_);
    seed.show(drawn);
    steps.show(last);
    units.forEach(({ element, show }, i) => {
      set(element, { hidden: i >= layers.length });
      if (i < layers.length) show(layers[i]!);
    });
    fewer.allow(layers.length === 0 ? t("play.no_fewer") : "", t("play.fewer_layers"));
    more.allow(layers.length === LIMITS.hiddenLayers ? t("play.no_more", { most: LIMITS.hiddenLayers }) : "", t("play.more_layers"));
    set(activation.element, { hidden: layers.length === 0 });
  });
  return h("section", { class: "mw-play-fields", "aria-label": t("play.network") },
    task.element, ...units.map(({ element }) => element),
    h("div", { class: "mw-play-field" }, h("span", { class: "mw-play-label", "aria-hidden": "true" }, t("play.layers")), h("span", { class: "mw-row mw-play-layer-buttons" }, fewer.element, more.element)),
    activation.element, seed.element, steps.element);
}
