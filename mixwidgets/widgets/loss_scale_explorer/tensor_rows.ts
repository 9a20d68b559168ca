// A bar for each tensor, those that lose most first.

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import type { Answers } from "#core/gradients/answers.ts";
import { CLASSES } from "#core/gradients/boundaries.ts";
import { h, s, set, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { Textures } from "#ui/ruler/textures.ts";
import { share } from "#ui/ruler/words.ts";
import type { Explored } from "./state.ts";

const FEW = 12; // rows shown before "show all"

/** `order`: the tensors, those that lose most first. */
export function tensorRows(
  { view, names, answers, scale, settled }: Explored, textures: Textures,
): { element: HTMLElement; order: ReadonlySignal<readonly number[]> } {
  const id = uniqueId("tensors");
  const list = h("ol", { "aria-labelledby": id });
  const more = h("button", { type: "button" });
  const all = signal(false);
  const rows = computed(() => names.value.map((name) => row(name, textures)));
  const order = computed(() => byLoss(settled.value.answers, settled.value.log2));
  const shown = computed(() => (all.value ? order.value : order.value.slice(0, FEW)));

  more.addEventListener("click", () => (all.value = !all.value));
  view.effect(() => {
    const { length } = rows.value;
    list.replaceChildren(...shown.value.map((tensor) => rows.value[tensor]!.item));
    more.hidden = length <= FEW;
    set(more, { "aria-expanded": String(all.value) });
    setText(more, all.value ? t("explorer.show_few", { count: FEW }) : t("explorer.show_all", { count: length }));
    set(list, { tabindex: all.value && length > FEW ? 0 : undefined, class: all.value ? "mw-tensors mw-tensors-all" : "mw-tensors" });
  });
  view.effect(() => {
    for (const tensor of shown.value) rows.value[tensor]!.draw(answers.value.counts(tensor, scale.value));
  });
  return { element: h("div", { class: "mw-stack-tight" }, h("h4", { id }, t("explorer.by_tensor")), list, more), order };
}

function byLoss(answers: Answers, log2: number): number[] {
  const lost = answers.summaries.map((_, tensor) => {
    const [flushed, subnormal, normal, overflow] = answers.counts(tensor, log2);
    const finite = flushed! + subnormal! + normal! + overflow!;
    return finite === 0 ? -1 : (flushed! + overflow!) / finite;
  });
  return [...lost.keys()].sort((a, b) => lost[b]! - lost[a]! || a - b);
}

function row(name: string, textures: Textures): { item: HTMLLIElement; draw: (counts: Float64Array) => void } {
  const parts = CLASSES.map((kind) => s("rect", { y: 0, height: 20, width: 0, fill: textures.fill(kind) }));
  const bar = s("svg", { class: "mw-tensor-bar", height: 20, "aria-hidden": "true" }, ...parts);
  const text = h("span", { class: "mw-num mw-tensor-text" });
  const item = h("li", {}, h("span", { class: "mw-tensor-name", title: name }, name), bar, text);

  function draw(counts: Float64Array): void {
    const finite = counts[0]! + counts[1]! + counts[2]! + counts[3]!;
    let left = 0;
    parts.forEach((part, kind) => {
      const width = finite ? (100 * counts[kind]!) / finite : 0;
      set(part, { x: `${left.toFixed(2)}%`, width: `${width.toFixed(2)}%` });
      left += width;
    });
    setText(text, words(counts, finite));
  }
  return { item, draw };
}

function words(counts: Float64Array, finite: number): string {
  if (finite === 0) return t("explorer.row_empty");
  const flushed = t("explorer.row_flushed", { share: share(counts[0]!, finite) });
  return counts[3]! > 0 ? t("explorer.row_overflow", { flushed, share: share(counts[3]!, finite) }) : flushed;
}
