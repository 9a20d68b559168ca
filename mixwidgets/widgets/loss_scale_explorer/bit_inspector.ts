// From the histogram to bits: point at a binade and read what it holds; choose one and see one of its gradients, or
// its lower edge where none was kept, as the format keeps it at every scale that the slider takes.

import type { Answers } from "#core/gradients/answers.ts";
import { getFormat } from "#core/formats/catalogue.ts";
import { classify, exact, fields, isNegative, ulp } from "#core/formats/decode.ts";
import { beyond, roundMagnitude, withSign } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { floorLog2, magnitudeOf, multiply, power as powerOf, type Rational } from "#core/formats/rational.ts";
import { cut, figure } from "#ui/digits.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { pointIn } from "#ui/pointer.ts";
import { binned, frame } from "./geometry.ts";
import { FLOOR, type Histogram, SIDE } from "./histogram.ts";
import { cellWords, power } from "./words.ts";

const DIGITS = 6; // of a gradient: what follows is cut, with an ellipsis

export interface BitInspector {
  readonly element: HTMLElement;
  /** `names`: the tensors' of the answers. */
  layout(answers: Answers, names: readonly string[], width: number): void;
  draw(log2LossScale: number): void;
  /** Show the bits of the gradients' binade from 2^exponent on; null: none. */
  show(exponent: number | null): void;
}

/** `choose` is called with the binade that is picked: the exponent of its gradients before scaling. */
export function bitInspector(plot: Histogram, choose: (exponent: number | null) => void): BitInspector {
  const ring = s("rect", { class: "mw-bit-inspector-ring", y: 26, height: FLOOR - 26, visibility: "hidden" });
  plot.element.append(ring);
  const surface = h("div", { class: "mw-bit-inspector-surface", role: "group", tabindex: 0, "aria-label": t("explorer.bit_inspector") }, plot.element);
  const said = h("p", { class: "mw-note mw-bit-inspector-said" }, t("explorer.bits_hint"));
  const title = h("p");
  const bits = h("p", { class: "mw-num mw-bit-inspector-bits", role: "img" });
  const value = h("p");
  const close = h("button", { type: "button" }, t("explorer.bits_close"));
  const panel = h("div", { class: "mw-callout mw-bit-inspector", hidden: true }, h("div", {}, title, bits, value), close);
  const element = h("div", { class: "mw-stack-tight" }, surface, said, panel);
  let answers: Answers | undefined;
  let names: readonly string[] = [];
  let shape = { x: (binade: number) => binade, invert: (pixels: number) => pixels, low: 0, bins: 1 };
  let [column, log2] = [-1, 0];
  let chosen: number | null = null;

  surface.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (step !== undefined) point((column < 0 ? shape.bins >> 1 : column) + step);
    else if (event.key === "Enter" || event.key === " ") pick();
    else return;
    event.preventDefault();
  });
  // Spoken only where the user is: the words also change while the scale moves.
  surface.addEventListener("focus", () => set(said, { "aria-live": "polite" }));
  surface.addEventListener("blur", () => set(said, { "aria-live": undefined }));
  surface.addEventListener("pointermove", (event) => point(under(event)));
  surface.addEventListener("click", (event) => {
    point(under(event));
    pick();
  });
  close.addEventListener("click", () => {
    choose(null);
    surface.focus();
  });

  function under(event: MouseEvent): number {
    return Math.floor(shape.invert(pointIn(plot.element, event).x - SIDE)) - shape.low;
  }

  function layout(next: Answers, its: readonly string[], width: number): void {
    [answers, names] = [next, its];
    const { x, low, bins } = frame(next.format, Math.max(width - 2 * SIDE, 120), 1, 1);
    shape = { x, invert: x.invert, low, bins };
    column = Math.min(column, bins - 1);
    draw(log2);
  }

  function point(to: number): void {
    column = Math.min(Math.max(to, 0), shape.bins - 1);
    tell();
  }

  /** What the binade under the ring holds. */
  function tell(): void {
    if (!answers || column < 0) return;
    const { x, low } = shape;
    set(ring, { x: x(low + column), width: x(low + 1) - x(low), visibility: "visible" });
    setText(said, cellWords(binned(answers.total, answers.format, log2), column, shape, answers.total.finite));
  }

  function pick(): void {
    if (answers && column >= 0) choose(shape.low + column - log2);
  }

  function show(exponent: number | null): void {
    chosen = exponent;
    panel.hidden = exponent === null;
    draw(log2);
  }

  function draw(next: number): void {
    log2 = next;
    tell();
    if (!answers || chosen === null) return;
    const { format } = answers;
    const sample = answers.total.sample(chosen);
    const gradient = sample === undefined ? powerOf(2n, chosen) : rationalOf(sample);
    const scaled = multiply(gradient, powerOf(2n, log2));
    const negative = gradient.numerator < 0n;
    const rounded = roundMagnitude(format, magnitudeOf(scaled));
    const overflows = rounded > format.maxCode;
    const code = overflows ? beyond(format, negative) : withSign(format, rounded, negative);
    setText(title, sample === undefined
      ? t("explorer.bits_of_edge", { gradient: power(chosen), scaled: power(chosen + log2), format: format.name })
      : t("explorer.bits_of_gradient", { name: nameOf(sample, chosen), gradient: cut(gradient, DIGITS), scaled: cut(scaled, DIGITS), format: format.name }));
    const parts = fieldsInBits(format, code);
    setText(bits, parts.map(({ digits }) => digits).join(" "));
    set(bits, { "aria-label": listed(parts.map(({ name, digits }) => `${name} ${digits}`)) });
    setText(value, outcome(format, code, overflows));
  }

  /** The tensor whose sample it is: the first that kept one of this binade. */
  function nameOf(sample: number, exponent: number): string {
    return names[answers!.summaries.findIndex((one) => one.sample(exponent) === sample)]!;
  }

  return { element, layout, draw, show };
}

function rationalOf(value: number): Rational {
  return exact(getFormat("float64")!, new BigUint64Array(Float64Array.of(value).buffer)[0]!);
}

/** The format's fields, their bits as text; fields without bits are left out. */
function fieldsInBits(format: FloatFormat, code: bigint): { name: string; digits: string }[] {
  const { biasedExponent, fraction } = fields(format, code);
  const padded = (of: number | bigint, width: number) => of.toString(2).padStart(width, "0");
  return [
    { name: t("explorer.bits_sign"), digits: isNegative(format, code) ? "1" : "0" },
    { name: t("explorer.bits_exponent"), digits: format.exponentBits ? padded(biasedExponent, format.exponentBits) : "" },
    { name: t("explorer.bits_fraction"), digits: format.fractionBits ? padded(fraction, format.fractionBits) : "" },
  ].filter(({ digits }) => digits !== "");
}

/** What the bits are: "= 0.5 · normal · ulp 2⁻¹¹". */
function outcome(format: FloatFormat, code: bigint, overflows: boolean): string {
  const args = { value: figure(format, code).text, code: format.toHex(code) };
  if (overflows) return t("explorer.bits_overflow", args);
  const kind = classify(format, code);
  if (kind !== "normal" && kind !== "subnormal") return t("explorer.bits_flushed", args);
  return t("explorer.bits_value", { ...args, kind: t(`explorer.zone_${kind}`), ulp: power(floorLog2(ulp(format, code))) });
}
