// A value rounded to a format: its bits by field, and their meaning.

import { classify, ulp } from "#core/formats/decode.ts";
import { encode, past, roundMagnitude } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { readOr, type Exact } from "#core/formats/parse.ts";
import { floorLog2 } from "#core/formats/rational.ts";
import { button } from "#ui/buttons.ts";
import { binary, figure, twoTo } from "#ui/digits.ts";
import { h, set, setText } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";

/** `grid`: bits that can be flipped, shown instead of the text. */
export function bitsPanel(close: () => void, grid?: HTMLElement) {
  const title = h("p");
  const bits = h("p", { class: "mw-num mw-bits-panel-bits", role: "img" });
  const meaning = h("p");
  const element = h("div", { class: "mw-callout mw-bits-panel" }, h("div", { class: grid && "mw-stack-tight" }, title, grid ?? bits, meaning), button(t("ruler.bits_close"), close));
  /** `format` is signed. A value without a code is shown as NaN or the largest value. */
  const show = (words: string, format: FloatFormat, value: Exact): void => {
    const code = codeOf(format, value);
    setText(title, words);
    setText(bits, binary(format, code));
    set(bits, { "aria-label": spokenBits(format, code) });
    setText(meaning, outcome(format, code, value));
  };
  return { element, show };
}

/** A code's bits for a screen reader: "sign 0, exponent 01111, fraction …". */
export function spokenBits(format: FloatFormat, code: bigint): string {
  const names = [t("ruler.bits_sign"), t("ruler.bits_exponent"), t("ruler.bits_fraction")];
  return listed(binary(format, code).split(" ").map((field, i) => `${names[i]} ${field}`));
}

/** The code that `show` shows for a value. */
export function codeOf(format: FloatFormat, value: Exact): bigint {
  return readOr(() => encode(format, value), past(format, value.negative)); // NaN in a format without one
}

/** The meaning of the bits: "= 0.5 · normal · ulp 2⁻¹¹". */
function outcome(format: FloatFormat, code: bigint, { kind, magnitude }: Exact): string {
  const args = { value: figure(format, code).text, code: format.toHex(code) };
  if (kind !== "finite") return t("ruler.bits_special", args);
  if (roundMagnitude(format, magnitude) > format.maxCode) return t("ruler.bits_overflow", args);
  const floatClass = classify(format, code);
  if (floatClass === "normal" || floatClass === "subnormal") return t("ruler.bits_value", { ...args, kind: t(`ruler.zone_${floatClass}`), ulp: twoTo(floorLog2(ulp(format, code))) });
  return t(magnitude.numerator === 0n ? "ruler.bits_special" : "ruler.bits_flushed", args);
}
