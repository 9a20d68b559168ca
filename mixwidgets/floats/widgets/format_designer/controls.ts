// The controls of a design: the bits, three sliders, two menus and two switches; below, the error of the last change.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { formats } from "#core/formats/catalogue.ts";
import { LIMITS } from "#core/formats/custom.ts";
import { INFINITIES, NANS, usualBias } from "#core/formats/float_format.ts";
import { button } from "#ui/buttons.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { t, type MessageKey } from "#ui/messages.ts";
import { withMinus } from "#ui/digits.ts";
import type { View } from "#ui/view.ts";
import { bitsBar } from "./bits_bar.ts";
import { biasRange, designOf, type Design } from "./design.ts";

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
  const choice = (name: "infinity" | "nan", values: readonly string[]) => {
    const select = h("select", {}, ...values.map((value) => h("option", { value }, t(`designer.${name}_${value}` as MessageKey))));
    select.addEventListener("input", () => change({ [name]: select.value }, name));
    const show = (design: Design) => (select.value = design[name]);
    return control(name, select, show, h("div", { class: "mw-design-label" }, labelOf(name, select)), select);
  };
  const box = (name: "signed" | "has_zero") => {
    const input = h("input", { type: "checkbox" });
    input.addEventListener("input", () => change({ [name]: input.checked }, name));
    const show = (design: Design) => (input.checked = design[name]);
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
    choice("infinity", INFINITIES), choice("nan", NANS),
    h("div", { class: "mw-design-switches" }, box("signed"), box("has_zero")), start, h("div", { class: "mw-error-line" }, error));

  view.effect(() => {
    const { design, wrong = "" } = draft.value;
    setText(error, wrong);
    usual.disabled = design.bias === usualBias(design.exponent_bits);
  });
  return element;
}
