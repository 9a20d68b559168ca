// A value rounded to a format: its bits by field, and their meaning.

import { classify, fields, isNegative, ulp } from "#core/formats/decode.ts";
import { beyond, roundMagnitude, withSign } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import type { Exact } from "#core/formats/parse.ts";
import { floorLog2 } from "#core/formats/rational.ts";
import { button } from "#ui/buttons.ts";
import { figure } from "#ui/digits.ts";
import { h, set, setText } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { power } from "./words.ts";

export interface BitsPanel {
  readonly element: HTMLElement;
  /** `format` is signed. A value without a code is shown as NaN or the largest value. */
  show(title: string, format: FloatFormat, value: Exact): void;
}

/** `grid`: bits that can be flipped, shown instead of the text. */
export function bitsPanel(close: () => void, grid?: HTMLElement): BitsPanel {
  const title = h("p");
  const bits = h("p", { class: "mw-num mw-bits-panel-bits", role: "img" });
  const said = h("p");
  const element = h("div", { class: "mw-callout mw-bits-panel" }, h("div", { class: grid && "mw-stack-tight" }, title, grid ?? bits, said), button(t("ruler.bits_close"), close));
  const show = (words: string, format: FloatFormat, value: Exact): void => {
    const code = codeOf(format, value);
    const parts = fieldsInBits(format, code);
    setText(title, words);
    setText(bits, parts.map(({ digits }) => digits).join(" "));
    set(bits, { "aria-label": listed(parts.map(({ name, digits }) => `${name} ${digits}`)) });
    setText(said, outcome(format, code, value));
  };
  return { element, show };
}

/** The code that `show` shows for a value. */
export function codeOf(format: FloatFormat, { kind, negative, magnitude }: Exact): bigint {
  if (kind === "nan") return format.nanCode ?? beyond(format, negative);
  const code = kind === "finite" ? roundMagnitude(format, magnitude) : format.maxCode + 1n;
  return code > format.maxCode ? beyond(format, negative) : withSign(format, code, negative);
}

/** The fields of the format and their bits as text, without empty fields. */
function fieldsInBits(format: FloatFormat, code: bigint): { name: string; digits: string }[] {
  const { biasedExponent, fraction } = fields(format, code);
  const padded = (of: number | bigint, width: number) => of.toString(2).padStart(width, "0");
  return [
    { name: t("ruler.bits_sign"), digits: isNegative(format, code) ? "1" : "0" },
    { name: t("ruler.bits_exponent"), digits: format.exponentBits ? padded(biasedExponent, format.exponentBits) : "" },
    { name: t("ruler.bits_fraction"), digits: format.fractionBits ? padded(fraction, format.fractionBits) : "" },
  ].filter(({ digits }) => digits !== "");
}

/** The meaning of the bits: "= 0.5 · normal · ulp 2⁻¹¹". */
function outcome(format: FloatFormat, code: bigint, { kind, magnitude }: Exact): string {
  const args = { value: figure(format, code).text, code: format.toHex(code) };
  if (kind !== "finite") return t("ruler.bits_special", args);
  if (roundMagnitude(format, magnitude) > format.maxCode) return t("ruler.bits_overflow", args);
  const found = classify(format, code);
  if (found === "normal" || found === "subnormal") return t("ruler.bits_value", { ...args, kind: t(`ruler.zone_${found}`), ulp: power(floorLog2(ulp(format, code))) });
  return t(magnitude.numerator === 0n ? "ruler.bits_special" : "ruler.bits_flushed", args);
}
