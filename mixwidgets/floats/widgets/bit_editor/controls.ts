// Below the bits: step, undo, presets, copies for other tools, and how values are rounded.

import type { ReadonlySignal } from "@preact/signals-core";
import { hexFloat, isFinite, shortest, toDecimal } from "#core/formats/decode.ts";
import { OVERFLOWS, ROUNDINGS } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { readOr } from "#core/formats/parse.ts";
import { button } from "#ui/buttons.ts";
import { labelled, menuOf } from "#ui/choices.ts";
import { copy } from "#ui/clipboard.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { keysNote, term } from "#ui/term.ts";
import type { View } from "#ui/view.ts";
import { roundedBy, typed, withCode, type EditedNumber, type State } from "./state.ts";
import { landmarks } from "./words.ts";

// Formats that have a dtype of their own
const IN_NUMPY = new Set(["float64", "float32", "float16"]);
const IN_ML_DTYPES = new Set([
  "bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e4m3", "float8_e3m4", "float8_e4m3fnuz", "float8_e5m2fnuz",
  "float8_e4m3b11fnuz", "float8_e8m0fnu", "float6_e3m2fn", "float6_e2m3fn", "float4_e2m1fn",
]);
const IN_TORCH = new Set([
  "float64", "float32", "float16", "bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2fnuz",
  "float8_e8m0fnu",
]);

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
  const copied = h("p", { class: "mw-note", role: "status" });
  const copies = menu(t("bits.copy"), () => {
    const { fmt, code } = number.value;
    setText(copied, "");
    return copiesOf(fmt, code).map(({ label, text }) => ({
      label,
      text,
      choose: async (shown) => {
        const done = await copy(text, shown);
        setText(copied, done ? t("bits.copied", { label }) : t("clipboard.selected"));
        return !done; // then the selected text stays in view
      },
    }));
  });
  const rounding = menuOf(ROUNDINGS, (name) => edit(roundedBy(number.value, { rounding: name })));
  const overflow = menuOf(OVERFLOWS, (name) => edit(roundedBy(number.value, { overflow: name })));
  const element = h("div", { class: "mw-stack mw-bit-controls" },
    h("div", { class: "mw-row" },
      button(t("bits.step_down"), () => step(-1)), button(t("bits.step_up"), () => step(1)),
      undo, redo, reset, presets, copies, keysNote("bits.keys"), copied),
    h("div", { class: "mw-row" },
      labelled(t("bits.rounding"), rounding), term("?", () => t(`terms.${ROUNDINGS[rounding.selectedIndex]!}`), t("terms.of_rounding")),
      labelled(t("bits.overflow_policy"), overflow), term("?", () => t(`terms.${OVERFLOWS[overflow.selectedIndex]!}`), t("terms.of_overflow"))),
  );
  view.effect(() => {
    rounding.value = number.value.rounding ?? ROUNDINGS[0];
    overflow.value = number.value.overflow ?? OVERFLOWS[0];
    const possible = able();
    // Not `disabled`: that would drop the focus of the last undo.
    for (const [name, element] of Object.entries({ undo, redo, reset })) set(element, { "aria-disabled": String(!possible[name as keyof typeof possible]) });
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

/** The number as source text for other tools: as a code where a decimal could lose something. A tool that lacks the format is
 * left out. */
export function copiesOf(fmt: FloatFormat, code: bigint): { label: string; text: string }[] {
  const hex = fmt.toHex(code);
  const container = [8, 16, 32, 64].find((bits) => bits >= fmt.bits)!;
  const copies = [
    { label: t("bits.copy_shortest"), text: shortest(fmt, code) },
    { label: t("bits.copy_exact"), text: toDecimal(fmt, code) },
    { label: t("bits.copy_code"), text: hex },
    { label: t("bits.copy_hex_float"), text: hexFloat(fmt, code) },
    IN_NUMPY.has(fmt.name) && { label: t("bits.copy_numpy"), text: `np.uint${container}(${hex}).view(np.${fmt.name})` },
    IN_ML_DTYPES.has(fmt.name) && { label: t("bits.copy_numpy"), text: `np.uint${container}(${hex}).view(ml_dtypes.${fmt.name})` },
    IN_TORCH.has(fmt.name) && {
      label: t("bits.copy_torch"),
      text: `torch.tensor(${hex}, dtype=torch.uint${container}).view(torch.${fmt.name})`,
    },
    { label: t("bits.copy_c"), text: inC(fmt, code) ?? `UINT${container}_C(${hex})` },
  ];
  return copies.filter((copy) => copy !== false);
}

/** A C literal of the value, in the formats that C has always had. */
function inC(fmt: FloatFormat, code: bigint): string | undefined {
  const suffix = { float64: "", float32: "f" }[fmt.name];
  return suffix === undefined || !isFinite(fmt, code) ? undefined : hexFloat(fmt, code) + suffix;
}

interface Item {
  readonly label: string;
  /** Stands beside the button. */
  readonly text?: string;
  /** The menu closes afterwards, unless this returns true. `text` is the element that shows it. */
  choose(text: HTMLElement): void | Promise<boolean>;
}

/** A disclosure that opens over the card: a list of buttons, made anew each time it opens. */
function menu(label: string, items: () => readonly Item[]): HTMLDetailsElement {
  const list = h("ul", { class: "mw-bit-menu-items", tabindex: -1, "aria-label": label }); // takes the focus of a click between its buttons
  const summary = h("summary", {}, label);
  const element = h("details", { class: "mw-bit-menu" }, summary, list);
  const close = () => {
    if (element.matches(":focus-within")) summary.focus();
    element.open = false;
  };
  element.addEventListener("toggle", () => {
    if (element.open) list.replaceChildren(...items().map(itemOf));
  });
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  element.addEventListener("focusout", (event) => {
    if (!(event.relatedTarget instanceof Node && element.contains(event.relatedTarget))) element.open = false;
  });
  const itemOf = ({ label: name, text, choose }: Item) => {
    const shown = text === undefined ? null : h("code", { class: "mw-num" }, text);
    const item = button(name, async () => {
      if (!(await choose(shown ?? item))) close();
    });
    return h("li", {}, item, shown);
  };
  return element;
}
