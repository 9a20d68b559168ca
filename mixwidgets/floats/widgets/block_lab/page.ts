// BlockLab: drag one element of a block and see the effect of the shared scale on the others. From top to bottom: what is lost,
// in a sentence; the matrix, and the bars of its chosen row; the controls; scale rules and numbers, folded. The page computes
// everything; the kernel gets the elements once, at the end of a drag.

import type { RenderProps } from "@anywidget/types";
import { computed } from "@preact/signals-core";
import { blockFormats, getBlockFormat } from "#core/blocks/catalogue.ts";
import { card } from "#ui/card.ts";
import { chips, chipsAndMore } from "#ui/choices.ts";
import { emphasised, h, set, setText } from "#ui/dom.ts";
import { listed, pieces, sentences, t } from "#ui/messages.ts";
import { addQuestions, answeredByTraits } from "#ui/questions/questions.ts";
import { keysNote, term } from "#ui/term.ts";
import { viewOf } from "#ui/view.ts";
import { axisWords, bars, ownBars } from "./bars.ts";
import { hasRows, matrix, rowStepper } from "./matrix.ts";
import { kinOf, lossOf, type Outcome } from "./outcome.ts";
import { chosen, elementTable, figures } from "./readout.ts";
import { rules } from "./rules.ts";
import { editable, is2d, readLab, type EditableLab, type Shown, type Traits } from "./state.ts";
import { blockText, explanation, headline, percent } from "./words.ts";
import steps from "./stage.json";

const USUAL = ["mxfp8_e4m3", "mxfp4", "nvfp4"];

function render({ model, el }: RenderProps<Traits>): () => void {
  const view = viewOf(model);
  const lab = editable(view);
  const { root, head } = card(view, el, "mw-block-lab", t("blocks.title"));
  const formats = chipsAndMore(t("blocks.formats"), USUAL, blockFormats.map(({ name }) => name), lab.chooseFormat);
  head.append(formats.element);

  const lead = h("p", { class: "mw-lab-lead" });
  const because = h("p", { class: "mw-muted" });
  const said = h("div", { class: "mw-callout mw-lab-said" }, lead, because);
  const error = h("p", { class: "mw-error", role: "alert" });
  const live = h("p", { class: "mw-hidden", "aria-live": "polite" });
  const { control, outcome } = chosen(lab);
  const parts = h("div", { class: "mw-lab-parts" }, matrix(lab), h("div", { class: "mw-stack-tight" }, figures(lab), charts(lab)));
  root.append(
    error,
    h("div", { class: "mw-stack" }, said, parts,
      h("div", { class: "mw-lab-controls" }, blockShape(lab), rotation(lab), rowStepper(lab), control),
      outcome,
      h("div", {}, rules(lab), elementTable(lab))),
    live);

  view.effect(() => setText(error, lab.isReadable.value ? "" : t("blocks.unreadable")));
  view.effect(() => void (lab.shown.value && formats.show(lab.shown.value.lab.format.name)));
  view.effect(() => {
    const { shown: { value: shown }, kin } = lab;
    if (!shown) return;
    lead.replaceChildren(...emphasised(headline(shown, hasRows(shown) ? kin.value : [])));
    setText(because, explanation(shown));
    set(lead, { class: losesBy(shown) ? "mw-lab-lead mw-lab-loses" : "mw-lab-lead" });
    set(parts, { class: hasRows(shown) ? "mw-lab-parts mw-lab-beside" : "mw-lab-parts" });
  });
  view.effect(() => {
    const shown = lab.atRest.value;
    if (shown) setText(live, sentences([headline(shown, []).map(({ text }) => text).join(""), explanation(shown)]));
  });
  addQuestions(view, root, answeredByTraits(view, steps));
  return view.close;
}

/** Whether what the first sentence says is a loss. */
const losesBy = ({ outcome, rotated, row }: Shown): boolean =>
  (rotated ? lossOf(rotated.rows[row]!).relative > lossOf(outcome.rows[row]!).relative : outcome.lost > 0);

