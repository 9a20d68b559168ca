// The scale in large, the slider under its curve, a field for its exponent, and the scale that serves best.

import { type Answers, HEADROOM, HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { Textures } from "./textures.ts";
import { scaleCurve } from "./scale_curve.ts";
import { powerOfTwo, share, spokenScale } from "./words.ts";

export interface ScaleControl {
  readonly element: HTMLElement;
  readonly readout: HTMLElement;
  /** The scale that is drawn, which during a drag is ahead of the kernel's. */
  value(): number;
  /** For how many milliseconds more the slider counts as being in the user's hand; 0 or less: it does not. */
  inHand(): number;
  show(log2: number): void;
  propose(answers: Answers): void;
  /** Take the scale curve's width from the page. */
  measure(): void;
  layout(answers: Answers): void;
}

const IN_HAND_MS = 400; // after a move: longer than the kernel takes to echo the value before the last

interface Actions {
  /** While the scale moves. */
  draw(log2: number): void;
  /** Once, when it is let go. */
  commit(log2: number): void;
}

export function scaleControl(textures: Textures, { draw, commit }: Actions): ScaleControl {
  const power = h("sup");
  const number = h("span");
  const formula = h("p", { class: "mw-num mw-scale" }, "S = 2", power, " = ", number);
  const bestPower = h("sup");
  const use = h("button", { type: "button" }, t("explorer.use_it"));
  const reason = h("p", { class: "mw-note" });
  const best = h("div", { class: "mw-row mw-best" }, h("span", {}, t("explorer.best"), " 2", bestPower), use);
  const readout = h("div", { class: "mw-explorer-scale" }, formula, best, reason);

  const errorId = uniqueId("error");
  const slider = h("input", { type: "range", min: LOWEST, max: HIGHEST, step: 1, "aria-label": t("explorer.slider") });
  const field = h("input", {
    type: "number", min: LOWEST, max: HIGHEST, step: 1, "aria-label": t("explorer.field"), "aria-describedby": errorId,
  });
  const error = h("p", { class: "mw-error", id: errorId, role: "alert" });
  const curve = scaleCurve(textures, {
    move(log2) {
      slider.focus({ preventScroll: true }); // the keys go on from here
      if (log2 === current) return;
      slider.valueAsNumber = field.valueAsNumber = log2;
      move(log2);
    },
    release: () => commit(current),
  });
  const end = (log2: number) => h("span", { class: "mw-num mw-muted", "aria-hidden": "true" }, "2", h("sup", {}, String(log2).replace("-", "−")));
  const element = h("div", { class: "mw-stack-tight" },
    h("div", { class: "mw-scale-row" },
      end(LOWEST), h("div", { class: "mw-scale-track" }, curve.element, slider), end(HIGHEST),
      h("span", { class: "mw-scale-field" }, h("span", { class: "mw-muted mw-num", "aria-hidden": "true" }, "S = 2^"), field)),
    error);
  let current = 0;
  let width = 0;
  let proposal = 0;
  let moved = -Infinity;

  function paint(log2: number): void {
    current = log2;
    setText(power, String(log2).replace("-", "−"));
    setText(number, powerOfTwo(log2));
    curve.mark(log2);
    set(slider, { "aria-valuetext": spokenScale(log2) });
    use.disabled = log2 === proposal;
    setText(use, t(log2 === proposal ? "explorer.in_use" : "explorer.use_it"));
  }

  function move(log2: number): void {
    moved = performance.now();
    complain("");
    paint(log2);
    draw(log2);
  }

  function complain(text: string): void {
    setText(error, text);
    set(field, { "aria-invalid": text ? "true" : undefined });
  }

  /** The field's whole number within the range, or nothing. */
  function typed(): number | undefined {
    const log2 = field.valueAsNumber;
    return Number.isInteger(log2) && log2 >= LOWEST && log2 <= HIGHEST ? log2 : undefined;
  }

  slider.addEventListener("input", () => {
    field.value = slider.value;
    move(slider.valueAsNumber);
  });
  slider.addEventListener("change", () => commit(slider.valueAsNumber));
  field.addEventListener("input", () => {
    const log2 = typed();
    if (log2 === undefined) return; // still being typed
    slider.valueAsNumber = log2;
    move(log2);
  });
  field.addEventListener("change", () => {
    const log2 = typed();
    if (log2 !== undefined) commit(log2);
    else complain(t("explorer.bad_exponent", { came: field.value || t("explorer.nothing"), low: LOWEST, high: HIGHEST, kept: current }));
  });
  use.addEventListener("click", () => {
    show(proposal);
    draw(proposal);
    commit(proposal);
    slider.focus(); // the button is disabled now, and would drop the focus
  });

  function show(log2: number): void {
    complain("");
    slider.valueAsNumber = log2;
    field.valueAsNumber = log2;
    paint(log2);
  }

  function propose(answers: Answers): void {
    const { log2, headroom } = answers.best;
    const [flushed, subnormal, normal, overflow] = answers.totals(log2);
    const finite = flushed! + subnormal! + normal! + overflow!;
    proposal = log2;
    setText(bestPower, String(log2).replace("-", "−"));
    setText(reason, headroom < HEADROOM
      ? t("explorer.reason_tight", { share: share(flushed!, finite), headroom })
      : t("explorer.reason", { share: share(flushed!, finite), headroom: Number.isFinite(headroom) ? headroom : "∞" }));
    paint(current);
  }

  function layout(answers: Answers): void {
    curve.layout(answers, width);
    curve.mark(current);
  }

  const measure = () => {
    width = curve.width();
  };

  return { element, readout, measure, value: () => current, inHand: () => moved + IN_HAND_MS - performance.now(), show, propose, layout };
}
