// One layer's weights as a matrix: a row for each unit, a column for each input, and the bias at the end.

import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import { clamp } from "#core/range.ts";
import { announcer } from "#ui/announcer.ts";
import { crispCanvas } from "#ui/canvas.ts";
import { ARROWS, hasModifier } from "#ui/keys.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { pointIn } from "#ui/pointer.ts";
import type { View } from "#ui/view.ts";
import type { Session } from "./session.ts";
import { weightText } from "./words.ts";

const LARGEST = 18; // pixels of a cell
const HIGHEST = 420; // pixels of a matrix

export interface Place {
  readonly layer: number;
  /** From 0; that of the bias follows the last input. */
  readonly input: number;
  readonly unit: number;
}

export function matrix(
  view: View, session: Session, layer: number, isOpen: ReadonlySignal<boolean>, chosen: Signal<Place | null>,
): HTMLElement {
  const canvas = h("canvas", { class: "mw-play-matrix", "aria-hidden": "true" });
  const [positive, negative] = [h("span", { class: "mw-play-positive", hidden: true }), h("span", { class: "mw-play-negative", hidden: true })];
  const surface = h("div", { role: "group", tabindex: 0, class: "mw-play-surface" }, canvas, positive, negative);
  const name = h("h4");
  const said = h("p", { class: "mw-note mw-play-said" });
  const spoken = announcer(view); // of what a key has moved to: while it trains, the value on the page changes by itself
  const element = h("div", { class: "mw-stack-tight" }, name, surface, said, spoken.element);
  const begin = crispCanvas(view, canvas);
  const room = view.width(element);
  const pointed = signal<readonly [input: number, unit: number] | null>(null);
  const shape = computed(() => (session.settings.value, session.chosen.tensors[2 * layer]?.shape));
  const cell = computed(() => {
    const [inputs, units] = shape.value ?? [1, 1];
    return Math.max(2, Math.min(LARGEST, Math.max(room.value, 120) / (inputs + 2), HIGHEST / units));
  });

  const point = (input: number, unit: number): void => {
    const [inputs, units] = shape.value!;
    pointed.value = [clamp(input, 0, inputs), clamp(unit, 0, units - 1)];
  };
  const pointUnder = (event: MouseEvent): void => {
    const { x, y } = pointIn(canvas, event);
    const [inputs] = shape.value!;
    const column = x / cell.value;
    point(column > inputs ? inputs : Math.floor(column), Math.floor(y / cell.value));
  };
  const pick = (): void => {
    if (pointed.value) chosen.value = { layer, input: pointed.value[0], unit: pointed.value[1] };
  };
  surface.addEventListener("pointermove", pointUnder);
  surface.addEventListener("click", (event) => {
    pointUnder(event);
    pick();
  });
  surface.addEventListener("keydown", (event) => {
    if (hasModifier(event)) return;
    const step = ARROWS[event.key];
    const [input, unit] = pointed.value ?? [0, 0];
    if (step) point(input + step[1], unit + step[0]);
    else if (event.key === "Enter" || event.key === " ") {
      point(input, unit);
      pick();
    } else return;
    event.preventDefault();
    spoken.say(said.textContent!);
  });

  const valueAt = (input: number, unit: number): number => {
    const [weight, bias] = [session.chosen.tensors[2 * layer]!, session.chosen.tensors[2 * layer + 1]!];
    return input === weight.shape[0] ? bias.kept[unit]! : weight.kept[input * weight.shape[1] + unit]!;
  };
  view.effect(() => {
    const found = shape.value;
    element.hidden = !found;
    if (!found) return;
    const [inputs, units] = found;
    const title = t("play.layer", { layer: layer + 1, inputs, units });
    setText(name, title);
    set(surface, { "aria-label": t("play.layer_keys", { layer: title }) });
    pointed.value = null;
    Object.assign(canvas.style, { width: `${cell.value * (inputs + 1.5)}px`, height: `${cell.value * units}px` });
  });
  view.effect(() => {
    const found = shape.value;
    if (!found || !isOpen.value) return;
    session.look.value;
    const at = pointed.value;
    setText(said, at ? words(layer, at, found[0], valueAt(...at)) : "");
    const drawn = begin();
    if (!drawn) return;
    const { pen } = drawn;
    const [inputs, units] = found;
    const { kept } = session.chosen.tensors[2 * layer]!;
    const most = kept.reduce((largest, one) => Math.max(largest, Math.abs(one)), 1e-9);
    const colours = [getComputedStyle(positive).color, getComputedStyle(negative).color];
    const gap = cell.value > 5 ? 1 : 0;
    const left = (input: number) => cell.value * (input === inputs ? inputs + 0.5 : input);
    for (let unit = 0; unit < units; unit++) {
      for (let input = 0; input <= inputs; input++) {
        const value = valueAt(input, unit);
        pen.fillStyle = colours[value < 0 ? 1 : 0]!;
        pen.globalAlpha = Math.min(1, 0.08 + 0.92 * Math.abs(value) / most) || 0; // nothing of NaN
        pen.fillRect(left(input), cell.value * unit, cell.value - gap, cell.value - gap);
      }
    }
    pen.globalAlpha = 1;
    if (!at) return;
    Object.assign(pen, { strokeStyle: getComputedStyle(canvas).color, lineWidth: 2 });
    pen.strokeRect(left(at[0]) + 0.5, cell.value * at[1] + 0.5, cell.value - 1, cell.value - 1);
  });
  return element;
}

function words(layer: number, [input, unit]: readonly [number, number], inputs: number, value: number): string {
  const args = { layer: layer + 1, input: input + 1, unit: unit + 1, value: weightText(value) };
  return t(input === inputs ? "play.bias_is" : "play.weight_is", args);
}
