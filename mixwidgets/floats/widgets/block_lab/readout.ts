// The lab's texts: figures, sentences, one element in full, and all elements as a table.

import { float32 } from "#core/formats/catalogue.ts";
import { isFinite } from "#core/formats/decode.ts";
import { encode } from "#core/formats/encode.ts";
import { readOr, toExact } from "#core/formats/parse.ts";
import { toNumber } from "#core/formats/rational.ts";
import { button } from "#ui/buttons.ts";
import { twoTo, withMinus } from "#ui/digits.ts";
import { emphasised, h, setText, uniqueId } from "#ui/dom.ts";
import { bareField } from "#ui/fields.ts";
import { pieces, sentences as joined, t, type MessageKey, type Piece } from "#ui/messages.ts";
import { openState } from "#ui/view.ts";
import { decoded, type Block, type EditableLab, type Outcome } from "./state.ts";

/** The large figures, each with its details below. */
export function figures({ view, shown }: EditableLab): HTMLElement {
  const box = (name: MessageKey) => {
    const figure = h("div", { class: "mw-figure" });
    const label = h("div", {}, t(name));
    const detail = h("div", { class: "mw-num mw-muted mw-lab-detail" });
    return { figure, label, detail, root: h("div", {}, figure, label, detail) };
  };
  const [lost, error, scale, bits] = [box("blocks.lost"), box("blocks.error"), box("blocks.scale"), box("blocks.bits")];
  setText(error.detail, t("blocks.error_how"));
  view.effect(() => {
    if (!shown.value) return;
    const { lab: { format }, outcome, active } = shown.value;
    const index = outcome.blocks.findIndex(({ members }) => members.includes(active));
    const block = outcome.blocks[index]!;
    setText(lost.figure, t("blocks.lost_of", { count: outcome.lost, all: outcome.elements.length }));
    setText(error.figure, percent(outcome.relative));
    setText(scale.figure, scaleText(outcome, block));
    setText(scale.label, outcome.blocks.length > 1 ? t("blocks.scale_of", { block: index + 1 }) : t("blocks.scale"));
    const args = { value: number(block.scale), format: format.scale.name, code: hex(block.scaleCode, format.scale.bits) };
    setText(scale.detail, outcome.tensorScale === null ? t("blocks.scale_code", args)
      : t("blocks.scale_code_tensor", { ...args, tensor: number(outcome.tensorScale) }));
    setText(bits.figure, String(format.bitsPerElement));
    setText(bits.detail, t("blocks.bits_how", { element: format.element.bits, scale: format.scale.bits, size: format.block[1] }));
  });
  return h("div", { class: "mw-lab-figures" }, lost.root, error.root, scale.root, bits.root);
}

/** A paragraph for each block. */
export function sentencesOf(outcome: Outcome | undefined): HTMLElement[] {
  return outcome ? outcome.blocks.map((_, i) => h("p", {}, ...emphasised(sentences(outcome, i)))) : [];
}

/** The description of the scale rule. */
export function rule({ view, shown }: EditableLab): HTMLElement {
  const element = h("p", { class: "mw-note" });
  view.effect(() => {
    if (!shown.value) return;
    const { lab: { format, rule, values }, outcome } = shown.value;
    const { scale, tensorScale, block: [, size] } = format;
    const value = (code: bigint) => number(toNumber(scale.magnitude(code)));
    const largest = number(outcome.largest);
    const said = [t(`blocks.rule_${rule}`, { largest, scale: scale.name, least: value(scale.smallestNormalCode) })];
    if (tensorScale) said.push(t("blocks.tensor_scale", { most: rule === "FOUR_OVER_SIX" ? "256" : value(scale.maxCode), largest }));
    if (values.length < size) said.push(t("blocks.part", { count: values.length, size }));
    setText(element, joined(said));
  });
  return element;
}

export function elementTable({ view, shown }: EditableLab): HTMLElement {
  const rows = h("tbody");
  const columns = (["element", "value", "result", "code", "error", "relative"] as const).map((name) =>
    h("th", { scope: "col" }, t(`blocks.column_${name}`)));
  const element = h("details", { class: "mw-lab-table" },
    h("summary", {}, t("blocks.all")),
    h("table", {}, h("thead", {}, h("tr", {}, ...columns)), rows));
  const isOpen = openState(element);
  view.effect(() => {
    if (!isOpen.value || !shown.value) return;
    const { bits } = shown.value.lab.format.element;
    rows.replaceChildren(...shown.value.outcome.elements.map((element, i) => h("tr", {},
      h("th", { scope: "row" }, String(i)),
      ...[number(element.value, 7), number(element.result, 7), hex(element.code, bits), number(element.error), percent(element.relative)]
        .map((text) => h("td", {}, text)))));
  });
  return element;
}

