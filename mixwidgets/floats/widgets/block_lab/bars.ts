// The bars of a row: the true value as an outline, what is stored as a fill, on lines at what can be stored. The bars of the
// lab's own elements are one slider: the arrow keys choose an element and change it, and each bar can be dragged.

import { computed } from "@preact/signals-core";
import { h, s, set } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { zoomOf } from "#ui/pixels.ts";
import { draggable } from "#ui/pointer.ts";
import { axisFor, linesOf, type Axis } from "./axis.ts";
import type { Outcome } from "./outcome.ts";
import type { EditableLab, Shown } from "./state.ts";
import { elementName, number } from "./words.ts";

const STEP = 0.02; // arrow keys move by this share of the plot's height
const LEAP = 0.1; // Page Up and Page Down

/** What of the lab the bars show: its elements, or those of the rotated rows; null if there are none. */
type Part = (shown: Shown) => Outcome | null;

export function bars(lab: EditableLab, part: Part) {
  const { view, shown, atRest } = lab;
  const labels = h("div", { class: "mw-bar-labels", "aria-hidden": "true" });
  const surface = h("div", { class: "mw-bar-blocks" });
  const element = h("div", { class: "mw-bars" }, labels, surface);
  const rowOf = (of: Shown | null) => (of && part(of)?.rows[of.row]) ?? null;
  const axis = computed(() => axisFor((rowOf(atRest.value) ?? []).flatMap(({ value, result }) => [value, result])));
  const blocks = computed(() => {
    if (!shown.value) return [];
    const { lab: { format, columns } } = shown.value;
    const width = Math.min(format.block[1], columns);
    return Array.from({ length: columns / width }, () => drawnBlock(width));
  });
  const drawn = computed(() => blocks.value.flatMap(({ bars }) => bars));

  view.effect(() => surface.replaceChildren(...blocks.value.map(({ root }) => root)));
  const lines = computed(() => {
    const outcome = shown.value && part(shown.value);
    if (!outcome) return [];
    const { row, lab: { columns, format } } = shown.value!;
    const width = columns / blocks.value.length;
    return blocks.value.map((_, index) => {
      const { unit } = outcome.blockAt(row * columns + index * width);
      return linesOf(axis.value, format.element.values.map((value) => value * unit));
    });
  });
  const labelled = computed(() => {
    const { row, active, lab: { columns } } = shown.value ?? { row: 0, active: 0, lab: { columns: 1 } };
    return lines.value[Math.floor(((active - row * columns) / columns) * lines.value.length)];
  });
  view.effect(() => lines.value.forEach(({ places }, index) => blocks.value[index]!.rule(places, axis.value.place(0))));
  view.effect(() => labels.replaceChildren(...(labelled.value?.labels ?? []).map((value) => {
    const label = h("span", {}, number(value, 3));
    label.style.setProperty("bottom", `${100 * axis.value.place(value)}%`);
    return label;
  })));
  view.effect(() => {
    const outcome = shown.value && part(shown.value);
    if (!outcome) return;
    const { row, active, lab: { columns } } = shown.value!;
    outcome.rows[row]!.forEach((element, column) => drawn.value[column]?.draw(element, axis.value, row * columns + column === active));
  });
  return { element, surface, axis, isAll: computed(() => lines.value.every(({ isAll }) => isAll)) };
}

