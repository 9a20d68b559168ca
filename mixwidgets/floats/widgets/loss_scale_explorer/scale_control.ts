// The scale in large, the slider under its curve, a field for its exponent, and the scale that serves best.

import { computed } from "@preact/signals-core";
import { HEADROOM, HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { wholeIn } from "#core/formats/typed.ts";
import { button } from "#ui/buttons.ts";
import { withMinus } from "#ui/digits.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { Textures } from "#ui/ruler/textures.ts";
import { powerOfTwo, share, spokenScale } from "#ui/ruler/words.ts";
import { scaleCurve } from "./scale_curve.ts";
import type { Explored } from "./state.ts";

export function scaleControl(explored: Explored, textures: Textures): { element: HTMLElement; readout: HTMLElement } {
  const { view, answers, scale, commit } = explored;
  const power = h("sup");
  const number = h("span");
  const formula = h("p", { class: "mw-num mw-scale" }, "S = 2", power, " = ", number);
  const bestPower = h("sup");
  const use = button("", () => {
    move(proposal.value);
    commit();
    slider.focus(); // the button is disabled now, and would drop the focus
  });
  const reason = h("p", { class: "mw-note" });
  const best = h("div", { class: "mw-row mw-best" }, h("span", {}, t("explorer.best"), " 2", bestPower), use);
  const readout = h("div", { class: "mw-explorer-scale" }, formula, best, reason);

  const errorId = uniqueId("error");
  const slider = h("input", { type: "range", min: LOWEST, max: HIGHEST, step: 1, "aria-label": t("explorer.slider") });
  const field = h("input", {
    type: "text", class: "mw-scale-exponent", autocomplete: "off", spellcheck: "false", "aria-label": t("explorer.field"), "aria-describedby": errorId,
  });
  const error = h("p", { class: "mw-error", id: errorId, role: "alert" });
  const curve = scaleCurve(explored, textures, slider);
  const end = (log2: number) => h("span", { class: "mw-num mw-muted", "aria-hidden": "true" }, "2", h("sup", {}, withMinus(String(log2))));
  const element = h("div", { class: "mw-stack-tight" },
    h("div", { class: "mw-scale-row" },
      end(LOWEST), h("div", { class: "mw-scale-track" }, curve, slider), end(HIGHEST),
      h("span", { class: "mw-scale-field" }, h("span", { class: "mw-muted mw-num", "aria-hidden": "true" }, "S = 2^"), field)),
    h("div", { class: "mw-error-line" }, error));
  const proposal = computed(() => answers.value.best.log2);

  function move(log2: number): void {
    complain("");
    explored.move(log2);
  }

  function complain(text: string): void {
    setText(error, text);
    set(field, { "aria-invalid": text ? "true" : undefined });
  }

  /** The field's whole number within the range, which may stand after the "2^" that is beside the field; null for anything else. */
  const typed = () => wholeIn(field.value.replace(/^\s*2(\^|\*\*)/, ""), LOWEST, HIGHEST);

  slider.addEventListener("input", () => move(slider.valueAsNumber));
  slider.addEventListener("change", commit);
  field.addEventListener("input", () => {
    const log2 = typed();
    if (log2 !== null) move(log2); // else still being typed
  });
  field.addEventListener("change", () => {
    if (typed() === null) return complain(t("explorer.bad_exponent", { came: field.value || t("common.nothing"), low: LOWEST, high: HIGHEST, kept: scale.value }));
    field.value = String(scale.value); // "007" as 7
    commit();
  });

  view.effect(() => {
    const log2 = scale.value;
    complain("");
    setText(power, withMinus(String(log2)));
    setText(number, powerOfTwo(log2));
    slider.valueAsNumber = log2;
    if (typed() !== log2) field.value = String(log2); // what is typed stays as it is typed
    set(slider, { "aria-valuetext": spokenScale(log2) });
  });
  view.effect(() => {
    use.disabled = scale.value === proposal.value;
    setText(use, t(use.disabled ? "explorer.in_use" : "explorer.use_it"));
  });
  view.effect(() => {
    const { log2, headroom } = answers.value.best;
    setText(bestPower, withMinus(String(log2)));
    setText(reason, t(headroom < HEADROOM ? "explorer.reason_tight" : "explorer.reason", {
      share: share(answers.value.totals(log2)[0]!, answers.value.total.finite), headroom: Number.isFinite(headroom) ? headroom : "∞",
    }));
  });
  return { element, readout };
}
