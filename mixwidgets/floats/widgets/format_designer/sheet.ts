// Every figure of a format, folded away: its spec sheet, how many codes it has of each class, and which formats have its widths.

import type { ReadonlySignal } from "@preact/signals-core";
import { exact } from "#core/formats/decode.ts";
import { past } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { power, rational, type Rational } from "#core/formats/rational.ts";
import { cut, integer, powerIn, twoTo, valueIn, withMinus } from "#ui/digits.ts";
import { h, setText } from "#ui/dom.ts";
import { listed, t, type MessageKey } from "#ui/messages.ts";
import { raised } from "#ui/powers.ts";
import { explained } from "#ui/term.ts";
import { openState, type View } from "#ui/view.ts";
import { CLASSES, countsOf, finiteValues, known, relatives, type Design } from "./design.ts";

const DIGITS = 10; // of a property

export function sheet(view: View<Design>, design: ReadonlySignal<Design>, fmt: ReadonlySignal<FloatFormat>): HTMLElement {
  const figures = h("dl", { class: "mw-design-sheet" });
  const legend = h("ul", { class: "mw-design-legend" });
  const kin = h("p", { class: "mw-muted" });
  const element = h("details", { class: "mw-unfolding mw-design-every" }, h("summary", {}, t("designer.every")), figures, legend, kin);
  const isOpen = openState(element);
  view.effect(() => {
    if (!isOpen.value) return;
    figures.replaceChildren(...figuresOf(fmt.value).map(([key, text]) =>
      h("div", {}, h("dt", {}, ...explained(t(key))), h("dd", { class: "mw-num" }, ...raised(text)))));
    const others = listed(relatives(design.value).filter((other) => other !== known(design.value)).map(({ name }) => name));
    setText(kin, others && t("designer.relatives", { names: others }));
    const counts = countsOf(fmt.value);
    const all = 1n << BigInt(fmt.value.bits);
    legend.replaceChildren(...CLASSES.filter((kind) => counts[kind] > 0n).map((kind) => h("li", {},
      h("span", { class: `mw-design-swatch mw-design-${kind}`, "aria-hidden": "true" }, t(`designer.letter_${kind}`)),
      t("designer.class_count", { kind: t(`designer.class_${kind}`), count: integer(counts[kind]), share: shareOf(counts[kind], all) }))));
  });
  return element;
}

/** Names and figures, in the usual order of papers. */
export function figuresOf(fmt: FloatFormat): readonly (readonly [MessageKey, string])[] {
  const smallestNormal = fmt.smallestNormalCode;
  const hasNormal = smallestNormal <= fmt.maxCode;
  return [
    ["designer.bits", t("designer.bits_text", {
      bits: fmt.bits, sign: Number(fmt.signed), exponent: fmt.exponentBits, fraction: fmt.fractionBits })],
    ["designer.precision", String(fmt.precision)],
    ["designer.exponents", hasNormal ? withMinus(`${fmt.emin} … ${fmt.emax}`) : t("designer.none")],
    ["designer.max", amount(exact(fmt, fmt.maxCode))],
    ["designer.smallest_normal", hasNormal ? amount(exact(fmt, smallestNormal)) : t("designer.none")],
    ["designer.smallest_subnormal", fmt.hasSubnormals ? amount(exact(fmt, 1n)) : t("designer.none")],
    ["designer.eps", amount(power(2n, -fmt.fractionBits))],
    ["designer.unit_roundoff", amount(power(2n, -fmt.precision))],
    ["designer.threshold", `${fmt.overflowTieStays ? ">" : "≥"} ${amount(fmt.overflowThreshold)} → ${valueIn(fmt, past(fmt, false), DIGITS)}`],
    ["designer.finite", integer(finiteValues(fmt))],
    ["designer.zero", fmt.hasZero ? fmt.toHex(0n) : t("designer.none")],
    ["designer.infinity_code", fmt.infCode === null ? t("designer.none") : fmt.toHex(fmt.infCode)],
    ["designer.nan_code", fmt.nanCode === null ? t("designer.none") : fmt.toHex(fmt.nanCode)],
    ["designer.negative_zero", fmt.hasNegativeZero ? fmt.toHex(fmt.signBit) : t("designer.none")],
  ];
}

/** A value in digits; powers of two also as such, unless they are from 1 to 1024. */
export function amount(x: Rational): string {
  const exponent = powerIn(x);
  const digits = cut(x, DIGITS);
  if (exponent === null) return digits;
  return digits.includes("…") ? `${twoTo(exponent)} ≈ ${digits.replace("…", "")}` : `${twoTo(exponent)} = ${digits}`;
}

function shareOf(part: bigint, all: bigint): string {
  const percent = (2000n * part + all) / (2n * all); // in tenths
  return percent === 0n ? t("designer.tiny") : `${cut(rational(percent, 10n), 4)} %`;
}
