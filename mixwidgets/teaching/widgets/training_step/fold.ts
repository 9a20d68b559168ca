// The legend, and a fold of what is changed less often.

import type { ReadonlySignal } from "@preact/signals-core";
import { ACCUMULATIONS, LOSS_SCALES, OPTIMIZERS, startingSettings, TASKS, WEIGHT_ROUNDINGS } from "#training/settings.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { menu } from "#ui/menus.ts";
import type { View } from "#ui/view.ts";
import { settingText } from "../setting_words.ts";
import type { Choice } from "./state.ts";

const LAYERS = ["4", "8", "8-8", "32", ""];
const KEYS = ["flushed", "subnormal", "normal"] as const;

export function settingsFold(view: View, choice: ReadonlySignal<Choice>, edit: (changes: Partial<Choice>) => void): HTMLElement {
  const words = <N extends "accumulation" | "weight_rounding" | "optimizer">(name: N, options: readonly string[]) =>
    menu<string>(t(`train.${name}`), options, (value) => t(`train.${name}_${value}` as "train.optimizer_adam"), (value) => edit({ [name]: value }));
  const number = (name: "learning_rate" | "momentum" | "eps" | "loss_weight", options: readonly number[]) =>
    menu<number>(t(`train.${name}`), options, settingText, (value) => edit({ [name]: value }));
  const fields = {
    optimizer: words("optimizer", OPTIMIZERS),
    learning_rate: number("learning_rate", [65536, 4096, 256, 16, 1, 0.1, 0.01, 0.001]),
    momentum: number("momentum", [0.5, 0.9, 0.99]),
    eps: number("eps", [1e-12, 1e-8, 1e-6, 1e-4]),
    weight_rounding: words("weight_rounding", WEIGHT_ROUNDINGS),
    accumulation: words("accumulation", ACCUMULATIONS),
    loss_scale: menu<string>(t("train.scale"), LOSS_SCALES, (kind) => t(`train.scale_${kind}` as "train.scale_none"), (kind) => edit({ loss_scale: kind })),
    loss_weight: number("loss_weight", [1, 2 ** -9, 2 ** -18, 2 ** -24]),
    task: menu<string>(t("train.task"), TASKS, (name) => t(`train.task_${name}` as "train.task_circle"), (task) =>
      edit({ task, weight: [1, 1, 1], layers: task === "digits" ? [...startingSettings(task).layers] : [4] })),
  };
  const layers = menu<string>(t("step.ui.hidden"), LAYERS, (value) => value || "–", (value) => edit({ layers: value.split("-").filter(Boolean).map(Number), weight: [1, 1, 1] }));
  view.effect(() => {
    for (const [name, field] of Object.entries(fields)) (field.show as (value: unknown) => void)(choice.value[name as keyof Choice]);
    layers.show(choice.value.layers.join("-"));
    const { optimizer, master_weights } = choice.value;
    set(fields.momentum.element, { hidden: optimizer !== "momentum" });
    set(fields.eps.element, { hidden: optimizer !== "adam" });
    set(fields.weight_rounding.element, { hidden: master_weights });
  });
  const narrow = h("span");
  view.effect(() => setText(narrow, choice.value.gradient_format));
  const key = (kind: string, ...label: (string | HTMLElement)[]) => h("span", { class: "mw-step-key" }, h("i", { class: kind }), ...label);
  return h("div", { class: "mw-step-foot" },
    key("mw-step-key-plain", "float32"), key("mw-step-key-narrow", narrow), ...KEYS.map((zone) => key(`mw-step-zone-${zone}`, t(`step.ui.key_${zone}`))),
    h("details", { class: "mw-unfolding mw-step-settings" }, h("summary", {}, t("step.ui.fold_settings")),
      h("div", { class: "mw-step-fields" }, ...Object.values(fields).map(({ element }) => element), layers.element)));
}