/** The bars of the lab's own elements, as a slider. */
export function ownBars(lab: EditableLab) {
  const found = bars(lab, ({ outcome }) => outcome);
  const { surface, axis } = found;
  const { view, shown, choose, change, commit } = lab;
  const grip = h("div", { class: "mw-bar-grip", "aria-hidden": "true" }, s("svg", { viewBox: "0 0 12 12", width: 12, height: 12 }, s("path", { d: "M3 5L6 2L9 5M3 7L6 10L9 7" })));
  set(surface, { role: "slider", tabindex: 0, "aria-orientation": "vertical", class: "mw-bar-blocks mw-bar-own" });

  const current = () => shown.value!.outcome.elements[shown.value!.active]!.value;
  const moveTo = (place: number) => change(shown.value!.active, axis.value.value(place));
  const step = (by: number) => moveTo(axis.value.reach(current()) + by);
  const walk = (by: number) => {
    const { active, row, lab: { columns } } = shown.value!;
    const column = active - row * columns + by;
    if (column >= 0 && column < columns) choose(active + by);
  };
  draggable(surface, (down) => {
    const columns = [...surface.querySelectorAll(".mw-bar")];
    const index = columns.indexOf((down.target as Element).closest(".mw-bar")!);
    if (index >= 0) choose(shown.value!.row * columns.length + index);
    const { active } = shown.value!;
    const [before, from, height] = [current(), axis.value.reach(current()), surface.clientHeight * zoomOf(surface)];
    return { move: (event) => moveTo(from - (event.clientY - down.clientY) / height), back: () => change(active, before) };
  }, commit);
  surface.addEventListener("keydown", (event) => {
    const act = ({
      ArrowUp: () => step(STEP),
      ArrowDown: () => step(-STEP),
      PageUp: () => step(LEAP),
      PageDown: () => step(-LEAP),
      Home: () => moveTo(0),
      End: () => moveTo(1),
      ArrowLeft: () => walk(-1),
      ArrowRight: () => walk(1),
    } as Record<string, () => void>)[event.key];
    if (!act || !shown.value || hasModifier(event)) return;
    event.preventDefault();
    act();
  });
  surface.addEventListener("keyup", commit);
  surface.addEventListener("blur", commit);

  view.effect(() => {
    if (!shown.value) return;
    const { lab: { columns }, outcome, active, row } = shown.value;
    const { value, result, error } = outcome.elements[active]!;
    set(surface, {
      "aria-label": elementName(shown.value.lab, active), "aria-valuemin": Math.min(axis.value.bottom, value), "aria-valuemax": Math.max(axis.value.top, value), "aria-valuenow": value,
      "aria-valuetext": t("blocks.now", { value: number(value), result: number(result), error: number(error) }),
    });
    const bar = surface.querySelectorAll(".mw-bar")[active - row * columns];
    if (grip.parentElement !== bar) bar?.append(grip);
    grip.style.setProperty("bottom", `${100 * axis.value.place(value)}%`);
  });
  return found;
}

function drawnBlock(width: number) {
  const path = s("path", { class: "mw-bar-line", d: "" });
  const bars = Array.from({ length: width }, drawnBar);
  const zero = s("path", { class: "mw-bar-zero", d: "" });
  const grid = s("svg", { class: "mw-bar-lines mw-grid", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" }, path, zero);
  const at = (place: number) => `M0 ${(1 - place).toFixed(4)}H1`;
  const root = h("div", { class: "mw-bar-block" }, grid, ...bars.map(({ root }) => root));
  return {
    root, bars,
    /** Draw the lines, and that of 0. */
    rule(places: readonly number[], ofZero: number): void {
      set(path, { d: places.map(at).join("") });
      set(zero, { d: at(ofZero) });
    },
  };
}

function drawnBar() {
  const truth = h("div", { class: "mw-bar-true" });
  const stored = h("div", { class: "mw-bar-stored" });
  const root = h("div", { class: "mw-bar" }, stored, truth);
  return {
    root,
    draw({ value, result, kind }: Outcome["elements"][number], { place }: Axis, isActive: boolean): void {
      stretch(truth, place(0), place(value));
      stretch(stored, place(0), place(kind === "lost" ? value : result));
      set(stored, { class: `mw-bar-stored mw-bar-${kind}` });
      set(root, { class: `mw-bar${isActive ? " mw-bar-active" : ""}` });
    },
  };
}

/** Make a box reach from one place to another. */
function stretch(box: HTMLElement, from: number, to: number): void {
  box.style.setProperty("bottom", `${100 * Math.min(from, to)}%`);
  box.style.setProperty("height", `${100 * Math.abs(to - from)}%`);
}

/** Whether an axis is linear, in words. */
export const axisWords = ({ bend }: Axis): string => (bend === null ? t("blocks.linear") : t("blocks.bent", { bend: number(bend, 2) }));
