// The answer first, in large; the sentences; one element in full; and all of them as a table.

import { toDouble } from "#core/blocks/numbers.ts";
import { emphasised, h, set, setText, uniqueId } from "#ui/dom.ts";
import { pieces, t, type MessageKey } from "#ui/messages.ts";
import type { Outcome } from "./outcome.ts";
import type { Lab } from "./state.ts";
import { hex, number, percent, ruleNote, scaleText, sentences } from "./words.ts";

export interface Readout {
  readonly figures: HTMLElement;
  readonly callout: HTMLElement;
  readonly rule: HTMLElement;
  readonly table: HTMLElement;
  draw(lab: Lab, found: Outcome, active: number): void;
  /** What a screen reader is told when a drag has ended. */
  words(): string;
}

export function readout(): Readout {
  const box = (name: MessageKey) => {
    const figure = h("div", { class: "mw-figure" });
    const label = h("div", {}, t(name));
    const detail = h("div", { class: "mw-num mw-muted mw-lab-detail" });
    return { figure, label, detail, root: h("div", {}, figure, label, detail) };
  };
  const lost = box("blocks.lost");
  const error = box("blocks.error");
  const scale = box("blocks.scale");
  const bits = box("blocks.bits");
  setText(error.detail, t("blocks.error_how"));
  const figures = h("div", { class: "mw-lab-figures" }, lost.root, error.root, scale.root, bits.root);
  const callout = h("div", { class: "mw-callout mw-lab-said" });
  const rule = h("p", { class: "mw-note" });
  const rows = h("tbody");
  const columns = (["element", "value", "result", "code", "error", "relative"] as const).map((name) =>
    h("th", { scope: "col" }, t(`blocks.column_${name}`)));
  const table = h("details", { class: "mw-lab-table" },
    h("summary", {}, t("blocks.all")),
    h("table", {}, h("thead", {}, h("tr", {}, ...columns)), rows));
  let list = () => {};
  table.addEventListener("toggle", () => list());

  function draw(lab: Lab, found: Outcome, active: number): void {
    const { format } = lab;
    const index = Math.floor(active / format.blockSize);
    const block = found.blocks[index]!;
    setText(lost.figure, t("blocks.lost_of", { count: found.lost, all: found.elements.length }));
    setText(error.figure, percent(found.relative));
    setText(scale.figure, scaleText(found, block));
    setText(scale.label, found.blocks.length > 1 ? t("blocks.scale_of", { block: index + 1 }) : t("blocks.scale"));
    const code = hex(block.scaleCode, format.scale.bits);
    const args = { value: number(block.scale), format: format.scale.name, code };
    setText(scale.detail, found.tensorScale === null ? t("blocks.scale_code", args)
      : t("blocks.scale_code_tensor", { ...args, tensor: number(found.tensorScale) }));
    setText(bits.figure, String(format.bitsPerElement));
    setText(bits.detail, t("blocks.bits_how", { element: format.element.bits, scale: format.scale.bits, size: format.blockSize }));
    callout.replaceChildren(...found.blocks.map((_, i) =>
      h("p", {}, ...emphasised(sentences(found, i)))));
    const most = toDouble(format.scale.magnitude(format.scale.maxCode));
    setText(rule, ruleNote(format, lab.rule, found.largest, most));
    list = () => {
      if (!table.open) return;
      rows.replaceChildren(...found.elements.map((one, i) => h("tr", {},
        h("th", { scope: "row" }, String(i)),
        ...[number(one.value, 7), number(one.result, 7), hex(one.code, format.element.bits), number(one.error), percent(one.relative)]
          .map((text) => h("td", {}, text)))));
    };
    list();
  }
  return { figures, callout, rule, table, draw, words: () => callout.textContent ?? "" };
}

export interface Chosen {
  readonly element: HTMLElement;
  draw(lab: Lab, found: Outcome, active: number): void;
}

/** The chosen element: its value to type, what is stored, and the way back. */
export function chosen(type: (value: number) => void, reset: () => void): Chosen {
  const errorId = uniqueId("error");
  const field = h("input", { type: "text", id: uniqueId("value"), inputmode: "decimal", spellcheck: "false", "aria-describedby": errorId });
  const label = h("label", { for: field.id, class: "mw-muted" });
  const result = h("span", { class: "mw-lab-result" });
  const back = h("button", { type: "button" }, t("blocks.reset"));
  const error = h("p", { class: "mw-error", id: errorId, role: "alert" });
  const element = h("div", { class: "mw-stack-tight" },
    h("div", { class: "mw-row" }, label, field, result, back), error);
  let shown = 0;

  back.addEventListener("click", reset);
  field.addEventListener("change", () => {
    const text = field.value.trim().replaceAll("−", "-");
    const value = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i.test(text) ? Math.fround(Number(text)) : Number.NaN;
    if (Number.isFinite(value)) return type(value);
    setText(error, t("blocks.bad_value", { came: text || t("blocks.nothing"), kept: number(shown, 7) }));
    set(field, { "aria-invalid": "true" });
  });

  function draw({ format }: Lab, found: Outcome, active: number): void {
    const one = found.elements[active]!;
    shown = one.value;
    setText(label, t("blocks.value_of", { element: active }));
    setText(error, "");
    set(field, { "aria-invalid": undefined });
    field.value = number(one.value, 7);
    const words = pieces("blocks.becomes", {
      result: number(one.result, 7), element: format.element.name, code: hex(one.code, format.element.bits),
      error: number(one.error), relative: percent(one.relative),
    });
    result.replaceChildren(...emphasised(words));
  }
  return { element, draw };
}
