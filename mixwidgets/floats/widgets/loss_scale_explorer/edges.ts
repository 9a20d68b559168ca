// The edges of the format on the ruler, as handles: dragging one, or moving it by keys, explores the format whose edge is
// nearest.

import { computed, signal } from "@preact/signals-core";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { boundaries, log2Of } from "#core/gradients/boundaries.ts";
import { figure, twoTo } from "#ui/digits.ts";
import { h, set, setText } from "#ui/dom.ts";
import { hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { draggable, pointIn } from "#ui/pointer.ts";
import { type Domain, within } from "#ui/ruler/geometry.ts";
import { type Histogram, SIDE } from "#ui/ruler/histogram.ts";
import { choices, type Explored } from "./state.ts";

/** From left to right; each is the beginning of a zone. */
const EDGES = ["subnormal", "normal", "largest"] as const;
const EVERYWHERE: Domain = { low: -Infinity, high: Infinity };
const CLICK = 4; // pixels that a click may move
const FAR = 1e6; // binades: beyond every edge

const placesOf = (format: FloatFormat): number[] => boundaries(format).map(log2Of);

/** The format whose edge is nearest to `place`, in binades; edges beyond the ruler stand at its ends. Of several such
 * formats, the one whose other edges are nearest to those of `from`. */
export function nearestFormat(edge: number, place: number, from: FloatFormat, drawn: Domain, among: readonly FloatFormat[] = choices): FloatFormat {
  const now = placesOf(from);
  const cost = (format: FloatFormat) => {
    const places = placesOf(format);
    return [Math.abs(within(drawn, places[edge]!) - within(drawn, place)), places.reduce((sum, at, i) => sum + Math.abs(at - now[i]!), 0)] as const;
  };
  let [best, least] = [from, [Infinity, Infinity] as readonly [number, number]];
  for (const format of among) {
    const [distance, change] = cost(format);
    if (distance < least[0] || (distance === least[0] && change < least[1])) [best, least] = [format, [distance, change]];
  }
  return best;
}

/** The next format up (1) or down (−1) from `from` by an edge; itself where there is none. */
function nextFormat(edge: number, by: number, from: FloatFormat): FloatFormat {
  const now = placesOf(from)[edge]!;
  return nearestFormat(edge, now, from, EVERYWHERE, choices.filter((format) => (placesOf(format)[edge]! - now) * by > 0));
}

/** The handles, to stand over the plot, and the words of the one that is pointed at, focused or held. */
export function edges({ view, answers, drawn, explore, commitFormat }: Explored, plot: Histogram): HTMLElement[] {
  const active = signal<number | null>(null);
  const words = h("p", { class: "mw-edge-words", "aria-hidden": "true" });
  const format = computed(() => answers.value.format);

  view.effect(() => {
    const edge = active.value;
    words.hidden = edge === null;
    if (edge !== null) setText(words, t("explorer.edge_words", { edge: t(`explorer.edge_${EDGES[edge]!}`), format: format.value.name, value: valueOf(format.value, edge) }));
  });
  return [...EDGES.map((_, edge) => handle(edge)), words];

  function handle(edge: number): HTMLElement {
    const name = t(`explorer.edge_${EDGES[edge]!}`);
    const element = h("div", { class: `mw-edge mw-edge-${EDGES[edge]!}`, role: "slider", tabindex: 0, "aria-label": name, title: t("explorer.edge_note") });
    const x = () => plot.frame.value.x(within(drawn.value, placesOf(format.value)[edge]!));
    let [isHeld, wasDrag] = [false, false];

    view.effect(() => {
      const { low, high } = drawn.value;
      const [, end] = plot.frame.value.x.range() as [number, number];
      element.style.left = `${(100 * (SIDE + x())) / (end + 2 * SIDE)}%`; // also where the plot is printed smaller
      set(element, {
        "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": Math.round(within(drawn.value, placesOf(format.value)[edge]!)),
        "aria-valuetext": t("explorer.edge_value", { format: format.value.name, value: valueOf(format.value, edge) }),
      });
    });
    draggable(element, (down) => {
      const [from, fromEdge] = [format.value, pointIn(plot.element, down).x - x()];
      [isHeld, wasDrag] = [true, false];
      return {
        move(event) {
          event.stopPropagation(); // no bar is pointed at
          const to = pointIn(plot.element, event).x - fromEdge;
          wasDrag ||= Math.abs(to - x()) >= CLICK;
          explore(nearestFormat(edge, plot.frame.value.x.invert(to), from, drawn.value));
        },
        back: () => explore(from),
      };
    }, () => {
      isHeld = false;
      commitFormat();
    });
    element.addEventListener("click", (event) => {
      if (wasDrag) event.stopPropagation(); // it ends with a click, which would choose a bar
    });
    element.addEventListener("keydown", (event) => {
      if (hasModifier(event)) return;
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      const end = { Home: -FAR, End: FAR }[event.key];
      if (by === undefined && end === undefined) return;
      event.preventDefault();
      event.stopPropagation(); // the bars have the same keys
      explore(by === undefined ? nearestFormat(edge, end!, format.value, EVERYWHERE) : nextFormat(edge, by, format.value));
      commitFormat();
    });
    const leave = (hasFocus: boolean) => (active.value = isHeld || hasFocus ? edge : null);
    for (const type of ["pointerenter", "focus"]) element.addEventListener(type, () => (active.value = edge));
    element.addEventListener("pointerleave", () => leave(element.matches(":focus")));
    element.addEventListener("blur", () => leave(false));
    return element;
  }
}

/** The number at an edge of a format. */
function valueOf(format: FloatFormat, edge: number): string {
  return edge === 2 ? figure(format, format.maxCode).text : twoTo(edge === 1 ? format.emin : format.emin - format.fractionBits);
}
