// The lab's texts: figures, sentences, one element in full, and all elements as a table.

import { float32 } from "#core/formats/catalogue.ts";
import { isFinite } from "#core/formats/decode.ts";
import { encode } from "#core/formats/encode.ts";
import { readOr, toExact } from "#core/formats/parse.ts";
import { toNumber } from "#core/formats/rational.ts";
import { button } from "#ui/buttons.ts";
import { emphasised, h, setText, uniqueId } from "#ui/dom.ts";
import { bareField } from "#ui/fields.ts";
import { pieces, t, type MessageKey } from "#ui/messages.ts";
import { openState } from "#ui/view.ts";
import type { Outcome } from "./outcome.ts";
import { decoded } from "./lab.ts";
import type { EditableLab } from "./state.ts";
import { hex, number, percent, scaleText, sentences } from "./words.ts";

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
    const { lab: { format }, found, active } = shown.value;
    const index = Math.floor(active / format.blockSize);
    const block = found.blocks[index]!;
    setText(lost.figure, t("blocks.lost_of", { count: found.lost, all: found.elements.length }));
    setText(error.figure, percent(found.relative));
    setText(scale.figure, scaleText(found, block));
    setText(scale.label, found.blocks.length > 1 ? t("blocks.scale_of", { block: index + 1 }) : t("blocks.scale"));
    const args = { value: number(block.scale), format: format.scale.name, code: hex(block.scaleCode, format.scale.bits) };
    setText(scale.detail, found.tensorScale === null ? t("blocks.scale_code", args)
      : t("blocks.scale_code_tensor", { ...args, tensor: number(found.tensorScale) }));
    setText(bits.figure, String(format.bitsPerElement));
    setText(bits.detail, t("blocks.bits_how", { element: format.element.bits, scale: format.scale.bits, size: format.blockSize }));
  });
  return h("div", { class: "mw-lab-figures" }, lost.root, error.root, scale.root, bits.root);
}

/** A paragraph for each block. */
export function sentencesOf(found: Outcome | undefined): HTMLElement[] {
  return found ? found.blocks.map((_, i) => h("p", {}, ...emphasised(sentences(found, i)))) : [];
}

/** The description of the scale rule. */
export function rule({ view, shown }: EditableLab): HTMLElement {
  const element = h("p", { class: "mw-note" });
  view.effect(() => {
    if (!shown.value) return;
    const { lab: { format: { name, scale, tensorScale }, rule }, found } = shown.value;
    const numbers = { largest: number(found.largest), most: number(toNumber(scale.magnitude(scale.maxCode))) };
    setText(element, tensorScale ? t("blocks.own_rule", { format: name, scale: scale.name, ...numbers }) : t(`blocks.rule_${rule}`));
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
    rows.replaceChildren(...shown.value.found.elements.map((one, i) => h("tr", {},
      h("th", { scope: "row" }, String(i)),
      ...[number(one.value, 7), number(one.result, 7), hex(one.code, bits), number(one.error), percent(one.relative)]
        .map((text) => h("td", {}, text)))));
  });
  return element;
}

/** The active element: a field for its value, the result, and a button that resets all elements. */
export function chosen({ view, shown, change, commit, reset }: EditableLab): HTMLElement {
  const current = () => shown.value!.found.elements[shown.value!.active]!;
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
    const one = current();
    setText(label, t("blocks.value_of", { element: active }));
    field.show(number(one.value, 7));
    const words = pieces("blocks.becomes", {
      result: number(one.result, 7), element: format.element.name, code: hex(one.code, format.element.bits),
      error: number(one.error), relative: percent(one.relative),
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
