// Choosing a binade in the histogram, and the bits of one of its gradients (of its lower edge, if no gradient was kept), in
// the format and at each scale.

import { computed, signal, type ReadonlySignal } from "@preact/signals-core";
import { exactOf } from "#core/formats/decode.ts";
import { multiply, negate, power, type Rational } from "#core/formats/rational.ts";
import type { GradientSummary } from "#core/gradients/summary.ts";
import { clamp } from "#core/range.ts";
import { announcer } from "#ui/announcer.ts";
import { cut, twoTo } from "#ui/digits.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { listed, t } from "#ui/messages.ts";
import { pointIn } from "#ui/pointer.ts";
import { keysNote } from "#ui/term.ts";
import { bitsPanel } from "./bits_panel.ts";
import { HEAD, SIDE, type Histogram, type Ruled } from "./histogram.ts";
import { cellWords } from "./words.ts";

const DIGITS = 6; // of a gradient; the rest is cut, with an ellipsis

interface Inspected extends Ruled {
  /** The names and summaries of the tensors, in the same order. */
  readonly names: ReadonlySignal<readonly string[]>;
  readonly answers: ReadonlySignal<Ruled["answers"]["value"] & { readonly summaries: readonly GradientSummary[] }>;
  /** The exponent of the chosen binade, before scaling; null: none. */
  readonly binade: ReadonlySignal<number | null>;
  choose(exponent: number | null): void;
  /** More words about a drawn binade, from its exponent after scaling. */
  readonly aside?: (exponent: number) => string;
}

export function bitInspector(inspected: Inspected, plot: Histogram): HTMLElement {
  const { view, names, answers, scale, binade, choose } = inspected;
  const { surface, words } = binades(inspected, plot, choose);
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
    const digits = (size: Rational) => cut(negative ? negate(size) : size, DIGITS);
    // Of several tensors with this sample, the first.
    const name = () => names.value[summaries.findIndex((summary) => summary.sample(exponent) === sample)]!;
    const title = sample === undefined
      ? t("ruler.bits_of_edge", { gradient: twoTo(exponent), scaled: twoTo(exponent + log2), format: format.name })
      : t("ruler.bits_of_gradient", { name: name(), gradient: digits(magnitude), scaled: digits(scaled), format: format.name });
    panel.show(title, format, { kind: "finite", negative, magnitude: scaled });
  });
  return h("div", { class: "mw-stack-tight" }, surface, words, panel.element);
}

/** The histogram's bars under the pointer and the keys: point at a binade, or use the arrow keys, to read its counts; choose
 * it. `pick` gets the exponent of a gradient before scaling. */
function binades({ view, answers, scale, aside }: Inspected, plot: Histogram, pick: (exponent: number) => void): { surface: HTMLElement; words: HTMLElement } {
  const ring = s("rect", { class: "mw-binades-ring", y: HEAD, height: plot.floor - HEAD, visibility: "hidden" });
  plot.element.append(ring);
  const surface = h("div", {
    class: "mw-binades", role: "group", tabindex: 0, "aria-label": t("common.named", { name: t("ruler.binades"), what: t("ruler.keys") }),
  }, plot.element);
  const spoken = announcer(view); // only after keys, because the texts also change while a network trains
  surface.append(spoken.element);
  const words = h("span", {}, t("ruler.bits_hint"));
  const pointed = signal(-1); // the marked binade, counted from the first drawn one; -1: none
  const column = computed(() => Math.min(pointed.value, plot.frame.value.bins - 1));

  surface.addEventListener("keydown", (event) => {
    if (hasModifier(event)) return;
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (step !== undefined) point((column.value < 0 ? plot.frame.value.bins >> 1 : column.value) + step);
    else if (event.key === "Enter" || event.key === " ") pickPointed();
    else return;
    event.preventDefault();
    spoken.say(words.textContent!);
  });
  surface.addEventListener("pointermove", (event) => point(binadeAt(event)));
  surface.addEventListener("click", (event) => {
    point(binadeAt(event));
    pickPointed();
  });

  /** The binade under the pointer, counted from the first drawn one. */
  function binadeAt(event: MouseEvent): number {
    const { x, low } = plot.frame.value;
    return Math.floor(x.invert(pointIn(plot.element, event).x - SIDE)) - low;
  }

  function point(to: number): void {
    pointed.value = clamp(to, 0, plot.frame.value.bins - 1);
  }

  function pickPointed(): void {
    if (column.value >= 0) pick(plot.frame.value.low + column.value - scale.value);
  }

  view.effect(() => {
    if (column.value < 0) return;
    const { x, low } = plot.frame.value;
    set(ring, { x: x(low + column.value), width: x(low + 1) - x(low), visibility: "visible" });
    setText(words, listed([cellWords(plot.table.value, column.value, plot.frame.value, answers.value.total.finite), aside?.(low + column.value) ?? ""]));
  });
  return { surface, words: h("div", { class: "mw-note mw-binades-said" }, words, keysNote("ruler.keys")) };
}
