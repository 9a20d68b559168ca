// Below the bits: step, undo, presets, copies, and how values are rounded.

import { OVERFLOWS, ROUNDINGS } from "#core/formats/encode.ts";
import { InputError } from "#core/formats/parse.ts";
import { button } from "#ui/buttons.ts";
import { labelled } from "#ui/card.ts";
import { copy } from "#ui/clipboard.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { copiesOf } from "./copies.ts";
import { menu } from "./menu.ts";
import { roundedBy, typed, withCode, type EditedNumber } from "./state.ts";
import { landmarks } from "./words.ts";

const TEXTS = ["0.1", "65504", "65505", "65520", "inf", "nan"];
const THIRD = "0." + "3".repeat(25); // too close to 1/3 to round otherwise in a format of up to 53 significant bits

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
  const element = h("div", { class: "mw-stack mw-bit-controls" },
    h("div", { class: "mw-row" },
      button(t("bits.step_down"), () => actions.step(-1)), button(t("bits.step_up"), () => actions.step(1)),
      undo, redo, reset, presets, copies, said),
    h("div", { class: "mw-row" }, labelled(t("bits.rounding"), rounding), labelled(t("bits.overflow_policy"), overflow)),
    h("p", { class: "mw-note" }, t("bits.keys")),
  );
  const show = (number: EditedNumber, able: Able) => {
    rounding.value = number.rounding ?? ROUNDINGS[0];
    overflow.value = number.overflow ?? OVERFLOWS[0];
    // Not `disabled`: that would drop the focus of the last undo.
    for (const [name, element] of Object.entries({ undo, redo, reset })) set(element, { "aria-disabled": String(!able[name as keyof Able]) });
  };
  return { element, show };
}

function choices<T extends string>(names: readonly T[], choose: (name: T) => void): HTMLSelectElement {
  const select = h("select", {}, ...names.map((name) => h("option", { value: name }, name)));
  select.addEventListener("change", () => choose(names[select.selectedIndex]!));
  return select;
}

/** A few decimals, as far as the format takes them, and the format's own landmarks. */
export function presetsOf(number: EditedNumber): readonly { label: string; number: EditedNumber }[] {
  const { fmt } = number;
  return [
    ...[...TEXTS.map((text) => [text, text] as const), [t("bits.third"), THIRD] as const].flatMap(([label, text]) => {
      try {
        return [{ label, number: typed(number, text) }];
      } catch (error) {
        if (error instanceof InputError) return []; // as NaN, in a format that has none
        throw error;
      }
    }),
    ...landmarks(fmt).map(([code, key]) => ({ label: t(key, { format: fmt.name }), number: withCode(number, code) })),
  ];
}
