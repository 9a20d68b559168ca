// A station of the loop: its head, the value with its bits, and what belongs to it. In a narrow card it is one line that opens.

import { computed, signal, type ReadonlySignal } from "@preact/signals-core";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { button } from "#ui/buttons.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { View } from "#ui/view.ts";
import { bitsRow } from "./bits_row.ts";
import { codeIn } from "./names.ts";

export type Tag = "lost" | "stopped" | "";

/** What a station shows of one weight. */
export interface Shown {
  readonly title: string;
  readonly titleOfAll: string;
  readonly format: FloatFormat;
  readonly isNarrow: boolean;
  /** Whether the value was lost here, or the step stopped here. */
  readonly tag: Tag;
  /** Whether it was lost before. */
  readonly isAfter: boolean;
  /** The value in digits. */
  readonly figure: string;
  readonly aside: string;
  /** The value, of whose bits the figure tells; null if it has none. */
  readonly value: number | null;
  /** The value whose bits it had before. */
  readonly before?: number;
  readonly hasBits: boolean;
  /** The station for a screen reader: "gradient, float16, 1.63e−8 rounded to 0". */
  readonly spoken: string;
}

interface Places {
  readonly view: View;
  /** A word for the place in the grid. */
  readonly area: string;
  readonly number: number;
  /** Whether stations are lines. */
  readonly isFolded: ReadonlySignal<boolean>;
  readonly shown: ReadonlySignal<Shown>;
  /** Whether it stands for all weights: then `all` is shown instead of the value. */
  readonly isAll: ReadonlySignal<boolean>;
  /** Before the value, after it, and instead of it. */
  readonly above?: HTMLElement;
  readonly below?: HTMLElement;
  readonly all: HTMLElement;
  open(shown: Shown): void;
}

export function stationCard({ view, area, number, isFolded, shown, isAll, above, below, all, open }: Places) {
  const title = h("h4", { id: uniqueId("station") });
  const tag = h("span", { class: "mw-step-tag" });
  const short = h("span", { class: "mw-step-short mw-num", "aria-hidden": "true" });
  const format = h("span", { class: "mw-step-format" });
  const fold = button("▸", () => (isOpen.value ? (chosen.value = false) : (chosen.value = true)), { class: "mw-step-fold" });
  const figure = button("", () => shown.peek().value !== null && open(shown.peek()), { class: "mw-step-figure" });
  const aside = h("span", { class: "mw-step-aside" });
  const bits = bitsRow();
  const one = h("div", { class: "mw-step-body" }, above, h("div", { class: "mw-step-value" }, figure, aside), bits.element, below);
  const body = h("div", { id: uniqueId("body"), class: "mw-step-body" }, one, all);
  const element = h("section", { class: "mw-step-station" },
    h("div", { class: "mw-step-head" }, h("span", { class: "mw-step-number", "aria-hidden": "true" }, String(number)), title, tag, short, format, fold), body);
  element.style.gridArea = area;
  /** What the reader opened or closed; null for neither: then the framed one is open. */
  const chosen = signal<boolean | null>(null);
  const isOpen = computed(() => !isFolded.value || (chosen.value ?? shown.value.tag !== ""));

  view.effect(() => {
    const now = shown.value;
    const isOne = !isAll.value;
    const tagOf = isOne || now.tag === "stopped" ? now.tag : "";
    setText(title, isOne ? now.title : now.titleOfAll);
    setText(tag, tagOf && t(`step.ui.tag_${tagOf}`));
    tag.hidden = tagOf === "";
    setText(format, now.format.name);
    set(element, {
      "aria-label": isOne ? now.spoken : now.titleOfAll, "data-tag": tagOf || undefined, "data-after": isOne && now.isAfter ? "lost" : undefined,
      "data-narrow": now.isNarrow, "data-left-out": now.value === null && now.tag === "",
    });
    setText(figure, now.figure);
    set(figure, { "aria-label": now.value === null ? now.spoken : t("step.ui.open_bits", { what: now.spoken }), "aria-disabled": now.value === null && "true" });
    setText(aside, now.aside);
    aside.hidden = now.aside === "";
    setText(short, now.figure);
    bits.element.hidden = !now.hasBits || now.value === null;
    if (now.hasBits && now.value !== null) {
      const code = codeIn(now.format, now.value);
      bits.show(now.format, code, now.before === undefined ? code : codeIn(now.format, now.before));
    }
  });
  view.effect(() => {
    one.hidden = isAll.value;
    all.hidden = !isAll.value;
    short.hidden = !isFolded.value || isOpen.value || isAll.value;
    body.hidden = !isOpen.value;
    set(fold, { hidden: !isFolded.value, "aria-expanded": String(isOpen.value), "aria-controls": body.id, "aria-label": t("step.ui.fold", { station: shown.value.title }) });
    setText(fold, isOpen.value ? "▾" : "▸");
  });
  return element;
}

/** A line that a station shows under its value. */
export const line = (kind = ""): HTMLElement => h("p", { class: `mw-step-line ${kind}`.trim() });

export type WayIs = "" | "lost" | "closed" | "none";

/** The way from one station to the next, with what happens on it. `to`: where it leads in a wide card; in a narrow one all
 * lead down. */
export function way(view: View, area: string, to: "down" | "right" | "up" | "left", isFolded: ReadonlySignal<boolean>, is: ReadonlySignal<WayIs>, words: ReadonlySignal<string>): HTMLElement {
  const text = h("span");
  const element = h("div", { class: "mw-step-way" }, h("i"), text);
  element.style.gridArea = area;
  view.effect(() => {
    set(element, { "data-to": isFolded.value ? "down" : to, "data-is": is.value || undefined });
    setText(text, words.value);
  });
  return element;
}
