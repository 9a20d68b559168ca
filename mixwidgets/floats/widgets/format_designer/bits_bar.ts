// The bits of a format in a row, by field, each with its name. The grip between exponent and fraction gives bits of one to the
// other: range for precision.

import type { ReadonlySignal } from "@preact/signals-core";
import { LIMITS } from "#core/formats/float_format.ts";
import { clamp } from "#core/range.ts";
import { h, set, setText } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { draggable, pointIn } from "#ui/pointer.ts";
import { term } from "#ui/term.ts";
import type { View } from "#ui/view.ts";
import { followingBias, wrongIn, type Design } from "./design.ts";

const FIELDS = [["sign", "S"], ["exponent", "E"], ["fraction", "F"]] as const;
const [FEW, LETTERS] = [12, 24]; // bits, up to which each has room for a large letter, and for one
const WIDEST = 88; // pixels of a bit

interface Actions {
  /** Called while the grip moves. */
  change(design: Design): void;
  /** Called when it is released. */
  commit(): void;
}

export function bitsBar(view: View, design: ReadonlySignal<Design>, { change, commit }: Actions): HTMLElement {
  const fields = FIELDS.map(([field, letter]) => {
    const long = h("b");
    const short = h("b", {}, t(field === "sign" ? "designer.field_sign" : `designer.short_${field}`));
    const cells = h("div", { class: "mw-design-cells" });
    const element = h("div", { class: `mw-design-field mw-bit-${field}`, "aria-hidden": "true" }, h("div", { class: "mw-design-field-name" }, long, short), cells);
    return { field, letter, element, long, cells };
  });
  const grip = h("div", { class: "mw-grip mw-design-grip", role: "slider", tabindex: 0, "aria-label": t("designer.boundary") });
  const bar = h("div", { class: "mw-design-bits" }, ...fields.map(({ element }) => element), grip);

  /** The total of exponent and fraction bits, which stays, and how many the exponent can have of them. */
  const range = () => {
    const { exponent_bits, fraction_bits } = design.value;
    const bits = exponent_bits + fraction_bits;
    const makesNone = (exponentBits: number) => wrongIn(given(exponentBits)) !== "";
    let low = Math.max(LIMITS.exponentBits.low, bits - LIMITS.fractionBits.high);
    let high = Math.min(LIMITS.exponentBits.high, bits - LIMITS.fractionBits.low);
    while (low < exponent_bits && makesNone(low)) low += 1;
    while (high > exponent_bits && makesNone(high)) high -= 1;
    return { bits, low, high };
  };
  /** The design with so many bits given to the exponent. */
  const given = (exponentBits: number): Design => {
    const { exponent_bits, fraction_bits } = design.value;
    return { ...design.value, exponent_bits: exponentBits, fraction_bits: exponent_bits + fraction_bits - exponentBits, ...followingBias(design.value, exponentBits) };
  };
  const move = (to: number): void => {
    const { low, high } = range();
    const exponentBits = clamp(Math.round(to), low, high);
    if (exponentBits !== design.value.exponent_bits) change(given(exponentBits));
  };

  const bitAt = (event: PointerEvent): number => {
    const signBits = Number(design.value.signed);
    return (pointIn(bar, event).x / bar.clientWidth) * (signBits + range().bits) - signBits;
  };
  draggable(grip, (down) => {
    const from = design.value.exponent_bits;
    const offset = bitAt(down) - from;
    return { move: (event) => move(bitAt(event) - offset), back: () => move(from) };
  }, commit);
  grip.addEventListener("keydown", (event) => {
    if (hasModifier(event)) return;
    const { exponent_bits } = design.value;
    const { low, high } = range();
    const to = { ArrowRight: exponent_bits + 1, ArrowUp: exponent_bits + 1, ArrowLeft: exponent_bits - 1, ArrowDown: exponent_bits - 1, Home: low, End: high }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(to);
    commit();
  });

  view.effect(() => {
    const { signed, exponent_bits, fraction_bits } = design.value;
    const counts = { sign: Number(signed), exponent: exponent_bits, fraction: fraction_bits };
    const { bits, low, high } = range();
    const all = counts.sign + bits;
    for (const { field, letter, element, long, cells } of fields) {
      const count = counts[field];
      element.hidden = count === 0;
      element.style.flexGrow = String(count);
      setText(long, t(`designer.field_${field}`, { count }));
      while (cells.childElementCount > count) cells.lastElementChild!.remove();
      while (cells.childElementCount < count) cells.append(h("span"));
      for (const cell of cells.children) setText(cell, all > LETTERS ? "" : letter);
    }
    set(bar, { "data-bits": all <= FEW ? "few" : all <= LETTERS ? "some" : "many" });
    bar.style.width = `${all * WIDEST}px`;
    grip.style.left = `${(100 * (counts.sign + exponent_bits)) / all}%`;
    set(grip, {
      "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": exponent_bits,
      "aria-valuetext": t("designer.boundary_value", { exponent: exponent_bits, fraction: fraction_bits }),
    });
  });
  const hint = h("p", { class: "mw-row mw-design-hint" }, t("designer.drag"), term("?", () => t("designer.keys"), t("designer.keys_of")));
  return h("div", {}, bar, hint);
}
