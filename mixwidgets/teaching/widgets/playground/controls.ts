// The controls of a run's settings: the network, and the precision of its numbers.

import { wholeIn } from "#core/formats/parse.ts";
import { HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { clamp } from "#core/range.ts";
import {
  ACCUMULATIONS, ACTIVATIONS, LIMITS, LOSS_SCALES, OPTIMIZERS, startingSettings, TASKS, WEIGHT_ROUNDINGS,
} from "#training/settings.ts";
import { action, button } from "#ui/buttons.ts";
import { chips } from "#ui/choices.ts";
import { twoTo } from "#ui/digits.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { bareField } from "#ui/fields.ts";
import { type Field, menu, under } from "#ui/menus.ts";
import { t } from "#ui/messages.ts";
import type { Page } from "./session.ts";
import { choices, ownFormat, widthsIn } from "../settings.ts";
import { type Choice, MOST_STEPS, stepsFor } from "./state.ts";
import { taskPicture } from "./learned.ts";
import { settingText } from "../setting_words.ts";

const NEW_LAYER_UNITS = 8;
const RATES = [1, 10, 60, 300, 100_000] as const; // steps a second; the last is more than a frame has time for
const OWN = "custom"; // the entry of a format menu for a format of one's own

/** One row of what one changes most, and a drawer of the rest, which opens upwards over the ruler. */
export function controlsPart(page: Page): HTMLElement {
  const { view, session, traits, edit } = page;
  const fields = rowFields(page);
  const scales = chips(t("train.scale"), LOSS_SCALES, (kind) => edit({ loss_scale: kind, ...(kind === "static" && keptScale()) }), (kind) => t(`train.scale_${kind}`));
  /** A static scale that follows a dynamic one stays at its last value. */
  const keptScale = () => traits.peek().loss_scale === "dynamic" && { log2_loss_scale: clamp(Math.round(Math.log2(session.chosen.lossScale)), LOWEST, HIGHEST) };
  const drawer = h("div", { class: "mw-play-drawer", id: uniqueId("drawer"), hidden: true }, networkPart(page), precisionPart(page));
  const more = button("", () => open(drawer.hidden === true), { class: "mw-play-more-button", "aria-controls": drawer.id });
  const open = (isOpen: boolean): void => {
    drawer.hidden = !isOpen;
    setText(more, t(isOpen ? "play.less" : "play.more"));
    set(more, { "aria-expanded": String(isOpen) });
  };
  open(false);
  drawer.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    open(false);
    more.focus();
  });
  view.effect(() => {
    showAll(fields, traits.value);
    scales.show(traits.value.loss_scale);
  });
  const { learning_rate: rate, ...formats } = fields;
  return h("section", { class: "mw-play-controls", "aria-label": t("play.kept") }, drawer,
    h("div", { class: "mw-play-row" }, ...elementsOf(formats),
      h("div", { class: "mw-field mw-play-scales" }, h("span", { class: "mw-field-label", "aria-hidden": "true" }, t("train.scale")), scales.element),
      rate!.element, more));
}

