// The two tables below the card, which are computed only while they are open.

import type { ReadonlySignal } from "@preact/signals-core";
import { formats } from "#core/formats/catalogue.ts";
import { exact, hexFloat, isFinite, nextDown, nextUp, shortest, toDecimal } from "#core/formats/decode.ts";
import { explain } from "#core/formats/explain.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { InputError } from "#core/formats/parse.ts";
import { magnitudeOf, subtract } from "#core/formats/rational.ts";
import { button } from "#ui/buttons.ts";
import { binary, cut, figure, withMinus } from "#ui/digits.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { openState, type View } from "#ui/view.ts";
import { exactInput, type EditedNumber, type State } from "./state.ts";
import { integerForm, neighbours, signed } from "./words.ts";

const GAP_DIGITS = 12;
const RELATIVE_DIGITS = 3;

/** A disclosure whose content `build` makes at the first opening; what `build` returns runs for each number while open. */
function disclosure(
  view: View<State>, number: ReadonlySignal<EditedNumber>, title: string, build: (body: HTMLElement) => (number: EditedNumber) => void,
): HTMLElement {
  const element = h("details", { class: "mw-unfolding" }, h("summary", {}, title));
  const isOpen = openState(element);
  let fill: ((number: EditedNumber) => void) | undefined;
  view.effect(() => {
    if (isOpen.value) (fill ??= build(element))(number.value);
  });
  return element;
}

/** Other notations of the number, its neighbours and their gaps. */
export function moreReadouts(view: View<State>, number: ReadonlySignal<EditedNumber>): HTMLElement {
  return disclosure(view, number, t("bits.readouts"), (body) => {
    const rows = readoutsOf(number.value).map(({ name }) => ({ name, cell: h("td", { class: "mw-num" }) }));
    body.append(
      h("table", { class: "mw-bit-table" },
        h("caption", { class: "mw-hidden" }, t("bits.readouts")),
        ...rows.map(({ name, cell }) => h("tr", {}, h("th", { scope: "row" }, name), cell))),
    );
    return (shown) => readoutsOf(shown).forEach(({ text }, i) => setText(rows[i]!.cell, text));
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
    { name: t("bits.integer_form"), text: finite ? `${significand} × 2^${withMinus(String(power))}` : withMinus(toDecimal(fmt, code)) },
    { name: t("bits.binary_code"), text: binary(fmt, code) },
    { name: t("bits.value_below"), text: beside(fmt, code, nextDown(fmt, code), finite ? neighbours(fmt, code).previous : "") },
    { name: t("bits.value_above"), text: beside(fmt, code, nextUp(fmt, code), finite ? neighbours(fmt, code).next : "") },
    { name: t("bits.error"), text: errors(number) },
  ];
}

function beside(fmt: FloatFormat, code: bigint, other: bigint, value: string): string {
  if (!isFinite(fmt, code)) return "–";
  if (other === code || !isFinite(fmt, other)) return value;
  const gap = magnitudeOf(subtract(exact(fmt, other), exact(fmt, code)));
  return t("bits.with_gap", { value, gap: cut(gap, GAP_DIGITS) });
}

function errors(number: EditedNumber): string {
  if (number.input === "") return t("bits.no_input");
  const { error, relativeError } = explain(number.fmt, number.input, number);
  if (!error) return "–";
  if (error.numerator === 0n) return t("bits.no_error");
  return relativeError ? t("bits.both_errors", { error: signed(error), relative: signed(relativeError) }) : signed(error);
}

const CELLS = ["code", "value", "error", "relative"] as const;

/** The same value in every format, side by side. */
export function everyFormat(view: View<State>, number: ReadonlySignal<EditedNumber>, choose: (fmt: FloatFormat) => void): HTMLElement {
  return disclosure(view, number, t("bits.everywhere"), (body) => {
    const columns = (["format", ...CELLS] as const).map((name) =>
      h("th", { scope: "col", class: `mw-bit-${name}-column` }, t(`bits.column_${name}`)),
    );
    const rows = formats.map((fmt) => {
      const choosing = button(fmt.name, () => choose(fmt));
      const cells = CELLS.map((name) => h("td", { class: `mw-num mw-bit-${name}-column` }));
      const element = h("tr", {}, h("th", { scope: "row" }, choosing), ...cells);
      return { fmt, choosing, cells, element };
    });
    body.append(
      h("table", { class: "mw-bit-table mw-bit-everywhere" },
        h("caption", { class: "mw-hidden" }, t("bits.everywhere")),
        h("thead", {}, h("tr", {}, ...columns)),
        h("tbody", {}, ...rows.map(({ element }) => element))),
    );
    return (shown) => {
      for (const { fmt, choosing, cells } of rows) {
        const row = rowOf(fmt, shown);
        set(choosing, { "aria-current": fmt === shown.fmt ? "true" : undefined });
        CELLS.forEach((name, i) => setText(cells[i]!, row[name]));
      }
    };
  });
}

/** The last exact input, or the value of the bits, as a format would hold it under the same rounding and overflow. */
export function rowOf(fmt: FloatFormat, number: EditedNumber): Record<(typeof CELLS)[number], string> {
  try {
    const { code, error, relativeError } = explain(fmt, exactInput(number), number);
    const isExact = error?.numerator === 0n;
    return {
      code: fmt.toHex(code),
      value: figure(fmt, code).text,
      error: !error ? "–" : isExact ? t("bits.no_error") : signed(error),
      relative: !relativeError || isExact ? "–" : cut(magnitudeOf(relativeError), RELATIVE_DIGITS),
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { code: "–", value: t(error.key, error.args), error: "–", relative: "–" };
  }
}
