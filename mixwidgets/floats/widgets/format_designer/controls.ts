// The controls of a design: the bits, three sliders, three menus and three switches; below, the error of the last change.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { formats } from "#core/formats/catalogue.ts";
import { INFINITIES, LIMITS, NANS, SUBNORMALS, usualBias } from "#core/formats/float_format.ts";
import { clamp } from "#core/range.ts";
import { button } from "#ui/buttons.ts";
import { withMinus } from "#ui/digits.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { t, type MessageKey } from "#ui/messages.ts";
import { draggable, pointIn } from "#ui/pointer.ts";
import type { View } from "#ui/view.ts";
import { biasRange, designOf, mayOverflowToNan, type Design } from "./design.ts";

type Name = keyof Design;

/** What the controls show, valid or not; `wrong` is the error of the last change, which was of the field `at`. */
export interface Draft {
  readonly design: Design;
  readonly at?: Name;
  readonly wrong?: string;
}

interface Actions {
  /** Called while a control moves. */
  change(changes: Partial<Design>, at: Name): void;
  /** Called when it is released. */
  commit(): void;
}

export function controls(view: View<Design>, draft: ReadonlySignal<Draft>, { change, commit }: Actions): HTMLElement {
  const error = h("p", { class: "mw-error", id: uniqueId("error"), role: "alert" });

  const labelOf = (name: Name, input: HTMLElement) => {
    input.id = uniqueId("design");
    return h("label", { for: input.id }, t(`designer.${name}`));
  };
  const control = (name: Name, input: HTMLInputElement | HTMLSelectElement, show: (design: Design) => void, ...parts: HTMLElement[]) => {
    input.addEventListener("change", commit);
    view.effect(() => {
      const { design, at, wrong } = draft.value;
      show(design);
      const isWrong = Boolean(wrong) && name === at;
      set(input, { "aria-invalid": isWrong && "true", "aria-describedby": isWrong && error.id });
    });
    return h("div", { class: "mw-design-control" }, ...parts);
  };
  /** IEEE's bias follows the exponent bits; any other stays. */
  const followingBias = (exponentBits: number): Partial<Design> => {
    const { bias, exponent_bits } = draft.value.design;
    return bias === usualBias(exponent_bits) ? { bias: usualBias(exponentBits) } : {};
  };
  const slider = (name: "exponent_bits" | "fraction_bits" | "bias", rangeOf: (design: Design) => { low: number; high: number }, extra?: HTMLElement) => {
    const input = h("input", { type: "range", step: 1 });
    const label = labelOf(name, input);
    const output = h("output", { for: input.id, class: "mw-num" });
    input.addEventListener("input", () => {
      const value = input.valueAsNumber;
      change({ [name]: value, ...(name === "exponent_bits" ? followingBias(value) : {}) }, name);
    });
    const show = (design: Design) => {
      const { low, high } = rangeOf(design);
      set(input, { min: low, max: high });
      input.valueAsNumber = design[name];
      setText(output, withMinus(String(design[name])));
    };
    return control(name, input, show, h("div", { class: "mw-design-label" }, label, output, extra), input);
  };
  const choice = (name: "infinity" | "nan" | "subnormals", values: readonly string[]) => {
    const select = h("select", {}, ...values.map((value) => h("option", { value }, t(`designer.${name}_${value}` as MessageKey))));
    select.addEventListener("input", () => change({ [name]: select.value }, name));
    const show = (design: Design) => {
      select.value = design[name];
      select.disabled = name === "subnormals" && !design.has_zero;
    };
    return control(name, select, show, h("div", { class: "mw-design-label" }, labelOf(name, select)), select);
  };
  const box = (name: "signed" | "has_zero" | "overflows_to_nan") => {
    const input = h("input", { type: "checkbox" });
    const also: Partial<Design> = name === "has_zero" ? { subnormals: "gradual" } : {}; // without zero there is no choice
    input.addEventListener("input", () => change({ [name]: input.checked, ...also }, name));
    const show = (design: Design) => {
      input.disabled = name === "overflows_to_nan" && !mayOverflowToNan(design);
      input.checked = design[name] && !input.disabled;
    };
    return control(name, input, show, h("div", { class: "mw-row mw-design-switch" }, input, labelOf(name, input)));
  };

  const usual = button(t("designer.usual"), () => {
    change({ bias: usualBias(draft.value.design.exponent_bits) }, "bias");
    commit();
  }, { class: "mw-design-usual" });
  const start = h("select", { "aria-label": t("designer.start") },
    h("option", { value: "" }, t("designer.start_from")),
    ...formats.map((fmt) => h("option", { value: fmt.name }, fmt.name)));
  start.addEventListener("change", () => {
    const fmt = formats.find(({ name }) => name === start.value);
    if (fmt) change(designOf(fmt), "exponent_bits");
    start.value = "";
    commit();
  });

  const bits = bitsBar(view, computed(() => draft.value.design), {
    change: (exponent_bits, fraction_bits) => change({ exponent_bits, fraction_bits, ...followingBias(exponent_bits) }, "exponent_bits"),
    commit,
  });
  const element = h("div", { class: "mw-design-controls" }, bits,
    slider("exponent_bits", () => LIMITS.exponentBits), slider("fraction_bits", () => LIMITS.fractionBits), slider("bias", biasRange, usual),
    choice("infinity", INFINITIES), choice("nan", NANS), choice("subnormals", SUBNORMALS),
    h("div", { class: "mw-design-switches" }, box("signed"), box("has_zero"), box("overflows_to_nan")), start, h("div", { class: "mw-error-line" }, error));

  view.effect(() => {
    const { design, wrong = "" } = draft.value;
    setText(error, wrong);
    usual.disabled = design.bias === usualBias(design.exponent_bits);
  });
  return element;
}

interface BarActions {
  /** Called while the handle moves. */
  change(exponentBits: number, fractionBits: number): void;
  /** Called when it is released. */
  commit(): void;
}

/** The bits of a format in a row. The boundary between exponent and fraction is a handle that can be dragged. */
export function bitsBar(view: View, design: ReadonlySignal<Design>, { change, commit }: BarActions): HTMLElement {
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