/** What the network learns, and its size. */
function networkPart({ view, session, traits, edit }: Page): HTMLElement {
  const task = chips(t("train.task"), TASKS, (name) => {
    const { layers, learningRate } = startingSettings(name); // which suit the task
    edit({ task: name, layers: [...layers], learning_rate: learningRate, steps: stepsFor(name) });
  }, (name) => t(`train.task_${name}`));
  [...task.element.querySelectorAll("label")].forEach((label, i) => label.prepend(taskPicture(view, TASKS[i]!, session)));
  const layers = () => traits.peek().layers;
  const units = Array.from({ length: LIMITS.hiddenLayers }, (_, i) =>
    wholeField(t("play.units", { layer: i + 1 }), 1, LIMITS.units, (value) => edit({ layers: layers().with(i, value) })));
  const fewer = action("−", () => edit({ layers: layers().slice(0, -1) }));
  const more = action("+", () => edit({ layers: [...layers(), NEW_LAYER_UNITS] }));
  set(fewer.element, { "aria-label": t("play.fewer_layers") });
  set(more.element, { "aria-label": t("play.more_layers") });
  const fields: Fields = {
    activation: menu<string>(t("train.activation"), ACTIVATIONS, (name) => name, (name) => edit({ activation: name })),
    seed: wholeField(t("train.seed"), 0, LIMITS.seed, (value) => edit({ seed: value })),
  };

  view.effect(() => {
    const choice = traits.value;
    task.show(choice.task);
    showAll(fields, choice);
    const { length } = choice.layers;
    units.forEach(({ element, show }, i) => {
      set(element, { hidden: i >= length });
      if (i < length) show(choice.layers[i]!);
    });
    fewer.allow(length === 0 ? t("play.no_fewer") : "", t("play.fewer_layers"));
    more.allow(length === LIMITS.hiddenLayers ? t("play.no_more", { most: LIMITS.hiddenLayers }) : "", t("play.more_layers"));
  });
  return h("div", {}, h("h4", {}, t("train.network")), task.element,
    h("div", { class: "mw-play-fields" }, ...units.map(({ element }) => element),
      h("div", { class: "mw-field" }, h("span", { class: "mw-field-label", "aria-hidden": "true" }, t("play.layers")), h("span", { class: "mw-row mw-play-layer-buttons" }, fewer.element, more.element)),
      ...elementsOf(fields)));
}

type Fields = { readonly [K in keyof Choice]?: Field<Choice[K]> };

/** When a field is shown, because it has an effect; the others always are. */
const isUsed: { readonly [K in keyof Choice]?: (choice: Choice) => boolean } = {
  activation: ({ layers }) => layers.length > 0,
  momentum: ({ optimizer }) => optimizer === "momentum",
  eps: ({ optimizer }) => optimizer === "adam",
  optimizer_format: ({ optimizer }) => optimizer !== "sgd",
  weight_rounding: ({ master_weights }) => !master_weights,
  log2_loss_scale: ({ loss_scale }) => loss_scale === "dynamic",
  growth_interval: ({ loss_scale }) => loss_scale === "dynamic",
};

function showAll(fields: Fields, choice: Choice): void {
  for (const [name, field] of Object.entries(fields) as [keyof Choice, Field<unknown>][]) {
    field.show(choice[name]);
    set(field.element, { hidden: isUsed[name]?.(choice) === false });
  }
}

const elementsOf = (fields: Fields) => Object.values(fields).map(({ element }) => element);

type NumberTrait = "learning_rate" | "momentum" | "eps" | "loss_weight" | "growth_interval" | "batch_size" | "log2_loss_scale";

const numberMenu = ({ edit }: Page, name: NumberTrait, options: readonly number[], words = settingText) =>
  menu<number>(t(`train.${name}`), options, words, (value) => edit({ [name]: value }));

const formatField = ({ edit }: Page, name: "weight_format" | "activation_format" | "gradient_format" | "optimizer_format") =>
  formatMenu(t(`train.${name}`), (value) => edit({ [name]: value }));

function rowFields(page: Page): Fields {
  return {
    weight_format: formatField(page, "weight_format"),
    activation_format: formatField(page, "activation_format"),
    gradient_format: formatField(page, "gradient_format"),
    learning_rate: numberMenu(page, "learning_rate", [1e-4, 3e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3]),
  };
}

