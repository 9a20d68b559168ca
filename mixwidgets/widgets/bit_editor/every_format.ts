// The same value in every format, side by side.

import { formats } from "#core/formats/catalogue.ts";
import { explain } from "#core/formats/explain.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { InputError } from "#core/formats/parse.ts";
import { magnitudeOf } from "#core/formats/rational.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { cut, figure } from "#ui/digits.ts";
import { exactInput, type EditedNumber } from "./state.ts";
import { unfolding, type Unfolding } from "./unfold.ts";
import { signed } from "./words.ts";

const RELATIVE_DIGITS = 3;

export interface Row {
  readonly code: string;
  readonly value: string;
  readonly error: string;
  readonly relative: string;
}

export function everyFormat(choose: (fmt: FloatFormat) => void): Unfolding {
  return unfolding(t("bits.everywhere"), (body) => {
    const columns = (["format", "code", "value", "error", "relative"] as const).map((name) =>
      h("th", { scope: "col", class: `mw-bit-${name}-column` }, t(`bits.column_${name}`)),
    );
    const rows = formats.map((fmt) => {
      const button = h("button", { type: "button" }, fmt.name);
      button.addEventListener("click", () => choose(fmt));
      const cells = {
        code: h("td", { class: "mw-num mw-bit-code-column" }),
        value: h("td", { class: "mw-num" }),
        error: h("td", { class: "mw-num" }),
        relative: h("td", { class: "mw-num mw-bit-relative-column" }),
      };
      const element = h("tr", {}, h("th", { scope: "row" }, button), cells.code, cells.value, cells.error, cells.relative);
      return { fmt, button, cells, element };
    });
    body.append(
      h(
        "table",
        { class: "mw-bit-table mw-bit-everywhere" },
        h("caption", { class: "mw-hidden" }, t("bits.everywhere")),
        h("thead", {}, h("tr", {}, ...columns)),
        h("tbody", {}, ...rows.map(({ element }) => element)),
      ),
    );
    return (number) => {
      for (const { fmt, button, cells } of rows) {
        const row = rowOf(fmt, number);
        set(button, { "aria-current": fmt === number.fmt ? "true" : undefined });
        for (const name of ["code", "value", "error", "relative"] as const) setText(cells[name], row[name]);
      }
    };
  });
}

/** The last exact input, or the value of the bits, as a format would hold it under the same rounding and overflow. */
export function rowOf(fmt: FloatFormat, number: EditedNumber): Row {
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
