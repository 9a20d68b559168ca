// Names of units and weights, and numbers in the page's texts. No DOM.

import { exactOf } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import type { Fate } from "#training/fate.ts";
import type { Look, Place } from "#training/look.ts";
import { twoTo, withMinus } from "#ui/digits.ts";
import { t } from "#ui/messages.ts";
import { codeOf } from "#ui/ruler/bits_panel.ts";

export const fateName = (fate: Fate): string => t(`step.ui.fate_${fate}`);

/** A loss scale: "1", "2⁵". */
export const scaleText = (log2: number): string => (log2 === 0 ? "1" : twoTo(log2));

const lowered = (number: number): string => [...String(number)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]).join("");

/** "x₁" for a feature, "h₃" for a hidden unit ("h₂·₃" where there are several layers of these), "0" for a class. */
export function unitName(layer: number, unit: number, layers: number): string {
  if (layer === 0) return `x${lowered(unit + 1)}`;
  if (layer === layers - 1) return String(unit);
  return layers > 3 ? `h${lowered(layer)}·${lowered(unit + 1)}` : `h${lowered(unit + 1)}`;
}

/** "x₁ → h₃", or "b → h₃" for a bias. */
export function weightName({ tensors }: Pick<Look, "tensors">, { tensor, index }: Place): string {
  const { layer, kind, shape: [, outputs] } = tensors[tensor]!;
  const layers = tensors.length / 2 + 1;
  const from = kind === "bias" ? "b" : unitName(layer, Math.floor(index / outputs), layers);
  return `${from} → ${unitName(layer + 1, index % outputs, layers)}`;
}

/** A number in so many significant digits: "−0.4297691", "1.63e−8", "∞". */
export function digits(value: number, most: number): string {
  if (Object.is(value, -0)) return "−0";
  if (!Number.isFinite(value)) return withMinus(String(value).replace("Infinity", "∞"));
  const size = Math.abs(value);
  const text = size >= 1e6 || (size > 0 && size < 1e-3) ? value.toExponential(most - 1) : String(Number(value.toPrecision(most)));
  return withMinus(text.replace(/\.?0+e/, "e").replace("e+", "e"));
}

/** A weight, in as many digits as its format tells apart, roughly. */
export const weightText = (value: number, { fractionBits }: FloatFormat): string => digits(value, fractionBits > 16 ? 7 : 6);

/** How many gradients are not finite, and what they are. */
export function notFiniteText({ gradient, notFinite }: Look): string {
  const nans = gradient.reduce((sum, values) => sum + values.filter(Number.isNaN).length, 0);
  return `${notFinite} × ${nans === 0 ? "inf" : nans === notFinite ? "NaN" : t("step.ui.inf_or_nan")}`;
}

export const brief = (value: number): string => digits(value, 3);

export const codeIn = (format: FloatFormat, value: number): bigint => codeOf(format, exactOf(value));
