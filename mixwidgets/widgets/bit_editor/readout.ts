// The answer at the top: the value large, what it is, and every digit of it.

import { isFinite, toDecimal } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { h, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { figure, withMinus } from "#ui/digits.ts";
import { classLine, integerForm } from "./words.ts";

const ONE_LINE = 64; // digits; more are folded away

export function readout(): {
  figure: HTMLElement;
  details: HTMLElement;
  show(fmt: FloatFormat, code: bigint): void;
} {
  const large = h("div", { class: "mw-figure" });
  const kind = h("p", { class: "mw-muted mw-bit-kind" });
  const integer = h("span", { class: "mw-num" });
  const inline = h("span", { class: "mw-num" });
  const summary = h("summary", {});
  const all = h("p", { class: "mw-num mw-bit-all-digits", tabindex: 0, role: "group", "aria-label": t("bits.all_digits") });
  const folded = h("details", { class: "mw-bit-folded" }, summary, all);
  const exactly = h("div", { class: "mw-bit-exact" }, h("span", { class: "mw-muted" }, t("bits.exactly")), integer, inline, folded);

  const show = (fmt: FloatFormat, code: bigint) => {
    const { text } = figure(fmt, code);
    large.style.setProperty("--chars", String(Math.max([...text].length, 5)));
    setText(large, text);
    setText(kind, classLine(fmt, code));
    const finite = isFinite(fmt, code);
    exactly.classList.toggle("mw-bit-invisible", !finite); // its room stays
    const digits = withMinus(toDecimal(fmt, code));
    const long = finite && digits.length > ONE_LINE;
    folded.hidden = !long;
    if (!finite) return;
    const { significand, power } = integerForm(fmt, code);
    integer.replaceChildren(`${significand} × 2`, h("sup", {}, power));
    setText(inline, long ? "" : `=\u00a0${digits}`);
    if (!long) return;
    setText(summary, t("bits.digits", { count: digits.replace(/^[−0.]+/, "").replace(".", "").length }));
    setText(all, digits);
  };
  return { figure: h("div", { class: "mw-bit-figure" }, large), details: h("div", {}, kind, exactly), show };
}
