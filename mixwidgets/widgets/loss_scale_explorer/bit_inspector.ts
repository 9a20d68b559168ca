// From the histogram to bits: point at a binade and read what it holds; choose one and see one of its gradients, or
// its lower edge where none was kept, as the format keeps it at every scale that the slider takes.

import { computed, signal } from "@preact/signals-core";
import { getFormat } from "#core/formats/catalogue.ts";
import { classify, exact, fields, isNegative, ulp } from "#core/formats/decode.ts";
import { beyond, roundMagnitude, withSign } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { floorLog2, magnitudeOf, multiply, power as powerOf, type Rational } from "#core/formats/rational.ts";
import { cut, figure } from "#ui/digits.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { pointIn } from "#ui/pointer.ts";
import { FLOOR, HEAD, type Histogram, SIDE } from "./histogram.ts";
import type { Explored } from "./state.ts";
import { cellWords, power } from "./words.ts";

const DIGITS = 6; // of a gradient: what follows is cut, with an ellipsis

export function bitInspector({ view, names, answers, scale }: Explored, plot: Histogram): HTMLElement {
  const ring = s("rect", { class: "mw-bit-inspector-ring", y: HEAD, height: FLOOR - HEAD, visibility: "hidden" });
  plot.element.append(ring);
  const surface = h("div", { class: "mw-bit-inspector-surface", role: "group", tabindex: 0, "aria-label": t("explorer.bit_inspector") }, plot.element);
  const said = h("p", { class: "mw-note mw-bit-inspector-said" }, t("explorer.bits_hint"));
  const title = h("p");
  const bits = h("p", { class: "mw-num mw-bit-inspector-bits", role: "img" });
  const value = h("p");
  const close = h("button", { type: "button" }, t("explorer.bits_close"));
  const panel = h("div", { class: "mw-callout mw-bit-inspector" }, h("div", {}, title, bits, value), close);
  const chosen = view.trait("binade");
  const pointed = signal(-1); // the drawn binade under the ring; -1: none
  const column = computed(() => Math.min(pointed.value, plot.frame.value.bins - 1));

  surface.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (step !== undefined) point((column.value < 0 ? plot.frame.value.bins >> 1 : column.value) + step);
    else if (event.key === "Enter" || event.key === " ") pick();
    else return;
    event.preventDefault();
  });
  // Spoken only where the user is: the words also change while the scale moves.
  surface.addEventListener("focus", () => set(said, { "aria-live": "polite" }));
  surface.addEventListener("blur", () => set(said, { "aria-live": undefined }));
  surface.addEventListener("pointermove", pointUnder);
  surface.addEventListener("click", (event) => {
    pointUnder(event);
    pick();
  });
  close.addEventListener("click", () => {
    view.send("binade", null);
    surface.focus();
  });

  function pointUnder(event: MouseEvent): void {
    const { x, low } = plot.frame.value;
    point(Math.floor(x.invert(pointIn(plot.element, event).x - SIDE)) - low);
  }

  function point(to: number): void {
    pointed.value = Math.min(Math.max(to, 0), plot.frame.value.bins - 1);
  }

  function pick(): void {
    if (column.value >= 0) view.send("binade", plot.frame.value.low + column.value - scale.value);
  }

  view.effect(() => {
    if (column.value < 0) return;
    const { x, low } = plot.frame.value;
    set(ring, { x: x(low + column.value), width: x(low + 1) - x(low), visibility: "visible" });
    setText(said, cellWords(plot.table.value, column.value, plot.frame.value, answers.value.total.finite));
  });
  view.effect(() => {
    const exponent = chosen.value;
    panel.hidden = exponent === null;
    if (exponent === null) return;
    const { format, total, summaries } = answers.value;
    const log2 = scale.value;
    const sample = total.sample(exponent);
    const gradient = sample === undefined ? powerOf(2n, exponent) : rationalOf(sample);
    const scaled = multiply(gradient, powerOf(2n, log2));
    const negative = gradient.numerator < 0n;
    const rounded = roundMagnitude(format, magnitudeOf(scaled));
    const overflows = rounded > format.maxCode;
    const code = overflows ? beyond(format, negative) : withSign(format, rounded, negative);
    // Of several tensors that kept the same gradient, the first.
    const name = () => names.value[summaries.findIndex((one) => one.sample(exponent) === sample)]!;
    setText(title, sample === undefined
      ? t("explorer.bits_of_edge", { gradient: power(exponent), scaled: power(exponent + log2), format: format.name })
      : t("explorer.bits_of_gradient", { name: name(), gradient: cut(gradient, DIGITS), scaled: cut(scaled, DIGITS), format: format.name }));
    const parts = fieldsInBits(format, code);
    setText(bits, parts.map(({ digits }) => digits).join(" "));
    set(bits, { "aria-label": listed(parts.map(({ name, digits }) => `${name} ${digits}`)) });
    setText(value, outcome(format, code, overflows));
  });
  return h("div", { class: "mw-stack-tight" }, surface, said, panel);
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
