// The choice of a format: the five most used as chips, the others in a list, and the error where one was refused.

import { formats, getFormat } from "#core/formats/catalogue.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { chipsAndMore } from "#ui/card.ts";
import { h, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";

const USUAL = ["float64", "float32", "bfloat16", "float16", "float8_e4m3fn"];

/** `choose` returns an error to show, or an empty text. */
export function formatChoice(choose: (fmt: FloatFormat) => string): { element: HTMLElement; show(fmt: FloatFormat): void } {
  const error = h("p", { class: "mw-error", role: "alert" });
  const pick = (name: string) => {
    const wrong = choose(getFormat(name)!);
    if (shown) show(shown); // of a refused format, back to the current one
    setText(error, wrong);
  };
  let shown: FloatFormat | null = null;
  const others = formats.map(({ name }) => name).filter((name) => !USUAL.includes(name));
  const choice = chipsAndMore(t("common.formats"), USUAL, others, pick);
  const show = (fmt: FloatFormat) => {
    shown = fmt;
    setText(error, "");
    choice.show(fmt.name);
  };
  return { element: h("div", {}, choice.element, error), show };
}
