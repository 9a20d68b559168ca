// Step, take back, ready numbers, copies, and how values are rounded.

import { OVERFLOWS, ROUNDINGS } from "#core/formats/encode.ts";
import { labelled } from "#ui/card.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { copiesOf, copy } from "./copies.ts";
import { menu } from "./menu.ts";
import { presetsOf } from "./presets.ts";
import { roundedBy, type EditedNumber } from "./state.ts";

interface Actions {
  number(): EditedNumber;
  step(direction: 1 | -1): void;
  undo(): void;
  redo(): void;
  reset(): void;
  become(number: EditedNumber): void;
}

interface Able {
  readonly undo: boolean;
  readonly redo: boolean;
  readonly reset: boolean;
}

export function controls(actions: Actions): { element: HTMLElement; show(number: EditedNumber, able: Able): void } {
  const button = (label: string, act: () => void) => {
    const made = h("button", { type: "button" }, label);
    made.addEventListener("click", act);
    return made;
  };
  const undo = button(t("bits.undo"), actions.undo);
  const redo = button(t("bits.redo"), actions.redo);
  const reset = button(t("bits.reset"), actions.reset);
  const presets = menu(t("bits.presets"), () =>
    presetsOf(actions.number()).map(({ label, number }) => ({ label, choose: () => actions.become(number) })),
  );
  const said = h("p", { class: "mw-note", role: "status" });
  const copies = menu(t("bits.copy"), () => {
    const { fmt, code } = actions.number();
    setText(said, "");
    return copiesOf(fmt, code).map(({ label, text }) => ({
      label,
      text,
      choose: async (shown) => {
        const done = await copy(text, shown);
        setText(said, done ? t("bits.copied", { label }) : t("bits.selected"));
        return !done; // then the selected text stays in sight
      },
    }));
  });
  const rounding = choices(ROUNDINGS, (name) => actions.become(roundedBy(actions.number(), { rounding: name })));
  const overflow = choices(OVERFLOWS, (name) => actions.become(roundedBy(actions.number(), { overflow: name })));
  const element = h(
    "div",
    { class: "mw-stack mw-bit-controls" },
    h(
      "div",
      { class: "mw-row" },
      button(t("bits.step_down"), () => actions.step(-1)),
      button(t("bits.step_up"), () => actions.step(1)),
      undo,
      redo,
      reset,
      presets.element,
      copies.element,
      said,
    ),
    h("div", { class: "mw-row" }, labelled(t("bits.rounding"), rounding), labelled(t("bits.overflow_policy"), overflow)),
    h("p", { class: "mw-note" }, t("bits.keys")),
  );
  const show = (number: EditedNumber, able: Able) => {
    rounding.value = number.rounding ?? ROUNDINGS[0];
    overflow.value = number.overflow ?? OVERFLOWS[0];
    // Not `disabled`: that would drop the focus of the last undo.
    set(undo, { "aria-disabled": String(!able.undo) });
    set(redo, { "aria-disabled": String(!able.redo) });
    set(reset, { "aria-disabled": String(!able.reset) });
  };
  return { element, show };
}

function choices<T extends string>(names: readonly T[], choose: (name: T) => void): HTMLSelectElement {
  const select = h("select", {}, ...names.map((name) => h("option", { value: name }, name)));
  select.addEventListener("change", () => choose(names[select.selectedIndex]!));
  return select;
}
