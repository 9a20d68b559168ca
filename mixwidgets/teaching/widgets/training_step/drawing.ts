// The network as a small drawing, in which a weight is chosen: a line by its weight, a unit by its bias.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { clamp } from "#core/range.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { pointIn } from "#ui/pointer.ts";
import type { View } from "#ui/view.ts";
import type { Place } from "#training/look.ts";
import { unitName } from "./names.ts";

const [WIDE, HIGH, SIDE] = [200, 150, 20];
const [LARGEST_GAP, LARGEST_UNIT, LABELLED_UNIT] = [50, 12, 10];
const DENSE = 120; // lines, from which on they are finer
const REACH = 8; // pixels from a line at which a pointer chooses it

interface Drawn {
  readonly view: View;
  /** Units of each layer, from the features to the classes. */
  readonly widths: ReadonlySignal<readonly number[]>;
  /** The chosen weight; null while all are shown. */
  readonly chosen: ReadonlySignal<Place | null>;
  /** A class for weights that are to stand out, by tensor and place in it. */
  readonly marks: ReadonlySignal<readonly (readonly string[])[]>;
  choose(place: Place): void;
  /** By so many weights, in the order of the tensors. */
  move(by: number): void;
}

interface Unit {
  readonly x: number;
  readonly y: number;
  readonly r: number;
}

export function networkDrawing({ view, widths, chosen, marks, choose, move }: Drawn): HTMLElement {
  const lines = s("g", { class: "mw-step-lines" });
  const circles = s("g", { class: "mw-step-units" });
  const svg = s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, width: WIDE, height: HIGH, "aria-hidden": "true" }, lines, circles);
  const element = h("div", { role: "group", tabindex: 0, class: "mw-step-network", "aria-label": t("step.ui.network_keys") }, svg);
  const units = computed(() => widths.value.map((count, layer) => column(count, layer, widths.value.length)));
  const paths = new Map<string, SVGPathElement>(); // by class

  function nearest(event: MouseEvent): Place | null {
    const at = pointIn(svg, event);
    const columns = units.peek();
    for (let layer = 1; layer < columns.length; layer++) {
      const unit = columns[layer]!.findIndex(({ x, y, r }) => Math.hypot(at.x - x, at.y - y) <= Math.max(r, 3));
      if (unit >= 0) return { tensor: 2 * layer - 1, index: unit };
    }
    let [found, least]: [Place | null, number] = [null, REACH];
    columns.slice(1).forEach((targets, layer) => columns[layer]!.forEach((source, input) => targets.forEach((target, unit) => {
      const part = clamp((at.x - source.x) / (target.x - source.x), 0, 1);
      const distance = Math.hypot(at.x - source.x - part * (target.x - source.x), at.y - source.y - part * (target.y - source.y));
      if (distance < least) [found, least] = [{ tensor: 2 * layer, index: input * targets.length + unit }, distance];
    })));
    return found;
  }
  element.addEventListener("click", (event) => {
    const place = nearest(event);
    if (place) choose(place);
  });
  const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -Infinity, End: Infinity };
  element.addEventListener("keydown", (event) => {
    const by = STEPS[event.key];
    if (by === undefined || hasModifier(event)) return;
    event.preventDefault();
    move(by);
  });

  view.effect(() => {
    circles.replaceChildren(...units.value.flatMap((column, layer) => column.map(({ x, y, r }, unit) =>
      s("g", {}, s("circle", { cx: x, cy: y, r }), r >= LABELLED_UNIT ? s("text", { x, y: y + 4 }, unitName(layer, unit, widths.value.length)) : null))));
  });
  view.effect(() => {
    const columns = units.value;
    set(svg, { "data-dense": columns.slice(1).reduce((sum, { length }, layer) => sum + length * columns[layer]!.length, 0) > DENSE });
    const drawn = new Map<string, string[]>();
    const at = chosen.value;
    columns.slice(1).forEach((targets, layer) => columns[layer]!.forEach(({ x, y }, input) => targets.forEach((target, unit) => {
      const index = input * targets.length + unit;
      const isChosen = at?.tensor === 2 * layer && at.index === index;
      const kind = isChosen ? "mw-step-chosen" : marks.value[2 * layer]?.[index] ?? "";
      const known = drawn.get(kind);
      const line = `M${x} ${y}L${target.x} ${target.y}`;
      if (known) known.push(line);
      else drawn.set(kind, [line]);
    })));
    for (const kind of drawn.keys()) if (!paths.has(kind)) paths.set(kind, s("path", { class: kind }));
    for (const [kind, path] of paths) set(path, { d: drawn.get(kind)?.join("") ?? "" });
    const order = [...paths].sort(([a], [b]) => Number(a === "mw-step-chosen") - Number(b === "mw-step-chosen") || Number(a !== "") - Number(b !== ""));
    if (order.some(([, path], i) => lines.children[i] !== path)) lines.replaceChildren(...order.map(([, path]) => path));
    let place = 0;
    columns.forEach((column, layer) => column.forEach((_, unit) => {
      const isEnd = at !== null && ends(at, columns).some(([of, which]) => of === layer && which === unit);
      const mark = layer === 0 ? "" : marks.value[2 * layer - 1]?.[unit] ?? "";
      set(circles.children[place++]!, { class: isEnd ? "mw-step-chosen" : mark });
    }));
  });
  return element;
}

/** The units, as (layer, unit), that a weight connects, or whose bias it is. */
function ends({ tensor, index }: Place, columns: readonly (readonly Unit[])[]): [number, number][] {
  const layer = (tensor >> 1) + 1;
  if (tensor % 2 === 1) return [[layer, index]];
  const { length } = columns[layer] ?? [];
  return [[layer - 1, Math.floor(index / length!)], [layer, index % length!]];
}

function column(count: number, layer: number, layers: number): Unit[] {
  const gap = Math.min(LARGEST_GAP, (HIGH - 26) / Math.max(1, count - 1));
  const r = Math.max(1.2, Math.min(LARGEST_UNIT, gap / 2 - 2));
  const x = SIDE + ((WIDE - 2 * SIDE) * layer) / (layers - 1);
  return Array.from({ length: count }, (_, i) => ({ x, y: HIGH / 2 + gap * (i - (count - 1) / 2), r }));
}

/** Menus of the tensors and of the weights in one. */
export function weightMenus(view: View, tensors: ReadonlySignal<readonly { readonly name: string; readonly weights: readonly string[] }[]>, chosen: ReadonlySignal<Place>, choose: (place: Place) => void): HTMLElement {
  const tensor = h("select", { "aria-label": t("step.ui.tensor") });
  const weight = h("select", { "aria-label": t("step.ui.weight") });
  tensor.addEventListener("change", () => choose({ tensor: tensor.selectedIndex, index: 0 }));
  weight.addEventListener("change", () => choose({ tensor: chosen.peek().tensor, index: weight.selectedIndex }));
  const fill = (select: HTMLSelectElement, names: readonly string[]) => {
    while (select.options.length > names.length) select.lastElementChild!.remove();
    names.forEach((name, i) => {
      if (select.options[i]) setText(select.options[i]!, name);
      else select.append(h("option", {}, name));
    });
  };
  view.effect(() => fill(tensor, tensors.value.map(({ name }) => name)));
  const listed = computed(() => tensors.value[chosen.value.tensor]);
  view.effect(() => fill(weight, listed.value?.weights ?? []));
  view.effect(() => {
    listed.value;
    tensor.selectedIndex = chosen.value.tensor;
    weight.selectedIndex = chosen.value.index;
  });
  return h("div", { class: "mw-step-menus" }, tensor, weight);
}