/** How the chosen network's numbers are kept, and how it is trained. */
function precisionPart(page: Page): HTMLElement {
  const { view, traits, edit } = page;
  const words = <N extends "accumulation" | "weight_rounding" | "optimizer">(name: N, options: readonly string[]) =>
    menu<string>(t(`train.${name}`), options, (value) => t(`train.${name}_${value}` as "train.optimizer_adam"), (value) => edit({ [name]: value }));
  const fields: Fields = {
    weight_rounding: words("weight_rounding", WEIGHT_ROUNDINGS),
    accumulation: words("accumulation", ACCUMULATIONS),
    optimizer: words("optimizer", OPTIMIZERS),
    optimizer_format: formatField(page, "optimizer_format"),
    momentum: numberMenu(page, "momentum", [0.5, 0.9, 0.99]),
    eps: numberMenu(page, "eps", [1e-12, 1e-8, 1e-6, 1e-4]),
    loss_weight: numberMenu(page, "loss_weight", [1, 0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]),
    log2_loss_scale: numberMenu(page, "log2_loss_scale", [0, 8, 16, 24, 32], twoTo),
    growth_interval: numberMenu(page, "growth_interval", [5, 10, 25, 50, 100, 200, 2000]),
    batch_size: numberMenu(page, "batch_size", [1, 8, 16, 32, 64]),
    steps: wholeField(t("play.steps"), 1, MOST_STEPS, (value) => edit({ steps: value })),
  };
  const master = h("input", { type: "checkbox" });
  master.addEventListener("change", () => edit({ master_weights: master.checked }));
  const speed = menu<number>(t("play.speed"), RATES, (value) => t(value > 1000 ? "play.rate_most" : value === 1 ? "play.rate_one" : "play.rate", { value: Math.round(value) }), (value) => (page.rate.value = value));

  view.effect(() => {
    showAll(fields, traits.value);
    master.checked = traits.value.master_weights;
  });
  view.effect(() => speed.show(page.rate.value));
  return h("div", {}, h("h4", {}, t("play.kept")),
    h("div", { class: "mw-play-fields" }, h("label", { class: "mw-field mw-play-check" }, t("train.master_weights"), master), ...elementsOf(fields), speed.element));
}

/** A menu of formats. Its last entry opens two fields for the widths of a format of one's own. */
function formatMenu(label: string, choose: (name: string) => void): Field<string> {
  const widths = { exponent: 5, fraction: 7 };
  const names = menu<string>(label, [...choices.map(({ name }) => name), OWN], (name) => (name === OWN ? t("play.own_format") : name), (name) => choose(name === OWN ? ownName() : name));
  const ownName = () => `custom_e${widths.exponent}m${widths.fraction}`;
  const width = (of: "exponent" | "fraction") => bareField(
    { inputmode: "numeric", "aria-label": t(of === "exponent" ? "play.own_exponent" : "play.own_fraction", { label }), class: "mw-play-width" }, (text) => {
      const wanted = { ...widths, [of]: wholeIn(text, 0, 99) ?? NaN };
      if (!ownFormat(wanted.exponent, wanted.fraction)) return t("play.own_wrong", { came: text || t("common.nothing") });
      Object.assign(widths, wanted);
      choose(ownName());
      return "";
    });
  const [exponent, fraction] = [width("exponent"), width("fraction")];
  const own = h("div", { class: "mw-row mw-play-own", hidden: true }, "E", exponent.element, "M", fraction.element, exponent.error, fraction.error);
  names.element.append(own);
  const show = (name: string): void => {
    const ownWidths = widthsIn(name);
    own.hidden = !ownWidths;
    Object.assign(widths, ownWidths);
    exponent.show(String(widths.exponent));
    fraction.show(String(widths.fraction));
    names.show(ownWidths ? OWN : name);
  };
  return { element: names.element, show };
}

/** A field for a whole number. */
function wholeField(label: string, low: number, high: number, choose: (value: number) => void): Field<number> {
  const { element, error, show } = bareField({ inputmode: "numeric", class: "mw-play-number" }, (text) => {
    const value = wholeIn(text, low, high);
    if (value === null) return t("play.whole_wrong", { label, low, high, came: text || t("common.nothing") });
    choose(value);
    return "";
  });
  return { element: under(label, element, error), show: (value) => show(String(value)) };
}