/** The active element: a field for its value, the result, and a button that resets all elements. */
export function chosen({ view, shown, change, commit, reset }: EditableLab): HTMLElement {
  const current = () => shown.value!.outcome.elements[shown.value!.active]!;
  const field = bareField({ id: uniqueId("value"), inputmode: "decimal" }, (text) => {
    const value = toFloat32(text.trim());
    if (value === null) return t("blocks.bad_value", { came: text.trim() || t("common.nothing"), kept: number(current().value, 7) });
    change(shown.value!.active, value);
    commit();
    return "";
  });
  const label = h("label", { for: field.element.id, class: "mw-muted" });
  const result = h("span", { class: "mw-lab-result" });
  const element = h("div", { class: "mw-stack-tight" },
    h("div", { class: "mw-row" }, label, field.element, result, button(t("blocks.reset"), reset)), h("div", { class: "mw-error-line" }, field.error));

  view.effect(() => {
    if (!shown.value) return;
    const { lab: { format }, active } = shown.value;
    const now = current();
    setText(label, t("blocks.value_of", { element: active }));
    field.show(number(now.value, 7));
    const words = pieces("blocks.becomes", {
      result: number(now.result, 7), element: format.element.name, code: hex(now.code, format.element.bits),
      error: number(now.error), relative: percent(now.relative),
    });
    result.replaceChildren(...emphasised(words));
  });
  return element;
}

/** A text's value rounded to float32; null for a bit pattern and if the result is not finite. */
function toFloat32(text: string): number | null {
  return readOr(() => {
    const isCode = toExact(text).kind === "pattern";
    const code = encode(float32, text);
    return isCode || !isFinite(float32, code) ? null : decoded([code.toString(16)])[0]!;
  }, null);
}

/** At most `digits` significant digits; −0 keeps its sign. */
export function number(x: number, digits = 4): string {
  return Object.is(x, -0) ? "−0" : withMinus(String(Number(x.toPrecision(digits))));
}

export function percent(share: number): string {
  if (share === 0) return "0 %";
  if (share < 0.0005) return "<0.1 %";
  return share < 0.1 ? `${(100 * share).toFixed(1)} %` : `${Math.round(100 * share)} %`;
}

/** A block's scale, such as "2⁻³"; digits where not every scale is a power of two. */
export function scaleText({ scalesByPowersOfTwo }: Outcome, { unit }: Block): string {
  return scalesByPowersOfTwo ? twoTo(Math.round(Math.log2(unit))) : number(unit);
}

/** A code in hex, padded to its width. */
function hex(code: number, bits: number): string {
  return "0x" + code.toString(16).toUpperCase().padStart(Math.ceil(bits / 4), "0");
}

/** Which element sets a block's scale, the effect on the others, and whether it is clipped itself. */
export function sentences(outcome: Outcome, index: number): Piece[] {
  const block = outcome.blocks[index]!;
  const scale = scaleText(outcome, block);
  const named = outcome.blocks.length > 1;
  const args = { block: index + 1, scale };
  if (block.setter === null) return pieces(named ? "blocks.zeros_block" : "blocks.zeros", args);
  const { kind, value, result } = outcome.elements[block.setter]!;
  if (kind === "lost" && block.scale === 0) return pieces(named ? "blocks.no_scale_block" : "blocks.no_scale", args);
  if (kind === "lost") return pieces(named ? "blocks.tiny_block" : "blocks.tiny", args); // the scale is the smallest there is: no element sets it
  const others = block.members.filter((member) => member !== block.setter && outcome.elements[member]!.kind !== "zero");
  const count = others.filter((member) => outcome.elements[member]!.kind === "lost").length;
  const counted = { others: others.length, count };
  const lost = others.length === 0 ? t("blocks.alone")
    : count === 0 ? t("blocks.none_lost", counted)
    : count === 1 ? t("blocks.one_lost", counted)
    : t("blocks.some_lost", counted);
  const sentence = pieces(named ? "blocks.sets_block" : "blocks.sets", { ...args, element: block.setter, lost });
  if (kind !== "clipped") return sentence;
  const clipped = t("blocks.clipped", {
    element: block.setter, largest: number(outcome.largest), value: number(value), result: number(result),
  });
  return [...sentence, { text: ` ${clipped}`, strong: false }];
}
