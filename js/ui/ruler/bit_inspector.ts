// The bits of a gradient of the chosen binade (or of the binade's lower edge, if no gradient was kept), in the format
// and at each scale.

import type { ReadonlySignal } from "@preact/signals-core";
import { exactOf } from "#core/formats/decode.ts";
import { multiply, negate, power, type Rational } from "#core/formats/rational.ts";
import type { GradientSummary } from "#core/gradients/summary.ts";
import { cut, twoTo } from "#ui/digits.ts";
import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { binades } from "./binades.ts";
import { bitsPanel } from "./bits_panel.ts";
import type { Histogram, Ruled } from "./histogram.ts";

const DIGITS = 6; // of a gradient; the rest is cut, with an ellipsis

interface Inspected extends Ruled {
  /** The names and summaries of the tensors, in the same order. */
  readonly names: ReadonlySignal<readonly string[]>;
  readonly answers: ReadonlySignal<Ruled["answers"]["value"] & { readonly summaries: readonly GradientSummary[] }>;
  /** The exponent of the chosen binade, before scaling; null: none. */
  readonly binade: ReadonlySignal<number | null>;
  choose(exponent: number | null): void;
}

export function bitInspector(inspected: Inspected, plot: Histogram): HTMLElement {
  const { view, names, answers, scale, binade, choose } = inspected;
  const { surface, said } = binades(inspected, plot, choose);
  const panel = bitsPanel(() => {
    choose(null);
    surface.focus();
  });

  view.effect(() => {
    const exponent = binade.value;
    panel.element.hidden = exponent === null;
    if (exponent === null) return;
    const { format, total, summaries } = answers.value;
    const log2 = scale.value;
    const sample = total.sample(exponent);
    const { negative, magnitude } = exactOf(sample ?? 2 ** exponent);
    const scaled = multiply(magnitude, power(2n, log2));
    const digits = (one: Rational) => cut(negative ? negate(one) : one, DIGITS);
    // If several tensors have this sample, the first.
    const name = () => names.value[summaries.findIndex((one) => one.sample(exponent) === sample)]!;
    const title = sample === undefined
      ? t("ruler.bits_of_edge", { gradient: twoTo(exponent), scaled: twoTo(exponent + log2), format: format.name })
      : t("ruler.bits_of_gradient", { name: name(), gradient: digits(magnitude), scaled: digits(scaled), format: format.name });
    panel.show(title, format, { kind: "finite", negative, magnitude: scaled });
  });
  return h("div", { class: "mw-stack-tight" }, surface, said, panel.element);
}
