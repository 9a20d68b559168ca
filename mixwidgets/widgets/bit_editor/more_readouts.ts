// What else there is to say of a number: its other notations, its neighbours and their gaps.

import { exact, hexFloat, isFinite, nextDown, nextUp, shortest, toDecimal } from "#core/formats/decode.ts";
import { explain } from "#core/formats/explain.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { subtract } from "#core/formats/rational.ts";
import { h, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { cut, withMinus } from "#ui/digits.ts";
import type { EditedNumber } from "./state.ts";
import { unfolding, type Unfolding } from "./unfold.ts";
import { integerForm, neighbours, signed } from "./words.ts";

const GAP_DIGITS = 12;

export function moreReadouts(): Unfolding {
  return unfolding(t("bits.readouts"), (body) => {
    const table = h("table", { class: "mw-bit-table" }, h("caption", { class: "mw-hidden" }, t("bits.readouts")));
    const cells = new Map<string, HTMLElement>();
    body.append(table);
    return (number) => {
      const rows = readoutsOf(number);
      for (const { name, text } of rows) {
        const cell = cells.get(name) ?? h("td", { class: "mw-num" });
        if (!cells.has(name)) table.append(h("tr", {}, h("th", { scope: "row" }, name), cell));
        cells.set(name, cell);
        setText(cell, text);
      }
    };
  });
}

/** Always the same rows in the same order. */
export function readoutsOf(number: EditedNumber): readonly { name: string; text: string }[] {
  const { fmt, code } = number;
  const finite = isFinite(fmt, code);
  const { significand, power } = integerForm(fmt, code);
  return [
    { name: t("bits.copy_shortest"), text: withMinus(shortest(fmt, code)) },
    { name: t("bits.copy_hex_float"), text: hexFloat(fmt, code) },
    { name: t("bits.integer_form"), text: finite ? `${significand} × 2^${power}` : withMinus(toDecimal(fmt, code)) },
    { name: t("bits.binary_code"), text: binary(fmt, code) },
    { name: t("bits.value_below"), text: beside(fmt, code, nextDown(fmt, code), finite ? neighbours(fmt, code).previous : "") },
    { name: t("bits.value_above"), text: beside(fmt, code, nextUp(fmt, code), finite ? neighbours(fmt, code).next : "") },
    { name: t("bits.error"), text: errors(number) },
  ];
}

/** The bits, with a space between the fields. */
function binary(fmt: FloatFormat, code: bigint): string {
  const bits = code.toString(2).padStart(fmt.bits, "0");
  const [sign, exponent] = [Number(fmt.signed), Number(fmt.signed) + fmt.exponentBits];
  return [bits.slice(0, sign), bits.slice(sign, exponent), bits.slice(exponent)].filter((field) => field).join(" ");
}

function beside(fmt: FloatFormat, code: bigint, other: bigint, value: string): string {
  if (!isFinite(fmt, code)) return "–";
  if (other === code || !isFinite(fmt, other)) return value;
  const gap = subtract(exact(fmt, other), exact(fmt, code));
  return t("bits.with_gap", { value, gap: cut(gap.numerator < 0n ? subtract(exact(fmt, code), exact(fmt, other)) : gap, GAP_DIGITS) });
}

function errors(number: EditedNumber): string {
  if (number.input === "") return t("bits.no_input");
  const { error, relativeError } = explain(number.fmt, number.input, number);
  if (!error) return "–";
  if (error.numerator === 0n) return t("bits.no_error");
  return relativeError ? t("bits.both_errors", { error: signed(error), relative: signed(relativeError) }) : signed(error);
}
