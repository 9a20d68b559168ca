// A bar for each tensor, those that lose most first.

import { CLASSES } from "#core/gradients/boundaries.ts";
import type { Answers } from "#core/gradients/answers.ts";
import { h, s, set, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { Textures } from "./textures.ts";
import { share } from "./words.ts";

const FEW = 12; // rows shown before "show all"

export interface TensorRows {
  readonly element: HTMLElement;
  /** Take other tensors. */
  replace(names: readonly string[]): void;
  /** Put the rows in order of what they lose, then draw them. */
  arrange(answers: Answers, log2LossScale: number): void;
  /** Draw the rows that are shown, in the order they are in. */
  draw(answers: Answers, log2LossScale: number): void;
  /** The tensors in their order. */
  order(): readonly number[];
}

interface Row {
  readonly item: HTMLLIElement;
  readonly draw: (counts: Float64Array) => void;
}

export function tensorRows(textures: Textures): TensorRows {
  const id = uniqueId("tensors");
  const list = h("ol", { class: "mw-tensors", "aria-labelledby": id });
  const more = h("button", { type: "button", "aria-expanded": "false" });
  const element = h("div", { class: "mw-stack-tight" }, h("h4", { id }, t("explorer.by_tensor")), list, more);
  let rows: Row[] = [];
  let order: number[] = [];
  let all = false;
  let again = () => {};

  more.addEventListener("click", () => {
    all = !all;
    again();
  });

  function replace(names: readonly string[]): void {
    rows = names.map((name) => row(name, textures));
    order = [...rows.keys()];
  }

  function shown(): number[] {
    return all ? order : order.slice(0, FEW);
  }

  function arrange(answers: Answers, log2: number): void {
    const lost = rows.map((_, tensor) => {
      const [flushed, subnormal, normal, overflow] = answers.counts(tensor, log2);
      const finite = flushed! + subnormal! + normal! + overflow!;
      return finite === 0 ? -1 : (flushed! + overflow!) / finite;
    });
    order = [...rows.keys()].sort((a, b) => lost[b]! - lost[a]! || a - b);
    again = () => arrange(answers, log2);
    list.replaceChildren(...shown().map((tensor) => rows[tensor]!.item));
    more.hidden = rows.length <= FEW;
    set(more, { "aria-expanded": String(all) });
    setText(more, all ? t("explorer.show_few", { count: FEW }) : t("explorer.show_all", { count: rows.length }));
    set(list, { tabindex: all && rows.length > FEW ? 0 : undefined, class: all ? "mw-tensors mw-tensors-all" : "mw-tensors" });
    draw(answers, log2);
  }

  function draw(answers: Answers, log2: number): void {
    again = () => arrange(answers, log2);
    for (const tensor of shown()) rows[tensor]!.draw(answers.counts(tensor, log2));
  }

  return { element, replace, arrange, draw, order: () => order };
}

function row(name: string, textures: Textures): Row {
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
