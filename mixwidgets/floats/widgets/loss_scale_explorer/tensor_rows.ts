// A bar for each tensor, in a list that can be searched and sorted. What is above shows all tensors, or the chosen one.

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import type { Answers } from "#core/gradients/answers.ts";
import { CLASSES } from "#core/gradients/boundaries.ts";
import { button } from "#ui/buttons.ts";
import { oneStop } from "#ui/cells.ts";
import { h, s, set, setText, uniqueId } from "#ui/dom.ts";
import { finder, wordsIn } from "#ui/finder.ts";
import { t } from "#ui/messages.ts";
import type { Textures } from "#ui/ruler/textures.ts";
import { integer } from "#ui/digits.ts";
import { share } from "#ui/ruler/words.ts";
import type { Explored } from "./state.ts";

const FEW = 12; // rows shown before "show all"; with no more tensors, there is no search
const ORDERS = ["lost", "model", "name", "size"] as const;
type Order = (typeof ORDERS)[number];

/** `lost`: the indices of the tensors, those that lose most first. */
export function tensorRows(
  { view, names, all: answers, scale, settled, tensor, narrow }: Explored, textures: Textures,
): { element: HTMLElement; lost: ReadonlySignal<readonly number[]>; focus(): void } {
  const id = uniqueId("tensors");
  const heading = h("h4", { id });
  const find = finder<Order>(t("explorer.search"), t("explorer.order"), ORDERS.map((one) => [one, t(`explorer.order_${one}`)] as const));
  const list = h("ol", { "aria-labelledby": id });
  const more = button("", () => (isAll.value = !isAll.value));
  const isAll = signal(false);
  const rows = computed(() => names.value.map((name) => row(name, textures, () => narrow(tensor.peek() === name ? null : name))));
  const lost = computed(() => byLoss(settled.value.all, settled.value.log2));
  const found = computed(() => {
    const words = wordsIn(find.text.value);
    const isFound = (index: number) => words.every((word) => names.value[index]!.toLowerCase().includes(word));
    return sorted(lost.value, find.order.value, names.value, settled.value.all).filter(isFound);
  });
  const shown = computed(() => (isAll.value ? found.value : found.value.slice(0, FEW)));

  const stop = oneStop(list, () => shown.value.map((index) => [rows.value[index]!.button]));

  view.effect(() => {
    const [some, every] = [found.value.length, names.value.length];
    find.element.hidden = every <= FEW;
    setText(heading, t(every <= FEW ? "explorer.by_tensor" : "explorer.tensors"));
    setText(find.told, t("explorer.found", { count: integer(some), all: integer(every) }));
    const focused = list.querySelector<HTMLElement>(":focus"); // loses the focus when it is moved
    list.replaceChildren(...shown.value.map((index) => rows.value[index]!.item));
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    else stop();
    more.hidden = some <= FEW;
    set(more, { "aria-expanded": String(isAll.value) });
    setText(more, isAll.value ? t("explorer.show_few", { count: FEW }) : t("explorer.show_all", { count: some }));
    set(list, { class: isAll.value ? "mw-tensors mw-tensors-all" : "mw-tensors" });
  });
  view.effect(() => {
    for (const index of shown.value) rows.value[index]!.draw(answers.value.counts(index, scale.value));
  });
  view.effect(() => rows.value.forEach(({ button }, index) => set(button, { "aria-pressed": String(names.value[index] === tensor.value) })));
  return { element: h("div", { class: "mw-stack-tight" }, heading, find.element, list, more), lost, focus: () => list.querySelector<HTMLElement>("[tabindex='0']")?.focus() };
}

function byLoss(answers: Answers, log2: number): number[] {
  const lost = answers.summaries.map(({ finite }, tensor) => {
    const [flushed, , , overflow] = answers.counts(tensor, log2);
    return finite === 0 ? -1 : (flushed! + overflow!) / finite;
  });
  return [...lost.keys()].sort((a, b) => lost[b]! - lost[a]! || a - b);
}

function sorted(lost: readonly number[], order: Order, names: readonly string[], { summaries }: Answers): number[] {
  const by = {
    lost: () => 0,
    model: (a: number, b: number) => a - b,
    name: (a: number, b: number) => names[a]!.localeCompare(names[b]!, "en", { numeric: true }),
    size: (a: number, b: number) => summaries[b]!.count - summaries[a]!.count,
  };
  return [...lost].sort(by[order]);
}

function row(name: string, textures: Textures, choose: () => void) {
  const parts = CLASSES.map((kind) => s("rect", { y: 0, height: 20, width: 0, fill: textures.fill(kind) }));
  const bar = s("svg", { class: "mw-tensor-bar", height: 20, "aria-hidden": "true" }, ...parts);
  const text = h("span", { class: "mw-num mw-tensor-text" });
  const element = button("", choose, { class: "mw-tensor" });
  element.append(h("span", { class: "mw-tensor-name", title: name }, name), bar, text);

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
  return { item: h("li", {}, element), button: element, draw };
}

function words(counts: Float64Array, finite: number): string {
  if (finite === 0) return t("explorer.row_empty");
  const flushed = t("explorer.row_flushed", { share: share(counts[0]!, finite) });
  return counts[3]! > 0 ? t("explorer.row_overflow", { flushed, share: share(counts[3]!, finite) }) : flushed;
}
