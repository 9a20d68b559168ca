// Every format: the five most used as chips, the others in a list beside them, and why one was refused below.

import { formats, getFormat } from "../../formats/catalogue.ts";
import type { FloatFormat } from "../../formats/float_format.ts";
import { chips } from "../../ui/card.ts";
import { h, setText } from "../../ui/dom.ts";
import { t } from "../../ui/messages.ts";

const USUAL = ["float64", "float32", "bfloat16", "float16", "float8_e4m3fn"];

/** `choose` returns an error to show, or an empty text. */
export function formatChoice(choose: (fmt: FloatFormat) => string): { element: HTMLElement; show(fmt: FloatFormat): void } {
  const error = h("p", { class: "mw-error mw-bit-format-error", role: "alert" });
  const pick = (name: string) => {
    const wrong = choose(getFormat(name)!);
    if (shown) show(shown); // of a refused format, back to the one at hand
    setText(error, wrong);
  };
  let shown: FloatFormat | null = null;
  const usual = chips(t("common.formats"), USUAL, pick);
  const more = h(
    "select",
    { class: "mw-bit-more", "aria-label": t("bits.more_formats") },
    h("option", { value: "", hidden: true }, t("bits.more")),
    ...formats.filter(({ name }) => !USUAL.includes(name)).map(({ name }) => h("option", { value: name }, name)),
  );
  more.addEventListener("change", () => pick(more.value));
  const show = (fmt: FloatFormat) => {
    const { name } = fmt;
    shown = fmt;
    setText(error, "");
    usual.show(name);
    const listed = [...more.options].some((option) => option.value === name);
    if (!listed && !USUAL.includes(name)) more.append(h("option", { value: name }, name)); // of a family, from Python
    more.value = USUAL.includes(name) ? "" : name;
    more.classList.toggle("mw-bit-chosen", more.value !== "");
  };
  return { element: h("div", { class: "mw-row mw-bit-formats" }, usual.element, more, error), show };
}
