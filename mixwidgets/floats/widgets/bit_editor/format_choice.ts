// The choice of a format: the five most used as chips, the others in a list, and the error where one was refused.

import type { ReadonlySignal } from "@preact/signals-core";
import { formats, getFormat } from "#core/formats/catalogue.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { chipsAndMore } from "#ui/choices.ts";
import { h, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { View } from "#ui/view.ts";
import type { EditedNumber, State } from "./state.ts";

const USUAL = ["float64", "float32", "bfloat16", "float16", "float8_e4m3fn"];

/** `choose` returns an error to show, or an empty text. */
export function formatChoice(view: View<State>, number: ReadonlySignal<EditedNumber>, choose: (fmt: FloatFormat) => string): HTMLElement {
  const error = h("p", { class: "mw-error", role: "alert" });
  const choice = chipsAndMore(t("common.formats"), USUAL, formats.map(({ name }) => name), (name) => {
    const wrong = choose(getFormat(name)!);
    choice.show(number.value.fmt.name); // of a refused format, back to the current one
    setText(error, wrong);
  });
  view.effect(() => {
    setText(error, "");
    choice.show(number.value.fmt.name);
  });
  return h("div", {}, choice.element, error);
}
