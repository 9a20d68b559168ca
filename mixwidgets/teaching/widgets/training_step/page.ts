// TrainingStep: one real step of a small network as a loop of stations, with one weight that goes through it in its bits, beside the
// same step in float32. Everything is computed here.

import type { RenderProps } from "@anywidget/types";
import { computed, signal, untracked } from "@preact/signals-core";
import { exactOf } from "#core/formats/decode.ts";
import { fateOf, fatesOf } from "#training/fate.ts";
import { look, type Place } from "#training/look.ts";
import { HIGHEST, strip } from "#training/strip.ts";
import { announcer } from "#ui/announcer.ts";
import { action } from "#ui/buttons.ts";
import { card } from "#ui/card.ts";
import { chips, chipsAndMore } from "#ui/choices.ts";
import { emphasised, h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { addQuestions } from "#ui/questions/questions.ts";
import { STAGED } from "#ui/stage.ts";
import { bitsPanel } from "#ui/ruler/bits_panel.ts";
import { viewOf } from "#ui/view.ts";
import { clamp } from "#core/range.ts";
import { choices } from "../settings.ts";
import { allWeights, sharesOf } from "./all.ts";
import { networkDrawing, weightMenus } from "./drawing.ts";
import { settingsFold } from "./fold.ts";
import { weightName } from "./names.ts";
import { oneWeight } from "./one.ts";
import { stageQuestions } from "./questions.ts";
import { results } from "./results.ts";
import { slowly } from "./slowly.ts";
import { accept, backward, type Choice, choiceOf, isRescaled, MOST_STEPS, onward, placeOf, refusal, rescaled, runsOf, settingsOf, type State, stateValue, trainerOf, TRAITS, usual, weightOf, widthsOf } from "./state.ts";
import type { Shown } from "./station.ts";
import { stationsPart } from "./stations.ts";
import { stripPart, type Shares } from "./strip.ts";
import { sentence as sentenceOf, sentenceOfAll } from "./words.ts";

const USUAL_FORMATS = ["float8_e5m2", "bfloat16", "float16"];

/** What the weights before the step depend on, which S is of no account for that begins with it. */
const historyOf = (choice: Choice): string => {
  const { weight, all_weights, log2_loss_scale, earlier_scales, ...others } = choice;
  return JSON.stringify([others, runsOf(choice), isRescaled(choice)]);
};

function render({ model, el }: RenderProps<State>): () => void {
  const view = viewOf(model);
  const read = () => choiceOf((name) => model.get(name));
  const bytes = model.get("_digits");
  const rows = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = refusal(read()) ? usual : read();
  const choice = signal<Choice>(first);
  const fault = signal("");

  const held = signal(false); // whether S is being moved: the kernel waits for its release
  function edit(changes: Partial<Choice>, isHeld = false): void {
    held.value = isHeld;
    view.set(changes);
    if (!isHeld) model.save_changes();
  }
  /** Show the model's traits, if that is possible. */
  function take(): void {
    const wanted = read();
    fault.value = refusal(wanted);
    if (!fault.value && TRAITS.some((name) => String(wanted[name]) !== String(choice.peek()[name]))) choice.value = wanted;
  }

  // What is shown follows from the choice.
  const history = computed(() => historyOf(choice.value));
  const trainer = computed(() => (history.value, trainerOf(choice.peek(), rows)));
  const settings = computed(() => settingsOf(choice.value));
  const seen = computed(() => look(trainer.value, settings.value));
  const strips = computed(() => strip(trainer.value, untracked(() => settings.value)));
  const place = computed(() => placeOf(choice.value));
  const fate = computed(() => fateOf(seen.value, place.value));
  const one = computed(() => oneWeight(seen.value, place.value, fate.value));
  const fates = computed(() => fatesOf(seen.value));
  const all = computed(() => (choice.value.all_weights ? allWeights(seen.value, fates.value) : null));
  const shares = computed((): Shares[] =>
    choice.value.all_weights ? strips.value.counts.map(sharesOf) : strips.value.of(place.value).map((one) => [[one, 1]]));
  const log2 = computed(() => clamp(Math.round(Math.log2(seen.value.lossScale)), 0, HIGHEST));
  const count = computed(() => seen.value.kept.reduce((sum, { length }) => sum + length, 0));

  const { root, head } = card(view, el, "mw-step", t("step.ui.title"));
  const note = h("p", { class: "mw-step-note" });
  const formats = chipsAndMore(t("common.formats"), USUAL_FORMATS, choices.map(({ name }) => name), (name) =>
    edit({ weight_format: name, activation_format: name, gradient_format: name }));
  head.append(note, formats.element);
  const error = h("p", { class: "mw-error", role: "alert" });

  // The network, the sentence, S
  const choose = (at: Place) => edit({ weight: weightOf(seen.peek(), at), all_weights: false });
  const move = (by: number) => {
    const { tensor, index } = place.peek();
    const lengths = seen.peek().kept.map(({ length }) => length);
    let to = clamp(lengths.slice(0, tensor).reduce((sum, length) => sum + length, index) + by, 0, count.peek() - 1);
    let at = 0;
    while (to >= lengths[at]!) to -= lengths[at++]!;
    choose({ tensor: at, index: to });
  };
  const marks = computed(() => seen.value.kept.map((values, tensor) => Array.from(values, (_, index) => {
    if (all.value) return `mw-fate-${fates.value[tensor]![index]}`;
    return Number.isFinite(seen.value.gradient[tensor]![index]!) ? "" : "mw-fate-skipped";
  })));
  const widths = computed(() => widthsOf(choice.value));
  const shape = computed(() => String(widths.value));
  const network = networkDrawing({ view, widths, marks, chosen: computed(() => (all.value ? null : place.value)), choose, move });
  const tensors = computed(() => (shape.value, untracked(() => {
    const now = seen.value;
    return now.tensors.map(({ layer, kind }, tensor) => ({
      name: t(kind === "bias" ? "step.ui.biases" : "step.ui.weights", { layer: layer + 1 }),
      weights: Array.from(now.kept[tensor]!, (_, index) => weightName(now, { tensor, index })),
    }));
  })));
  const menus = weightMenus(view, tensors, place, choose);
  const lead = h("p", { class: "mw-step-lead" });
  const more = h("p", { class: "mw-step-more" });
  const spoken = announcer(view);
  const scale = stripPart({
    view, shares, log2,
    move: (to, isHeld) => edit(rescaled(choice.peek(), to), isHeld),
  });
  const sentence = computed(() => (all.value ? sentenceOfAll(seen.value, strips.value) : sentenceOf(seen.value, strips.value, place.value)));
  view.effect(() => {
    const { tone, headline, more: finer } = sentence.value;
    const nodes = emphasised(headline);
    set(lead, { class: `mw-step-lead mw-step-${tone}` });
    const text = nodes.map((node) => node.textContent).join("");
    if (lead.textContent === text && more.textContent === finer) return;
    lead.replaceChildren(...nodes);
    setText(more, finer);
    spoken.say(text);
  });
  const top = h("div", { class: "mw-step-top" },
    h("div", { class: "mw-step-choice" }, network, menus), h("div", { class: "mw-step-told" }, h("div", { class: "mw-step-words" }, lead, more), scale));

  // What one does
  const back = action(t("step.ui.back"), () => edit(backward(choice.peek())));
  const next = action(t("step.ui.next"), () => edit(onward(choice.peek())), "mw-primary");
  const master = h("input", { type: "checkbox" });
  master.addEventListener("change", () => edit({ master_weights: master.checked }));
  const which = chips(t("step.ui.which"), ["one", "all"], (name) => edit({ all_weights: name === "all" }), (name) => t(`step.ui.which_${name}`));
  const whichWords = [...which.element.querySelectorAll("label")].map((label) => label.appendChild(h("span")));
  view.effect(() => {
    const { steps, master_weights, all_weights, weight_format, activation_format, gradient_format, task, layers } = choice.value;
    back.allow(steps === 0 ? t("step.ui.first") : "");
    next.allow(steps >= MOST_STEPS ? t("step.ui.last", { most: MOST_STEPS }) : "");
    master.checked = master_weights;
    which.show(all_weights ? "all" : "one");
    formats.show(weight_format === activation_format && weight_format === gradient_format ? weight_format : "");
    setText(note, t("step.ui.note", { step: seen.value.step, task: t(`train.task_${task}` as "train.task_circle"), network: widths.value.join("–"), activation: layers.length ? choice.value.activation : "", optimizer: t(`train.optimizer_${choice.value.optimizer}` as "train.optimizer_sgd") }));
  });
  view.effect(() => {
    setText(whichWords[0]!, ` · ${one.value.name}`);
    setText(whichWords[1]!, ` ${count.value}`);
  });

  // The loop
  let opener: HTMLElement | null = null;
  const opened = signal<Shown["title"] | null>(null);
  const open = (shown: Shown) => {
    opener = root.querySelector(":focus");
    opened.value = shown.title;
    panel.element.scrollIntoView?.({ block: "nearest" });
  };
  const panel = bitsPanel(() => {
    opened.value = null;
    opener?.focus();
  });
  const loop = stationsPart({ view, root, one, all, open });
  view.effect(() => {
    const shown = Object.values(one.value.shown).find(({ title, value }) => title === opened.value && value !== null);
    panel.element.hidden = !shown || all.value !== null;
    if (shown) panel.show(t("step.ui.bits_of", { what: shown.title, format: shown.format.name, value: shown.figure }), shown.format, exactOf(shown.value!));
  });
  const player = slowly(view, loop, one, () => edit(onward(choice.peek())), () => choice.peek().steps >= MOST_STEPS);
  const bar = h("div", { class: "mw-step-bar" }, next.element, back.element, player.button, h("label", {}, master, t("train.master_weights")), which.element);

  const answer = h("p", { class: "mw-step-answer", role: "status" });
  addQuestions(view, root, stageQuestions(rows, (state, told) => {
    edit(state);
    setText(answer, told);
  }));
  root.addEventListener(STAGED, () => setText(answer, ""));
  root.append(error, answer, top, bar, loop.element, panel.element, settingsFold(view, choice, edit), spoken.element);
  view.effect(() => setText(error, fault.value));
  const current = TRAITS.map((trait) => view.trait(trait));
  view.effect(() => {
    current.forEach(({ value }) => value);
    untracked(take);
  });
  view.effect(() => {
    if (held.value) return;
    model.set("_stations", results(seen.value, place.value));
    model.save_changes();
  });
  return view.close;
}

export default { render, accept, stateValue };
