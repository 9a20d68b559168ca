// FormatDesigner: give bits to range or to precision and see what becomes of the format. From top to bottom: what it is, in a
// sentence; its bits; four figures and a picture of its range, beside those of other formats; the controls; its values; every
// figure, folded.

import type { RenderProps } from "@anywidget/types";
import { batch, computed, signal, type ReadonlySignal } from "@preact/signals-core";
import { formats, getFormat } from "#core/formats/catalogue.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { announcer } from "#ui/announcer.ts";
import { card } from "#ui/card.ts";
import { labelled, menuOf } from "#ui/choices.ts";
import { emphasised, h, setText } from "#ui/dom.ts";
import { t, type Piece } from "#ui/messages.ts";
import { raised } from "#ui/powers.ts";
import { addQuestions, answeredByTraits } from "#ui/questions/questions.ts";
import { explained, term } from "#ui/term.ts";
import { kept, viewOf, type View } from "#ui/view.ts";
import { bitsBar } from "./bits_bar.ts";
import { controls, type Draft } from "./controls.ts";
import { designOf, formatOf, known, read, same, wrongIn, type Design } from "./design.ts";
import { ranges, type Named } from "./ranges.ts";
import { sheet } from "./sheet.ts";
import { valueRows } from "./values.ts";
import { FIGURES, lead, verdict } from "./words.ts";
import steps from "./stage.json";

const FIRST = "float8_e4m3fn"; // shown until the model has a valid design
// What a format is compared with at first: the first two that it is not.
const [OF_NARROW, OF_WIDE] = [["float16", "float8_e5m2", "float8_e4m3fn"], ["bfloat16", "float16", "float32"]];

function render({ model, el }: RenderProps<Design>): () => void {
  const view = viewOf(model);
  const { root, head } = card(view, el, "mw-format-designer", t("designer.title"));
  const announce = announcer(view);
  const design = kept(designOf(getFormat(FIRST)!), (last) => {
    const next = read((name) => view.trait(name).value);
    return next && !same(next, last) ? next : last;
  }); // the last valid one
  const draft = signal<Draft>({ design: design.value }); // what the controls show
  view.onChange(design, (next) => (draft.value = { design: next }));
  const fmt = computed(() => formatOf(design.value));
  const name = computed(() => (known(design.value) ?? fmt.value).name);

  const change = (changes: Partial<Design>, at: keyof Design) => {
    const next = { ...draft.value.design, ...changes };
    const wrong = wrongIn(next);
    batch(() => {
      if (!wrong) view.set(next);
      draft.value = { design: next, at, wrong };
    });
  };
  const commit = () => model.save_changes();
  const apply = (changes: Partial<Design>, at: keyof Design) => {
    change(changes, at);
    commit();
  };
  const bits = bitsBar(view, design, { change: (next) => change(next, "exponent_bits"), commit });
  head.append(h("div", { class: "mw-row mw-design-head" }, nameOf(view, name), startMenu((from) => apply(designOf(from), "exponent_bits"))));
  const { menus, others } = comparison(known(design.value) ?? fmt.value);
  root.append(
    callout(view, design, fmt, announce.say),
    bits,
    figures(view, fmt, computed(() => others.value[0]!)),
    h("div", { class: "mw-design-ranges" },
      h("div", { class: "mw-row mw-design-heading" }, h("h4", {}, t("designer.ranges")), h("span", { class: "mw-note" }, t("designer.ranges_note"), h("span", { class: "mw-design-swatch mw-design-subnormal", "aria-hidden": "true" }), ...explained(t("terms.subnormal"))),
        h("div", { class: "mw-row" }, ...menus)),
      ranges(view, computed<Named[]>(() => [
        { fmt: fmt.value, name: name.value, label: t("designer.yours") }, ...others.value.map((other) => ({ fmt: other, name: other.name, label: other.name }))]))),
    controls(view, draft, apply),
    valueRows(view, fmt),
    sheet(view, design, fmt),
    announce.element);

  // Numbers of another design under a question would look like its answer: it stands alone.
  addQuestions(view, root, answeredByTraits(view, steps));
  return view.close;
}

/** The state from an address; null if it is invalid. */
function accept(wanted: Design): Design | null {
  return read((trait) => wanted[trait]);
}

function nameOf(view: View, name: ReadonlySignal<string>): HTMLElement {
  const element = h("p", { class: "mw-num mw-design-name" });
  view.effect(() => setText(element, name.value));
  return element;
}

/** What the format does, and whether it is a known one. */
function callout(view: View, design: ReadonlySignal<Design>, fmt: ReadonlySignal<FloatFormat>, say: (words: string) => void): HTMLElement {
  const [first, second] = [h("p", { class: "mw-design-lead" }), h("p", { class: "mw-muted" })];
  const words = computed(() => [lead(fmt.value), verdict(design.value)] as const);
  view.effect(() => {
    const [does, is] = words.value;
    first.replaceChildren(...does.flatMap(({ text, strong }: Piece) => (strong ? h("strong", {}, ...raised(text)) : raised(text))));
    second.replaceChildren(...emphasised(is));
  });
  view.onChange(words, ([does, is]) => say([...is, { text: " " }, ...does].map(({ text }) => text).join("")));
  return h("div", { class: "mw-callout mw-design-said" }, first, second);
}

/** Choices of two formats to compare with. */
function comparison({ name, bits }: FloatFormat) {
  const others = signal((bits <= 8 ? OF_NARROW : OF_WIDE).filter((other) => other !== name).slice(0, 2).map((other) => getFormat(other)!));
  const menus = others.value.map((other, i) => {
    const select = menuOf(formats.map(({ name }) => name), (chosen) => (others.value = others.value.with(i, getFormat(chosen)!)));
    select.value = other.name;
    return labelled(t(i === 0 ? "designer.compared" : "designer.and"), select);
  });
  return { menus, others };
}

/** Four figures, each with that of another format below. */
function figures(view: View, fmt: ReadonlySignal<FloatFormat>, other: ReadonlySignal<FloatFormat>): HTMLElement {
  const all = FIGURES.map(([key, of]) => {
    const [own, compared] = [h("dd", { class: "mw-figure" }), h("dd", { class: "mw-note" })];
    view.effect(() => own.replaceChildren(...raised(of(fmt.value))));
    view.effect(() => compared.replaceChildren(...raised(t("designer.of_other", { name: other.value.name, figure: of(other.value) }))));
    return h("div", {}, h("dt", {}, key === "designer.step" ? term(t(key), () => t("designer.step_note")) : t(key)), own, compared);
  });
  return h("dl", { class: "mw-design-figures" }, ...all);
}

function startMenu(start: (from: FloatFormat) => void): HTMLElement {
  const select = h("select", { "aria-label": t("designer.start") },
    h("option", { value: "" }, t("designer.start_from")), ...formats.map(({ name }) => h("option", { value: name }, name)));
  select.addEventListener("change", () => {
    const from = formats.find(({ name }) => name === select.value);
    select.value = "";
    if (from) start(from);
  });
  return select;
}

export default { render, accept };
