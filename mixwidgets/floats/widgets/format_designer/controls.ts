// The controls of a design: steppers for the numbers, chips for what special codes there are, and, folded, what few formats have
// otherwise. The error of the last change stands below its control.

import type { ReadonlySignal } from "@preact/signals-core";
import { INFINITIES, LIMITS, NANS, SUBNORMALS, usualBias } from "#core/formats/float_format.ts";
import { button } from "#ui/buttons.ts";
import { chips } from "#ui/choices.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { t, type MessageKey } from "#ui/messages.ts";
import type { View } from "#ui/view.ts";
import { followingBias, mayOverflowToNan, type Design } from "./design.ts";

type Name = keyof Design;

/** What the controls show, valid or not; `wrong` is the error of the last change, which was of the field `at`. */
export interface Draft {
  readonly design: Design;
  readonly at?: Name;
  readonly wrong?: string;
}

/** Change the design by the field `at`, and send it to the kernel. */
type Change = (changes: Partial<Design>, at: Name) => void;

export function controls(view: View<Design>, draft: ReadonlySignal<Draft>, change: Change): HTMLElement {
  const error = h("p", { class: "mw-error", id: uniqueId("error"), role: "alert" });
  const boxes = new Map<Name, HTMLElement>();

  /** The box of a control, in which its error is shown. */
  const boxed = (name: Name, input: HTMLElement, show: (design: Design) => void, ...parts: HTMLElement[]) => {
    const box = h("div", { class: "mw-design-control" }, h("div", { class: "mw-row" }, ...parts));
    boxes.set(name, box);
    view.effect(() => {
      const { design, at, wrong } = draft.value;
      show(design);
      const isWrong = Boolean(wrong) && name === at;
      set(input, { "aria-invalid": input.localName === "input" && isWrong && "true", "aria-describedby": isWrong && error.id });
    });
    return box;
  };
  const labelOf = (name: Name, input: HTMLElement) => {
    input.id = uniqueId("design");
    return h("label", { for: input.id, class: "mw-muted" }, t(`designer.${name}`));
  };

  const stepper = (name: "exponent_bits" | "fraction_bits" | "bias", { low, high }: { low: number; high: number }, ...more: HTMLElement[]) => {
    const input = h("input", { type: "number", step: 1, min: low, max: high, class: "mw-num", autocomplete: "off" });
    const apply = (value: number) => change({ [name]: value, ...(name === "exponent_bits" ? followingBias(draft.value.design, value) : {}) }, name);
    input.addEventListener("change", () => (input.value === "" ? show(draft.value.design) : apply(input.valueAsNumber)));
    const by = (step: number, sign: string) => {
      const press = button(sign, () => apply(draft.value.design[name] + step), { tabindex: -1, "aria-hidden": "true" }); // the field has keys
      view.effect(() => {
        const to = draft.value.design[name] + step;
        press.disabled = to < low || to > high;
      });
      return press;
    };
    const show = (design: Design) => {
      if (input.valueAsNumber !== design[name]) input.value = String(design[name]);
    };
    return boxed(name, input, show, labelOf(name, input), h("span", { class: "mw-design-stepper" }, by(-1, "−"), input, by(1, "+")), ...more);
  };
  const choice = <Value extends string>(name: "infinity" | "nan" | "subnormals", values: readonly Value[], also: (value: Value, design: Design) => Partial<Design>) => {
    const label = t(`designer.${name}`);
    const { element, show } = chips(label, values, (value) => change({ [name]: value, ...also(value, draft.value.design) }, name), (value) => t(`designer.${name}_${value}` as MessageKey));
    const shown = (design: Design) => {
      show(design[name]);
      (element as HTMLFieldSetElement).disabled = name === "subnormals" && !design.has_zero;
    };
    return boxed(name, element, shown, h("span", { class: "mw-muted mw-design-chips", "aria-hidden": "true" }, label), element);
  };
  const box = (name: "signed" | "has_zero" | "overflows_to_nan") => {
    const input = h("input", { type: "checkbox" });
    const also: Partial<Design> = name === "has_zero" ? { subnormals: "gradual" } : {}; // without zero there is no choice
    input.addEventListener("change", () => change({ [name]: input.checked, ...also }, name));
    const show = (design: Design) => {
      input.disabled = name === "overflows_to_nan" && !mayOverflowToNan(design);
      input.checked = design[name] && !input.disabled;
    };
    return boxed(name, input, show, input, labelOf(name, input));
  };

  const usual = button(t("designer.usual"), () => change({ bias: usualBias(draft.value.design.exponent_bits) }, "bias"), { class: "mw-design-usual" });
  const element = h("div", { class: "mw-stack-tight" },
    h("div", { class: "mw-design-controls" },
      // IEEE 754's infinity and NaN share an exponent of all ones: one comes and goes with the other.
      choice("infinity", INFINITIES, (value, { nan }) => (value === "ieee" ? { nan: "ieee" } : nan === "ieee" ? { nan: "top" } : {})),
      choice("nan", NANS, (value, { infinity }) => (value === "ieee" ? { infinity: "ieee" } : infinity === "ieee" ? { infinity: "none" } : {})),
      stepper("exponent_bits", LIMITS.exponentBits), stepper("fraction_bits", LIMITS.fractionBits), stepper("bias", LIMITS.bias, usual)),
    h("details", { class: "mw-unfolding" }, h("summary", {}, t("designer.more")),
      h("div", { class: "mw-design-controls" }, choice("subnormals", SUBNORMALS, () => ({})), box("signed"), box("has_zero"), box("overflows_to_nan"))));

  view.effect(() => {
    const { design, at, wrong = "" } = draft.value;
    setText(error, wrong);
    const place = wrong && at ? boxes.get(at) : undefined;
    if (place && error.parentElement !== place) place.append(error);
    usual.disabled = design.bias === usualBias(design.exponent_bits);
  });
  return element;
}
