// The bars: a slider for each element, with its value as an outline and its quantised value as a fill; and their axis.

import { computed } from "@preact/signals-core";
import { clamp } from "#core/range.ts";
import { twoTo } from "#ui/digits.ts";
import { h, set, setText } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { zoomOf } from "#ui/pixels.ts";
import { draggable } from "#ui/pointer.ts";
import { number } from "./readout.ts";
import type { EditableLab, Element } from "./state.ts";

const GUTTER = 44; // pixels left of the bars, for the axis
const STEP = 0.02; // arrow keys move by this share of the plot's height
const LEAP = 0.1; // Page Up and Page Down
const BINADES_ABOVE = 7; // room for outliers above the typical element
const COLUMN = 24; // pixels: the least width of a bar, so that a finger can hit it
const PER_ROW = [32, 16, 8];
const TICKS = [0.13, 0.29, 0.45]; // about how far above 0 they are: 1, 8 and 64 typical elements, if there is no outlier

export function bars({ view, shown, start, choose, change, commit }: EditableLab): HTMLElement {
  const element = h("div", { class: "mw-bars", role: "group", "aria-label": t("blocks.plot") });
  const axis = computed(() => axisFor(start.value));
  const inRow = view.measured(element, () => perRow(element.clientWidth - GUTTER));
  const count = computed(() => shown.value?.outcome.elements.length ?? 0);
  const blockSize = computed(() => shown.value?.lab.format.block[1] ?? 1);
  const drawn = computed(() => Array.from({ length: count.value }, (_, index) => bar(index, axis.value)));

  view.effect(() => {
    const focused = element.querySelector<HTMLElement>(":focus");
    const rows: HTMLElement[] = [];
    for (let first = 0; first < count.value; first += inRow.value) {
      const last = Math.min(first + inRow.value, count.value);
      const groups: HTMLElement[] = [];
      for (let from = first, to: number; from < last; from = to) {
        to = Math.min(from - (from % blockSize.value) + blockSize.value, last);
        const group = h("div", { class: "mw-bar-block" }, ...drawn.value.slice(from, to).map(({ root }) => root));
        group.style.setProperty("flex-grow", String(to - from));
        groups.push(group);
      }
      rows.push(h("div", { class: "mw-bar-row" }, lines(axis.value), h("div", { class: "mw-bar-blocks" }, ...groups)));
    }
    element.replaceChildren(...rows);
    if (focused?.isConnected) focused.focus({ preventScroll: true }); // an element that is moved loses the focus
  });
  view.effect(() => {
    if (!shown.value) return;
    const { outcome, active } = shown.value;
    const setters = new Set(outcome.blocks.map(({ setter }) => setter));
    drawn.value.forEach((bar, index) => bar.draw(outcome.elements[index]!, index === active, setters.has(index)));
  });

  function bar(index: number, axis: Axis) {
    const truth = h("div", { class: "mw-bar-true" });
    const stored = h("div", { class: "mw-bar-stored" });
    const plot = h("div", { class: "mw-bar-plot" }, stored, truth);
    const label = h("div", { class: "mw-bar-index" });
    const loss = h("div", { class: "mw-bar-loss" });
    const root = h("div", {
      class: "mw-bar", role: "slider", "aria-orientation": "vertical", "aria-label": t("blocks.element", { element: index }),
      "aria-valuemin": -axis.limit, "aria-valuemax": axis.limit,
    }, plot, label, h("div", { class: "mw-bar-strip" }, loss));
    let [value, place] = [0, 0.5];

    const moveTo = (next: number) => change(index, axis.value(next));
    root.addEventListener("focus", () => choose(index));
    draggable(root, (down) => {
      const [before, from, height] = [value, place, plot.clientHeight * zoomOf(plot)];
      return { move: (event) => moveTo(from - (event.clientY - down.clientY) / height), back: () => change(index, before) };
    }, commit);
    root.addEventListener("keydown", (event) => {
      const act = ({
        ArrowUp: () => moveTo(place + STEP),
        ArrowDown: () => moveTo(place - STEP),
        PageUp: () => moveTo(place + LEAP),
        PageDown: () => moveTo(place - LEAP),
        Home: () => moveTo(0),
        End: () => moveTo(1),
        ArrowLeft: () => drawn.value[index - 1]?.root.focus(),
        ArrowRight: () => drawn.value[index + 1]?.root.focus(),
      } as Record<string, () => void>)[event.key];
      if (!act || hasModifier(event)) return;
      event.preventDefault();
      act();
    });
    root.addEventListener("keyup", commit);
    root.addEventListener("blur", commit);

    function draw(element: Element, isActive: boolean, isSetter: boolean): void {
      value = element.value;
      place = axis.place(value);
      const resultPlace = axis.place(element.result);
      stretch(truth, place);
      stretch(stored, element.kind === "lost" ? place : resultPlace);
      set(stored, { class: `mw-bar-stored mw-bar-${element.kind}` });
      setText(label, isSetter ? t("blocks.sets_mark") : String(index));
      loss.style.setProperty("height", `${Math.min(element.relative, 1) * 100}%`);
      set(root, {
        tabindex: isActive ? 0 : -1,
        class: `mw-bar${isActive ? " mw-bar-active" : ""}${isSetter ? " mw-bar-setter" : ""}`,
        "aria-valuenow": element.value,
        "aria-valuetext": t("blocks.now", { value: number(element.value), result: number(element.result), error: number(element.error) }),
      });
    }
    return { root, draw };
  }

  return element;
}