/** The chosen row's bars, and below them, while it is rotated, those after the rotation; with their errors. */
function charts(lab: EditableLab): HTMLElement {
  const { view, shown } = lab;
  const before = ownBars(lab);
  const after = bars(lab, ({ rotated }) => rotated);
  const headed = (of: typeof after, keys: HTMLElement | null) => {
    const title = h("h4");
    const note = h("span", { class: "mw-muted" });
    const error = h("span", { class: "mw-lab-chart-error" });
    const root = h("div", { class: "mw-lab-chart" },
      h("div", { class: "mw-lab-chart-head" }, title, keys, note, error), of.element);
    const show = (elements: Outcome["elements"]) =>
      error.replaceChildren(...emphasised(pieces("blocks.error_of_row", { error: percent(lossOf(elements).relative) })));
    return { title, note, root, show };
  };
  const first = headed(before, keysNote("blocks.keys"));
  const second = headed(after, null);
  const swatch = (kind: "true" | "rounded" | "lost" | "clipped") =>
    h("span", { class: "mw-row" }, h("span", { class: `mw-lab-swatch mw-lab-${kind}`, "aria-hidden": "true" }), t(`blocks.kind_${kind}`));
  const clipped = swatch("clipped");
  const axis = h("span");
  view.effect(() => {
    if (!shown.value) return;
    const { outcome, rotated, row, lab: { columns } } = shown.value;
    const rowName = hasRows(shown.value) ? t("blocks.row_named", { row }) : t("blocks.values_named", { count: columns });
    setText(first.title, rotated ? listed([rowName, t("blocks.before")]) : rowName);
    setText(first.note, rotated ? axisWords(before.axis.value) : t("blocks.drag"));
    first.show(outcome.rows[row]!);
    set(second.root, { hidden: !rotated });
    if (rotated) {
      setText(second.title, t("blocks.after"));
      setText(second.note, axisWords(after.axis.value));
      second.show(rotated.rows[row]!);
    }
    set(clipped, { hidden: outcome.clipped === 0 && !rotated?.clipped });
  });
  view.effect(() => {
    const lines = t(before.isAll.value ? "blocks.lines" : "blocks.some_lines");
    setText(axis, shown.value?.rotated ? lines : `${lines} · ${axisWords(before.axis.value)}`);
  });
  return h("div", { class: "mw-lab-charts" }, first.root, second.root,
    h("div", { class: "mw-row mw-lab-legend" }, swatch("true"), swatch("rounded"), swatch("lost"), clipped, axis));
}

/** How many elements share a scale: a choice where there are such formats. */
function blockShape({ view, shown, chooseFormat }: EditableLab): HTMLElement {
  const holder = h("div", { class: "mw-lab-shape" });
  const format = computed(() => shown.value?.lab.format);
  const names = computed(() => {
    const all = format.value ? [format.value, ...kinOf(format.value)] : [];
    return all.sort((a, b) => a.block[0] - b.block[0]).map(({ name }) => name).join(" "); // a text, so that a choice keeps its buttons
  });
  const choice = computed(() =>
    chips(t("blocks.scale_for"), names.value.split(" ").filter(Boolean), chooseFormat, (name) => blockText(getBlockFormat(name)!)));
  view.effect(() => {
    if (names.value !== "") holder.replaceChildren(names.value.includes(" ") ? choice.value.element : blockText(getBlockFormat(names.value)!));
  });
  view.effect(() => choice.value.show(format.value?.name ?? ""));
  return h("div", { class: "mw-lab-control" }, term(t("blocks.scale_for"), () => t("blocks.scale_for_note")), holder);
}

/** Whether the chosen row is shown rotated; of blocks in two dimensions, why not. */
function rotation({ view, shown }: EditableLab): HTMLElement {
  const input = h("input", { type: "checkbox", role: "switch" });
  input.addEventListener("change", () => view.send("hadamard", input.checked));
  const word = h("span");
  const label = h("label", { class: "mw-row" }, input, h("span", { class: "mw-hidden" }, t("blocks.hadamard")), word);
  const reason = h("span", { class: "mw-muted" }, t("blocks.not_rotated"));
  view.effect(() => {
    if (!shown.value) return;
    const { hadamard, format } = shown.value.lab;
    input.checked = hadamard;
    setText(word, t(hadamard ? "blocks.on" : "blocks.off"));
    set(label, { hidden: is2d(format) });
    set(reason, { hidden: !is2d(format) });
  });
  return h("div", { class: "mw-lab-control" }, term(t("blocks.hadamard"), () => t("blocks.hadamard_note")), h("div", { class: "mw-lab-shape" }, label, reason));
}

/** The state from an address; null if it is invalid. */
function accept(wanted: Traits): Traits | null {
  return readLab(wanted) && { ...wanted, _codes: wanted._codes.toLowerCase() };
}

export default { render, accept };
