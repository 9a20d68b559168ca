// The answer: the value large, what it is, every digit of it, and the formula that it follows from.

import type { ReadonlySignal } from "@preact/signals-core";
import { classify, fields, isFinite, toDecimal } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { figure, withMinus } from "#ui/digits.ts";
import { explained } from "#ui/term.ts";
import type { View } from "#ui/view.ts";
import type { EditedNumber, State } from "./state.ts";
import { classLine, integerForm } from "./words.ts";

const ONE_LINE = 64; // digits; more are folded away

export function readout(view: View<State>, number: ReadonlySignal<EditedNumber>): { figure: HTMLElement; details: HTMLElement } {
  const large = h("div", { class: "mw-figure" });
  const kind = h("p", { class: "mw-muted mw-bit-kind" });
  const integer = h("span", { class: "mw-num" });
  const inline = h("span", { class: "mw-num" });
  const summary = h("summary", {});
  const all = h("p", { class: "mw-num mw-bit-all-digits", tabindex: 0, role: "group", "aria-label": t("bits.all_digits") });
  const folded = h("details", { class: "mw-bit-folded" }, summary, all);
  const exactly = h("div", { class: "mw-bit-exact" }, h("span", { class: "mw-muted" }, t("bits.exactly")), integer, inline, folded);

  let said = "";
  view.effect(() => {
    const { fmt, code } = number.value;
    const { text } = figure(fmt, code);
    large.style.setProperty("--chars", String(Math.max([...text].length, 5)));
    setText(large, text);
    const line = classLine(fmt, code);
    if (line !== said) kind.replaceChildren(...explained((said = line)));
    const finite = isFinite(fmt, code);
    exactly.classList.toggle("mw-bit-invisible", !finite); // its room stays
    const digits = withMinus(toDecimal(fmt, code));
    const long = finite && digits.length > ONE_LINE;
    folded.hidden = !long;
    if (!finite) return;
    const { significand, power } = integerForm(fmt, code);
    integer.replaceChildren(h("span", {}, `${significand} × 2`), h("sup", {}, power));
    setText(inline, long ? "" : `=\u00a0${digits}`);
    if (!long) return;
    setText(summary, t("bits.digits", { count: digits.replace(/^[−0.]+/, "").replace(".", "").length }));
    setText(all, digits);
  });
  return { figure: h("div", { class: "mw-bit-figure" }, large), details: h("div", {}, kind, exactly) };
}

/** (−1)^S × 2^E × (1 + F) with this code's numbers, each part with the letter and colour of its field. */
export function formula(view: View<State>, number: ReadonlySignal<EditedNumber>): HTMLElement {
  const element = h("p", { class: "mw-bit-formula mw-num", role: "math" });
  view.effect(() => {
    const parts = partsOf(number.value.fmt, number.value.code);
    set(element, { "aria-label": parts.map(({ text, power }) => text + (power === undefined ? "" : `^${power}`)).join(" ") });
    element.replaceChildren(
      ...parts.map(({ text, power, field }) =>
        h("span", { class: field ? `mw-bit-term mw-bit-${field}` : "mw-bit-term" },
          h("span", {}, text, power === undefined ? null : h("sup", {}, power)),
          h("span", { class: "mw-bit-letter" }, field ? { sign: "S", exponent: "E", fraction: "F" }[field] : "")),
      ),
    );
  });
  return element;
}

interface Part {
  readonly text: string;
  readonly power?: string;
  readonly field?: "sign" | "exponent" | "fraction";
}

function partsOf(fmt: FloatFormat, code: bigint): readonly Part[] {
  const { sign, biasedExponent, fraction } = fields(fmt, code);
  const { text, isExact } = figure(fmt, code);
  const times: Part = { text: "×" };
  const signParts: Part[] = fmt.signed ? [{ text: sign ? "(−1)" : "(+1)", field: "sign" }, times] : [];
  const kind = classify(fmt, code);
  if (kind === "infinity" && fmt.infinity === "ieee") return [...signParts, { text: "∞" }, { text: "=" }, { text }];
  if (kind === "nan" && fmt.nan === "ieee") {
    return [
      { text: t("bits.formula_ones"), field: "exponent" },
      { text: t("bits.formula_and") },
      { text: `${fraction} ≠ 0`, field: "fraction" },
      { text: "=" },
      { text },
    ];
  }
  if (!isFinite(fmt, code)) return [{ text: fmt.toHex(code) }, { text: "=" }, { text }];
  const lead = fmt.hasZero && biasedExponent === 0 ? 0 : 1;
  const unit = 1n << BigInt(fmt.fractionBits);
  const significand: Part[] = fmt.fractionBits ? [times, { text: `(${lead} + ${fraction}/${unit})`, field: "fraction" }] : [];
  if (!fmt.fractionBits && lead === 0) significand.push(times, { text: "0" });
  return [
    ...signParts,
    { text: "2", power: withMinus(String(fmt.exponentOf(biasedExponent))), field: "exponent" },
    ...significand,
    { text: isExact ? "=" : "≈" },
    { text },
  ];
}
