// The loss scale S: one slider, and above it a strip of what the step does at each S, to one weight or, in shares, to all.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import type { Fate } from "#training/fate.ts";
import { HIGHEST } from "#training/strip.ts";
import { twoTo } from "#ui/digits.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { spokenScale } from "#ui/ruler/words.ts";
import type { View } from "#ui/view.ts";
import { fateName, scaleText } from "./names.ts";

const TICKS = [0, 10, 20, 30, 40];

/** How many weights have each fate; fates that no weight has are left out. */
export type Shares = readonly (readonly [Fate, number])[];

interface Strip {
  readonly view: View;
  /** The shares at 2^0, 2^1, … */
  readonly shares: ReadonlySignal<readonly Shares[]>;
  readonly log2: ReadonlySignal<number>;
  /** `isHeld`: the slider is being moved, and has not been released. */
  move(log2: number, isHeld: boolean): void;
}

export function stripPart({ view, shares, log2, move }: Strip): HTMLElement {
  const cells = Array.from({ length: HIGHEST + 1 }, () => h("span"));
  const names = h("div", { class: "mw-step-strip-names", "aria-hidden": "true" });
  const strip = h("div", { class: "mw-step-strip", "aria-hidden": "true" }, ...cells, h("i"));
  const slider = h("input", { type: "range", min: 0, max: HIGHEST, step: 1, "aria-label": t("step.ui.scale") });
  const formula = h("output", { class: "mw-step-formula" });
  const ticks = h("div", { class: "mw-step-ticks", "aria-hidden": "true" }, ...TICKS.map((at) => {
    const tick = h("span", {}, twoTo(at));
    tick.style.setProperty("--at", String(at));
    return tick;
  }));
  const body = h("div", { class: "mw-step-strip-body" }, names, strip, slider, ticks);
  const width = view.width(body);
  slider.addEventListener("input", () => move(Number(slider.value), true));
  slider.addEventListener("change", () => move(Number(slider.value), false));

  view.effect(() => {
    shares.value.forEach((parts, scale) => fillShares(cells[scale]!, parts));
    body.toggleAttribute("data-all", shares.value.some((parts) => parts.length > 1));
  });
  const labels = computed(() => labelsOf(shares.value, width.value));
  view.effect(() => {
    labels.value.forEach(({ text, at, isLast }, i) => {
      const label = (names.children[i] ?? names.appendChild(h("span"))) as HTMLElement;
      setText(label, text);
      Object.assign(label.style, isLast ? { left: "auto", right: "0" } : { left: `${at}px`, right: "auto" });
      label.hidden = false;
    });
    for (const unused of [...names.children].slice(labels.value.length)) (unused as HTMLElement).hidden = true;
  });
  view.effect(() => {
    if (Number(slider.value) !== log2.value) slider.value = String(log2.value);
    body.style.setProperty("--at", String(log2.value));
    setText(formula, log2.value > 0 && log2.value <= 16 ? `S = ${twoTo(log2.value)} = ${2 ** log2.value}` : `S = ${scaleText(log2.value)}`);
  });
  view.effect(() => set(slider, { "aria-valuetext": spokenShares(log2.value, shares.value[log2.value] ?? []) }));
  return h("div", { class: "mw-step-scale" }, h("span", { class: "mw-muted", "aria-hidden": "true" }, t("step.ui.scale")), body, formula);
}

/** Fill `element` with a part for each share, in place. */
export function fillShares(element: HTMLElement, parts: Shares): void {
  parts.forEach(([fate, count], i) => {
    const part = (element.children[i] ?? element.appendChild(h("span"))) as HTMLElement;
    set(part, { class: `mw-fate mw-fate-${fate}` });
    if (part.style.flexGrow !== String(count)) part.style.flexGrow = String(count);
  });
  while (element.children.length > parts.length) element.lastElementChild!.remove();
}

function spokenShares(log2: number, parts: Shares): string {
  const all = parts.reduce((sum, [, count]) => sum + count, 0);
  const words = parts.map(([fate, count]) => (all === 1 ? fateName(fate) : t("step.ui.share", { count, what: fateName(fate) })));
  return t("common.named", { name: spokenScale(log2), what: words.join(", ") });
}

/** A name for the strip; the kinds of loss have one. */
const captionOf = (fate: Fate): string => (fate === "flushed" || fate === "flushed_on_the_way" || fate === "update_lost" ? t("step.ui.still") : fateName(fate));

interface Label {
  readonly text: string;
  readonly at: number;
  /** Whether it ends where the strip does. */
  readonly isLast: boolean;
}

/** Names for the runs of scales at which one weight has the same fate: the longest first, as many as have room. */
function labelsOf(shares: readonly Shares[], width: number): Label[] {
  if (shares.some((parts) => parts.length !== 1 || parts[0]![1] !== 1)) return [];
  const runs: { text: string; from: number; to: number }[] = [];
  shares.forEach((parts, scale) => {
    const text = captionOf(parts[0]![0]);
    const last = runs.at(-1);
    if (last?.text === text) last.to = scale + 1;
    else runs.push({ text, from: scale, to: scale + 1 });
  });
  const widest = runs.toSorted((a, b) => b.to - b.from - (a.to - a.from));
  const placed: (Label & { readonly end: number })[] = [];
  for (const { text, from, to } of widest.filter((run, i) => widest.findIndex((other) => other.text === run.text) === i)) {
    const wide = [...text].reduce((sum, letter) => sum + (letter > "\u2e80" ? 13 : 7.4), 0);
    const middle = ((from + to) / 2 / shares.length) * width;
    const at = Math.max(0, Math.min(width - wide, middle - wide / 2));
    if (placed.every((other) => at > other.end + 8 || at + wide + 8 < other.at)) placed.push({ text, at, end: at + wide, isLast: at + wide >= width });
  }
  return placed;
}
