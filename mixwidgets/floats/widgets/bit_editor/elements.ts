// The elements of a tensor, one after the other; the next one of a class is found without the kernel.

import type { AnyModel } from "@anywidget/types";
import type { ReadonlySignal } from "@preact/signals-core";
import { getFormat } from "#core/formats/catalogue.ts";
import { classify, toDecimal, type FloatClass } from "#core/formats/decode.ts";
import { readOr, wholeIn } from "#core/formats/parse.ts";
import { readFrame } from "#core/frame.ts";
import { clamp } from "#core/range.ts";
import { button } from "#ui/buttons.ts";
import { labelled } from "#ui/choices.ts";
import { integer } from "#ui/digits.ts";
import { h, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { bareField } from "#ui/fields.ts";
import { typed, withCode, type EditedNumber, type State } from "./state.ts";

const WANTED = ["subnormal", "infinity", "nan"] as const;

export type Elements = NonNullable<ReturnType<typeof elementsOf>>;

/** What `BitEditor.from_tensor` sends, once: the first `count` of a tensor's `total` elements. Null where the model has none,
 * or none that can be read. */
export function elementsOf(model: AnyModel<State>) {
  const sent: unknown = model.get("_elements");
  if (!(sent instanceof DataView) || sent.byteLength === 0) return null;
  const { head, arrays } = readFrame(sent);
  const fmt = getFormat(head.format);
  const { values } = arrays.get("codes")!;
  const total: number = head.total;
  return fmt ? { fmt, count: values.length, total, code: (index: number) => BigInt(values[index]!) } : null;
}

/** The index of the next element of a class after `from`, going round; undefined where there is none. */
export function nextOf({ fmt, count, code }: Elements, from: number, kind: FloatClass): number | undefined {
  for (let step = 1; step <= count; step += 1) {
    const index = (from + step) % count;
    if (classify(fmt, code(index)) === kind) return index;
  }
  return undefined;
}

/** An element rounded to the current format; its own bits where that is the tensor's format or has no such value. */
export function elementIn(elements: Elements, index: number, number: EditedNumber): EditedNumber {
  const own = { ...number, fmt: elements.fmt };
  const code = elements.code(index);
  if (number.fmt === elements.fmt) return withCode(own, code);
  return readOr(() => typed(number, toDecimal(elements.fmt, code)), withCode(own, code));
}

/** The row that steps through the elements. */
export function elementStepper(elements: Elements, number: ReadonlySignal<EditedNumber>, edit: (next: EditedNumber) => void): HTMLElement {
  const last = elements.count - 1;
  let index = 0;
  const missing = h("span", { class: "mw-note", role: "status" });
  const go = (to: number) => {
    index = clamp(to, 0, last);
    setText(missing, "");
    field.show(String(index));
    edit(elementIn(elements, index, number.value));
  };
  const field = bareField({ inputmode: "numeric", class: "mw-bit-index", maxlength: 15 }, (text) => {
    const wanted = wholeIn(text, 0, last);
    if (wanted === null) return t("grid.field_range", { last, came: text.trim() });
    go(wanted);
    return "";
  });
  field.show("0");
  const find = (kind: FloatClass) => {
    const next = nextOf(elements, index, kind);
    if (next === undefined) setText(missing, t("bits.none_of_class", { kind: t(`bits.find_${kind as (typeof WANTED)[number]}`) }));
    else go(next);
  };
  const { count, total } = elements;
  const size = t(count < total ? "bits.elements_first" : "bits.elements_all", {
    count: integer(count), total: integer(total), format: elements.fmt.name,
  });
  return h(
    "div",
    { class: "mw-bit-elements", role: "group", "aria-label": t("bits.elements") },
    h(
      "div",
      { class: "mw-row" },
      button("◀", () => go(index - 1), { "aria-label": t("bits.previous_element") }),
      labelled(t("bits.element"), field.element, field.error),
      button("▶", () => go(index + 1), { "aria-label": t("bits.next_element") }),
      h("span", { class: "mw-muted" }, size),
      h("span", { class: "mw-muted" }, t("bits.find")),
      ...WANTED.map((kind) => {
        const name = t(`bits.find_${kind}`);
        return button(name, () => find(kind), { "aria-label": t("bits.find_next", { kind: name }) });
      }),
      missing,
    ),
  );
}
