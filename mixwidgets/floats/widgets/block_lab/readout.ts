// The lab's figures, the field of the chosen element, and all elements as a table.

import { computed } from "@preact/signals-core";
import { float32 } from "#core/formats/catalogue.ts";
import { isFinite } from "#core/formats/decode.ts";
import { encode } from "#core/formats/encode.ts";
import { readOr, toExact } from "#core/formats/parse.ts";
import { button } from "#ui/buttons.ts";
import { emphasised, h, set, setText, uniqueId } from "#ui/dom.ts";
import { bareField } from "#ui/fields.ts";
import { pieces, t, type MessageKey } from "#ui/messages.ts";
import { openState } from "#ui/view.ts";
import { decoded, type EditableLab } from "./state.ts";
import { blockText, elementName, hex, number, percent } from "./words.ts";

/** The large figures; of a matrix, each with that of blocks of another shape. While a rotation is shown, its charts have theirs. */
export function figures({ view, shown, kin }: EditableLab): HTMLElement {
  const box = (name: MessageKey) => {
    const figure = h("div", { class: "mw-figure" });
    const detail = h("div", { class: "mw-muted mw-lab-detail" });
    return { figure, detail, root: h("div", {}, figure, h("div", {}, t(name)), detail) };
  };
  const [lost, error, bits] = [box("blocks.lost"), box("blocks.error"), box("blocks.bits")];
  const element = h("div", { class: "mw-lab-figures" }, lost.root, error.root, bits.root);
  view.effect(() => {
    if (!shown.value) return;
    const { lab: { format, values, columns }, outcome, rotated } = shown.value;
    setText(lost.figure, t("blocks.lost_of", { count: outcome.lost, all: outcome.all }));
    setText(error.figure, percent(outcome.relative));
    setText(bits.figure, number(format.bitsPerElement, 3));
    const other = values.length > columns ? kin.value[0] : undefined;
    const besides = (figure: string) => (other ? t("common.named", { name: blockText(other.format), what: figure }) : "");
    setText(lost.detail, other ? besides(String(other.lost)) : "");
    setText(error.detail, other ? besides(percent(other.relative)) : t("blocks.error_how"));
    setText(bits.detail, other ? besides(number(other.format.bitsPerElement, 3))
      : t("blocks.bits_how", { element: format.element.bits, scale: format.scale.bits, size: format.block[0] * format.block[1] }));
    set(element, { hidden: rotated !== null });
  });
  return element;
}

export function elementTable({ view, atRest }: EditableLab): HTMLElement {
  const rows = h("tbody");
  const columns = (["element", "value", "result", "code", "error", "relative"] as const).map((name) =>
    h("th", { scope: "col" }, t(`blocks.column_${name}`)));
  const element = h("details", { class: "mw-unfolding mw-lab-fold mw-lab-table" },
    h("summary", {}, t("blocks.all")),
    h("div", { tabindex: 0, role: "region", "aria-label": t("blocks.all") }, h("table", {}, h("thead", {}, h("tr", {}, ...columns)), rows)));
  const isOpen = openState(element);
  const drawn = computed(() => (isOpen.value ? atRest.value : null)); // a long table does not follow a hand
  view.effect(() => {
    if (!drawn.value) return;
    const { outcome: { elements, format, all }, lab: { columns } } = drawn.value;
    rows.replaceChildren(...elements.map((element, i) => h("tr", {},
      h("th", { scope: "row" }, all === columns ? String(i) : `${Math.floor(i / columns)}, ${i % columns}`),
      ...[number(element.value, 7), number(element.result, 7), hex(element.code, format.element.bits), number(element.error), percent(element.relative)]
        .map((text) => h("td", {}, text)))));
  });
  return element;
}

/** The active element: a field for its value, and a button that resets all elements; and what becomes of it, apart. */
export function chosen({ view, shown, change, commit, reset }: EditableLab) {
  const current = () => shown.value!.outcome.elements[shown.value!.active]!;
  const field = bareField({ id: uniqueId("value"), inputmode: "decimal" }, (text) => {
    const value = toFloat32(text.trim());
    if (value === null) return t("blocks.bad_value", { came: text.trim() || t("common.nothing"), kept: number(current().value, 7) });
    change(shown.value!.active, value);
    commit();
    return "";
  });
  const label = h("label", { for: field.element.id, class: "mw-muted" });
  const result = h("p", { class: "mw-lab-result" });
  const control = h("div", { class: "mw-lab-control mw-entry" }, label, h("div", { class: "mw-row" }, field.element, button(t("blocks.reset"), reset)), field.error);

  view.effect(() => {
    if (!shown.value) return;
    const { lab, active } = shown.value;
    const now = current();
    setText(label, t("blocks.value_of", { element: elementName(lab, active) }));
    field.show(number(now.value, 7));
    const words = pieces("blocks.becomes", {
      result: number(now.result, 7), element: lab.format.element.name, code: hex(now.code, lab.format.element.bits),
      error: number(now.error), relative: percent(now.relative),
    });
    result.replaceChildren(...emphasised(words));
  });
  return { control, outcome: result };
}

/** A text's value rounded to float32; null for a bit pattern and if the result is not finite. */
function toFloat32(text: string): number | null {
  return readOr(() => {
    const exact = toExact(text);
    const code = encode(float32, exact);
    return exact.kind === "pattern" || !isFinite(float32, code) ? null : decoded([code.toString(16)])[0]!;
  }, null);
}
