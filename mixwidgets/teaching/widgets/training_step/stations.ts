// The six stations and the ways between them, of one weight or of all.

import { computed, signal, type ReadonlySignal } from "@preact/signals-core";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { STAGED } from "#ui/stage.ts";
import type { View } from "#ui/view.ts";
import type { AllWeights } from "./all.ts";
import { fateName } from "./names.ts";
import { STATIONS, type OneWeight, type StationName } from "./one.ts";
import { roadDrawing } from "./road.ts";
import { line, type Shown, stationCard, way, type WayIs } from "./station.ts";
import { fillShares } from "./strip.ts";
import { fillBar, fillSquares, zoneWords, countZones, type Zone } from "./zones.ts";

const NARROW = 760; // pixels of a card whose stations are lines

interface Stations {
  readonly view: View;
  readonly root: HTMLElement;
  readonly one: ReadonlySignal<OneWeight>;
  /** null while one weight is shown. */
  readonly all: ReadonlySignal<AllWeights | null>;
  open(shown: Shown): void;
}

const PLACES: Record<StationName, readonly [area: string, number: number]> = {
  kept: ["s1", 1], copy: ["s2", 2], loss: ["s3", 3], backward: ["sb", 4], check: ["s4", 4], update: ["s5", 5],
};

export function stationsPart({ view, root, one, all, open }: Stations) {
  const width = view.width(root);
  const isStaged = signal(false);
  root.addEventListener(STAGED, () => (isStaged.value = root.hasAttribute("data-stage")));
  const isFolded = computed(() => width.value > 0 && width.value < NARROW && !isStaged.value);
  const isAll = computed(() => all.value !== null);
  const parts = { kept: keptParts, copy: copyParts, loss: lossParts, backward: backwardParts, check: checkParts, update: updateParts };
  const cards = Object.fromEntries(STATIONS.map((name) => {
    const [area, number] = PLACES[name];
    const shown = computed(() => one.value.shown[name]);
    return [name, stationCard({ view, area, number, isFolded, shown, isAll, open, ...parts[name](view, one, all) })];
  })) as Record<StationName, HTMLElement>;

  const isOf = (name: "a12" | "a2" | "a3" | "a34" | "a45" | "a5") => computed((): WayIs => {
    const { is } = one.value.ways[name];
    return isAll.value && is === "lost" ? "" : is;
  });
  const wordsOf = (name: "a12" | "a2" | "a3" | "a34" | "a45" | "a5") => computed(() => (isAll.value && name !== "a12" ? "" : name === "a5" && isFolded.value ? t("step.ui.onward") : one.value.ways[name].words));
  const going = (name: "a12" | "a2" | "a3" | "a34" | "a45" | "a5", to: "down" | "right" | "up" | "left") => way(view, name, to, isFolded, isOf(name), wordsOf(name));
  const words = h("span");
  const back = h("div", { class: "mw-step-back" }, h("i"), words);
  back.style.gridArea = "bk";
  view.effect(() => {
    setText(words, one.value.ways.back);
    back.hidden = one.value.ways.back === "";
  });
  const element = h("div", { class: "mw-step-loop" },
    cards.kept, going("a12", "down"), cards.copy, going("a2", "right"), cards.loss, going("a3", "right"), cards.backward, going("a34", "up"), cards.check, going("a45", "left"), back, cards.update, going("a5", "left"));
  view.effect(() => void root.toggleAttribute("data-folded", isFolded.value));
  return { element, cards: STATIONS.map((name) => cards[name]) };
}

type Source = ReadonlySignal<OneWeight>;
type Shares = ReadonlySignal<AllWeights | null>;

/** Lines of a body; empty ones are hidden. */
function lines(view: View, count: number, texts: () => readonly string[], kinds: readonly string[] = []): HTMLElement[] {
  const elements = Array.from({ length: count }, (_, i) => line(kinds[i]));
  view.effect(() => {
    const now = texts();
    elements.forEach((element, i) => {
      setText(element, now[i] ?? "");
      element.hidden = !now[i];
    });
  });
  return elements;
}

const body = (...children: HTMLElement[]): HTMLElement => h("div", { class: "mw-step-body" }, ...children);

function keptParts(view: View, one: Source, all: Shares) {
  const count = h("p", { class: "mw-step-count mw-num" });
  view.effect(() => setText(count, String(all.value?.all ?? "")));
  return { below: body(...lines(view, 1, () => [one.value.lines.kept])), all: body(count, ...lines(view, 2, () => all.value?.kept ?? [])) };
}

