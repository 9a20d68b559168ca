// The bits of a format in a row. The boundary between exponent and fraction is a handle that can be dragged.

import type { ReadonlySignal } from "@preact/signals-core";
import { LIMITS } from "#core/formats/custom.ts";
import { clamp } from "#core/range.ts";
import { h, set } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { draggable, pointIn } from "#ui/pointer.ts";
import type { View } from "#ui/view.ts";
import type { Design } from "./design.ts";

interface Actions {
  /** Called while the handle moves. */
  change(exponentBits: number, fractionBits: number): void;
  /** Called when it is released. */
  commit(): void;
}

export function bitsBar(view: View, design: ReadonlySignal<Design>, { change, commit }: Actions): HTMLElement {
  const fields = ["sign", "exponent", "fraction"].map((field) => h("div", { class: `mw-design-field mw-bit-${field}`, "aria-hidden": "true" }));
  const handle = h("div", { class: "mw-design-boundary", role: "slider", tabindex: 0, "aria-label": t("designer.boundary") });
  const element = h("div", { class: "mw-design-bits" }, ...fields, handle);

  /** The total of exponent and fraction bits, which stays, and the range of the exponent's. */
  const range = () => {
    const { exponent_bits, fraction_bits } = design.value;
    const bits = exponent_bits + fraction_bits;
    const { exponentBits, fractionBits } = LIMITS;
    return { bits, low: Math.max(exponentBits.low, bits - fractionBits.high), high: Math.min(exponentBits.high, bits - fractionBits.low) };
  };
  const move = (to: number): void => {
    const { bits, low, high } = range();
    const exponentBits = clamp(Math.round(to), low, high);
    if (exponentBits !== design.value.exponent_bits) change(exponentBits, bits - exponentBits);
  };

  const bitAt = (event: PointerEvent): number => {
    const signBits = Number(design.value.signed);
    return (pointIn(element, event).x / element.clientWidth) * (signBits + range().bits) - signBits;
  };
  draggable(handle, (down) => {
    const from = design.value.exponent_bits;
    const offset = bitAt(down) - from;
    return { move: (event) => move(bitAt(event) - offset), back: () => move(from) };
  }, commit);
  handle.addEventListener("keydown", (event) => {
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
    const signBits = Number(signed);
    const { bits, low, high } = range();
    [signBits, exponent_bits, fraction_bits].forEach((count, i) => {
      const field = fields[i]!;
      field.hidden = count === 0;
      field.style.flexGrow = String(count);
      if (field.childElementCount !== count) field.replaceChildren(...Array.from({ length: count }, () => h("span")));
    });
    handle.style.left = `${(100 * (signBits + exponent_bits)) / (signBits + bits)}%`;
    set(handle, {
      "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": exponent_bits,
      "aria-valuetext": t("designer.boundary_value", { exponent: exponent_bits, fraction: fraction_bits }),
    });
  });
  return element;
}
