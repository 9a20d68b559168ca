// (−1)^S × 2^E × (1 + F) with this code's numbers filled in, each part lettered and coloured by its field.

import { classify, fields, isFinite } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { figure, withMinus } from "#ui/digits.ts";

export function formula(): { element: HTMLElement; show(fmt: FloatFormat, code: bigint): void } {
  const element = h("p", { class: "mw-bit-formula mw-num", role: "math" });
  const show = (fmt: FloatFormat, code: bigint) => {
    const parts = partsOf(fmt, code);
    element.setAttribute("aria-label", parts.map(({ text, power }) => text + (power === undefined ? "" : `^${power}`)).join(" "));
    element.replaceChildren(
      ...parts.map(({ text, power, field }) =>
        h(
          "span",
          { class: field ? `mw-bit-term mw-bit-${field}` : "mw-bit-term" },
          h("span", {}, text, power === undefined ? null : h("sup", {}, power)),
          h("span", { class: "mw-bit-letter" }, field ? { sign: "S", exponent: "E", fraction: "F" }[field] : ""),
        ),
      ),
    );
  };
  return { element, show };
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