function copyParts(view: View, one: Source, all: Shares) {
  const heads = Array.from({ length: 3 }, () => h("span", { class: "mw-step-aside" }));
  const rows = Array.from({ length: 2 }, (_, row) => Array.from({ length: 3 }, () => h("span", { class: row ? "mw-num mw-muted" : "mw-num" })));
  const table = h("div", { class: "mw-step-table" }, ...heads, ...rows.flat());
  view.effect(() => {
    const { lines } = one.value;
    heads.forEach((head, i) => setText(head, lines.table.heads[i]!));
    rows.forEach((row, i) => row.forEach((cell, j) => setText(cell, lines.table.rows[i]![j] ?? "")));
  });
  const cost = lines(view, 1, () => [one.value.lines.copy]);
  const note = lines(view, 1, () => [one.value.lines.table.note]);
  const bar = barOf(view, () => all.value?.activations);
  return { below: body(...cost, table, ...note), all: body(...lines(view, 1, () => [all.value?.copy ?? ""]), bar) };
}

function lossParts(view: View, one: Source) {
  const kinds = ["mw-step-twin", "", "mw-step-plain"];
  const figure = h("p", { class: "mw-step-count mw-num" });
  view.effect(() => setText(figure, one.value.shown.loss.figure));
  return { below: body(...lines(view, 4, () => one.value.lines.loss, kinds)), all: body(figure, ...lines(view, 4, () => one.value.lines.loss, kinds)) };
}

function backwardParts(view: View, one: Source, all: Shares) {
  const row = (words: () => string, zones: () => readonly Zone[]) => {
    const [name, count] = [h("span", { class: "mw-muted" }), h("span", { class: "mw-step-strong" })];
    const squares = h("div", { class: "mw-step-squares", "aria-hidden": "true" });
    const element = h("div", {}, h("p", { class: "mw-step-pair" }, name, count), squares);
    view.effect(() => {
      element.hidden = words() === "";
      setText(name, words());
      setText(count, zoneWords(countZones(zones())));
      fillSquares(squares, zones());
    });
    return element;
  };
  return {
    above: body(row(() => one.value.lines.backward.outputs, () => one.value.lines.backward.outputZones), row(() => one.value.lines.backward.unit, () => one.value.lines.backward.unitZones)),
    below: body(...lines(view, 1, () => [one.value.lines.backward.twin], ["mw-step-twin"])),
    all: body(...[0, 1, 2].map((i) => barOf(view, () => all.value?.backward[i]))),
  };
}

function checkParts(view: View, one: Source, all: Shares) {
  const isSkipped = () => one.value.shown.check.value === null;
  const check = () => one.value.lines.check;
  return {
    above: body(...lines(view, 1, () => [isSkipped() ? "" : check()[0]!], ["mw-step-plain"])),
    below: body(...lines(view, 3, () => (isSkipped() ? check() : []), ["mw-step-plain", "mw-step-gate"]), ...lines(view, 1, () => (isSkipped() ? [] : check().slice(1)), ["mw-step-twin"])),
    all: body(...lines(view, 3, () => all.value?.check ?? [], ["mw-step-plain", "mw-step-plain", "mw-step-twin"])),
  };
}

function updateParts(view: View, one: Source, all: Shares) {
  const isSkipped = () => one.value.shown.update.value === null;
  const update = () => one.value.lines.update;
  const road = roadDrawing(t("step.ui.midpoint"));
  view.effect(() => {
    set(road.element, { hidden: !one.value.road });
    if (one.value.road) road.show(one.value.road);
  });
  const rule = body(...lines(view, 3, () => (isSkipped() ? [] : update().slice(0, 3)), ["mw-step-plain"]));
  rule.append(road.element);

  const bar = h("div", { class: "mw-step-fates", "aria-hidden": "true" });
  const list = h("ul", { class: "mw-step-list" });
  view.effect(() => {
    if (!all.value) return;
    const { shares } = all.value;
    fillShares(bar, shares);
    shares.forEach(([fate, count], i) => {
      const item = list.children[i] ?? list.appendChild(h("li", {}, h("span"), h("b", { class: "mw-num" }), h("span")));
      set(item.children[0]!, { class: `mw-step-swatch mw-fate mw-fate-${fate}` });
      setText(item.children[1]!, String(count));
      setText(item.children[2]!, fateName(fate));
    });
    while (list.children.length > shares.length) list.lastElementChild!.remove();
  });
  return { above: rule, below: body(...lines(view, 2, () => (isSkipped() ? update() : update().slice(3)))), all: body(bar, list) };
}

/** A bar of zones under its words. */
function barOf(view: View, bar: () => { readonly words: string; readonly counts: Parameters<typeof fillBar>[1] } | null | undefined): HTMLElement {
  const [words, shares] = [line(), h("div", { class: "mw-step-shares", "aria-hidden": "true" })];
  const element = h("div", {}, words, shares);
  view.effect(() => {
    const now = bar();
    element.hidden = !now;
    if (!now) return;
    setText(words, now.words);
    fillBar(shares, now.counts);
  });
  return element;
}