/** Make a box reach from zero, at half the height, to a place. */
function stretch(box: HTMLElement, place: number): void {
  box.style.setProperty("bottom", `${100 * Math.min(place, 0.5)}%`);
  box.style.setProperty("height", `${100 * Math.abs(place - 0.5)}%`);
}

/** In digits where there is room, else as a power of two, which a tick is. */
function tickText(tick: number): string {
  const size = Math.abs(tick);
  const digits = String(size);
  return (tick < 0 ? "−" : "") + (digits.length <= 4 ? digits : twoTo(Math.round(Math.log2(size))));
}

function lines({ ticks, place }: Axis): HTMLElement {
  const marks = ticks.map((tick) => {
    const line = h("div", { class: tick === 0 ? "mw-bar-line mw-bar-zero" : "mw-bar-line" }, h("span", {}, tickText(tick)));
    line.style.setProperty("bottom", `${100 * place(tick)}%`);
    return line;
  });
  return h("div", { class: "mw-bar-lines", "aria-hidden": "true" }, ...marks);
}

type Axis = ReturnType<typeof axisFor>;

/** An axis, in fractions of the plot's height, for typical elements and much larger outliers: linear near zero, logarithmic
 * further out. */
export function axisFor(values: ArrayLike<number>) {
  const sizes = Array.from(values, Math.abs).filter((size) => size > 0).sort((a, b) => a - b);
  const typical = binade(sizes[sizes.length >> 1] ?? 1);
  /** The largest magnitude that can be shown. */
  const limit = clamp(typical * 2 ** BINADES_ABOVE, binade(sizes.at(-1) ?? 1) * 4, 2 ** 127);
  const linear = typical / 4; // the axis is about linear up to here
  const reach = Math.log1p(limit / linear);
  const above = (height: number) => linear * Math.expm1(2 * height * reach);
  const positive = TICKS.map((height) => 2 ** Math.round(Math.log2(above(height))));
  return {
    limit,
    /** 0 at the bottom … 1 at the top. */
    place: (value: number) => clamp(0.5 + (0.5 * Math.sign(value) * Math.log1p(Math.abs(value) / linear)) / reach, 0, 1),
    /** The value at a place, in three digits, rounded to float32. */
    value: (place: number) => {
      const height = clamp(place, 0, 1) - 0.5;
      return Math.fround(Number((Math.sign(height) * above(Math.abs(height))).toPrecision(3)));
    },
    ticks: [...positive.map((tick) => -tick).reverse(), 0, ...positive],
  };
}

/** The power of two at or below a size, or near it: only for drawing, because Math.log2 is not exact. */
function binade(size: number): number {
  return 2 ** Math.max(Math.floor(Math.log2(size)), -126);
}

/** How many bars fit a row of `width` pixels. */
export function perRow(width: number): number {
  return PER_ROW.find((count) => width >= count * COLUMN) ?? PER_ROW.at(-1)!;
}
