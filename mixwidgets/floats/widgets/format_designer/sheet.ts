// The spec sheet: the properties of a design.

import type { ReadonlySignal } from "@preact/signals-core";
import { exact } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { compare, floorLog2, power, type Rational } from "#core/formats/rational.ts";
import { h } from "#ui/dom.ts";
import { t, type MessageKey } from "#ui/messages.ts";
import { cut, integer, twoTo, withMinus } from "#ui/digits.ts";
import { explained } from "#ui/term.ts";
import type { View } from "#ui/view.ts";
import { finiteValues } from "./counts.ts";
import type { Design } from "./design.ts";

const DIGITS = 10;

/** Names and figures, in the usual order of papers. */
export function figuresOf(fmt: FloatFormat): readonly (readonly [MessageKey, string])[] {
  const smallestNormal = fmt.smallestNormalCode;
  const hasNormal = smallestNormal <= fmt.maxCode;
  const hasSubnormal = fmt.hasZero && fmt.fractionBits > 0;
  return [
    ["designer.bits", t("designer.bits_text", {
      bits: fmt.bits, sign: Number(fmt.signed), exponent: fmt.exponentBits, fraction: fmt.fractionBits })],
    ["designer.precision", String(fmt.precision)],
    ["designer.exponents", hasNormal ? withMinus(`${fmt.emin} … ${fmt.emax}`) : t("designer.none")],
    ["designer.max", amount(exact(fmt, fmt.maxCode))],
    ["designer.smallest_normal", hasNormal ? amount(exact(fmt, smallestNormal)) : t("designer.none")],
    ["designer.smallest_subnormal", hasSubnormal ? amount(exact(fmt, 1n)) : t("designer.none")],
    ["designer.eps", amount(power(2n, -fmt.fractionBits))],
    ["designer.unit_roundoff", amount(power(2n, -fmt.precision))],
    ["designer.threshold", `${fmt.overflowTieStays ? ">" : "≥"} ${amount(fmt.overflowThreshold)}`],
    ["designer.finite", integer(finiteValues(fmt))],
    ["designer.infinity_code", fmt.infCode === null ? t("designer.none") : fmt.toHex(fmt.infCode)],
    ["designer.nan_code", fmt.nanCode === null ? t("designer.none") : fmt.toHex(fmt.nanCode)],
    ["designer.negative_zero", fmt.hasNegativeZero ? fmt.toHex(fmt.signBit) : t("designer.none")],
  ];
}

/** A value in digits; powers of two also as such, unless they are from 1 to 1024. */
export function amount(x: Rational): string {
  const exponent = floorLog2(x);
  const digits = cut(x, DIGITS);
  if (compare(x, power(2n, exponent)) !== 0 || (exponent >= 0 && exponent <= 10)) return digits;
  return digits.includes("…") ? `${twoTo(exponent)} ≈ ${digits.replace("…", "")}` : `${twoTo(exponent)} = ${digits}`;
}

export function specSheet(view: View<Design>, fmt: ReadonlySignal<FloatFormat>): HTMLElement {
  const element = h("dl", { class: "mw-design-sheet" });
  view.effect(() => element.replaceChildren(...figuresOf(fmt.value).map(([key, text]) =>
    h("div", {}, h("dt", {}, ...explained(t(key))), h("dd", { class: "mw-num" }, text)))));
  return element;
}
