// Below the bits: step, undo, presets, copies, and how values are rounded.

import type { ReadonlySignal } from "@preact/signals-core";
import { OVERFLOWS, ROUNDINGS } from "#core/formats/encode.ts";
import { readOr } from "#core/formats/parse.ts";
import { button } from "#ui/buttons.ts";
import { labelled, menuOf } from "#ui/choices.ts";
import { copy } from "#ui/clipboard.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { explained, term } from "#ui/term.ts";
import type { View } from "#ui/view.ts";
import { copiesOf } from "./copies.ts";
import { menu } from "./menu.ts";
import { roundedBy, typed, withCode, type EditedNumber, type State } from "./state.ts";
import { landmarks } from "./words.ts";

const TEXTS = ["0.1", "65504", "65505", "65520", "1/3", "inf", "nan"];

interface Actions {
  step(direction: 1 | -1): void;
  undo(): void;
  redo(): void;
  reset(): void;
  edit(number: EditedNumber): void;
  /** What can be done now. */
  able(): Record<"undo" | "redo" | "reset", boolean>;
}

export function controls(view: View<State>, number: ReadonlySignal<EditedNumber>, { step, able, edit, ...actions }: Actions): HTMLElement {
  const undo = button(t("bits.undo"), actions.undo);
  const redo = button(t("bits.redo"), actions.redo);
  const reset = button(t("bits.reset"), actions.reset);
  const presets = menu(t("bits.presets"), () =>
    presetsOf(number.value).map(({ label, number: preset }) => ({ label, choose: () => edit(preset) })),
  );
  const said = h("p", { class: "mw-note", role: "status" });
  const copies = menu(t("bits.copy"), () => {
    const { fmt, code } = number.value;
    setText(said, "");
    return copiesOf(fmt, code).map(({ label, text }) => ({
      label,
      text,
      choose: async (shown) => {
        const done = await copy(text, shown);
        setText(said, done ? t("bits.copied", { label }) : t("clipboard.selected"));
        return !done; // then the selected text stays in view
      },
    }));
  });
  const rounding = menuOf(ROUNDINGS, (name) => edit(roundedBy(number.value, { rounding: name })));
  const overflow = menuOf(OVERFLOWS, (name) => edit(roundedBy(number.value, { overflow: name })));
  const element = h("div", { class: "mw-stack mw-bit-controls" },
    h("div", { class: "mw-row" },
      button(t("bits.step_down"), () => step(-1)), button(t("bits.step_up"), () => step(1)),
      undo, redo, reset, presets, copies, said),
    h("div", { class: "mw-row" },
      labelled(t("bits.rounding"), rounding), term("?", () => t(`terms.${ROUNDINGS[rounding.selectedIndex]!}`), t("terms.of_rounding")),
      labelled(t("bits.overflow_policy"), overflow), term("?", () => t(`terms.${OVERFLOWS[overflow.selectedIndex]!}`), t("terms.of_overflow"))),
    h("p", { class: "mw-note" }, ...explained(t("bits.keys"))),
  );
  view.effect(() => {
    rounding.value = number.value.rounding ?? ROUNDINGS[0];
    overflow.value = number.value.overflow ?? OVERFLOWS[0];
    const is = able();
    // Not `disabled`: that would drop the focus of the last undo.
    for (const [name, element] of Object.entries({ undo, redo, reset })) set(element, { "aria-disabled": String(!is[name as keyof typeof is]) });
  });
  return element;
}

/** A few decimals, as far as the format takes them, and the format's own landmarks. */
export function presetsOf(number: EditedNumber): readonly { label: string; number: EditedNumber }[] {
  const { fmt } = number;
  return [
    // Without those that the format does not have, such as NaN.
    ...TEXTS.flatMap((text) => readOr(() => [{ label: text, number: typed(number, text) }], [])),
    ...landmarks(fmt).map(([code, key]) => ({ label: t(key, { format: fmt.name }), number: withCode(number, code) })),
  ];
}
