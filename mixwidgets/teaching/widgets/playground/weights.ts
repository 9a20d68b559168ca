// The weights of the chosen network, a matrix for each layer: choose one to see its bits and flip them.

import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import { decoded, exactOf, nextDown, nextUp } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { toNumber } from "#core/formats/rational.ts";
import { clamp } from "#core/range.ts";
import { keptFormat, LIMITS } from "#training/settings.ts";
import { announcer } from "#ui/announcer.ts";
import { bitGrid, type Coded } from "#ui/bit_grid/bit_grid.ts";
import { crispCanvas } from "#ui/canvas.ts";
import { h, set, setText } from "#ui/dom.ts";
import { ARROWS, hasModifier } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import { pointIn } from "#ui/pointer.ts";
import { bitsPanel, codeOf } from "#ui/ruler/bits_panel.ts";
import { keysNote } from "#ui/term.ts";
import { kept, openState, type View } from "#ui/view.ts";
import type { Page, Session } from "./session.ts";
import { weightText } from "./words.ts";

const LARGEST_CELL = 18; // pixels
const TALLEST_MATRIX = 420; // pixels

interface Place {
  readonly layer: number;
  /** From 0; the bias is the input after the last. */
  readonly input: number;
  readonly unit: number;
}

export function weightsPart({ view, session, record }: Page): HTMLElement {
  const element = h("details", { class: "mw-unfolding" }, h("summary", {}, t("play.weights")));
  const isOpen = openState(element);
  const chosen: Signal<Place | null> = signal(null);
  /** Where the chosen weight is among the tensors; null if none is chosen, or the network no longer has it. */
  const place = computed(() => {
    session.settings.value;
    if (!chosen.value) return null;
    const { layer, input, unit } = chosen.value;
    const [inputs, units] = session.chosen.tensors[2 * layer]?.shape ?? [-1, -1];
    if (input > inputs || unit >= units) return null;
    const isBias = input === inputs;
    return { ...chosen.value, isBias, tensor: 2 * layer + Number(isBias), index: isBias ? unit : input * units + unit };
  });
  const format = computed(() => keptFormat(session.settings.value));
  /** The chosen weight's present code: it may have been trained since it was drawn. */
  const now = (): Coded => {
    const { tensor, index } = place.value ?? { tensor: 0, index: 0 };
    return { fmt: format.value, code: codeOf(format.value, exactOf(session.chosen.tensors[tensor]!.kept[index]!)) };
  };
  const put = (code: bigint): void => {
    if (place.value) session.setWeight(place.value.tensor, place.value.index, valueOf(format.value, code));
  };
  /** Make Undo restore the weight's present value, if it is still the same run and shape then. */
  const remember = (): void => {
    const { tensor, index } = place.value!;
    const { data: run, tensors } = session.chosen;
    const { kept: values, shape } = tensors[tensor]!;
    const value = values[index]!;
    record(() => {
      const isThere = session.chosen.data === run && String(session.chosen.tensors[tensor]?.shape) === String(shape);
      if (isThere) session.setWeight(tensor, index, value);
      return isThere;
    });
  };
  const edit = (code: bigint): void => {
    remember();
    put(code);
  };
  let before = 0n; // the code at the start of a stroke
  const shown = kept(now(), (last) => (session.look.value, place.value ? now() : last));
  const grid = bitGrid(view, shown, {
    edit: (change) => edit(change(now().code)),
    step: (direction) => edit((direction > 0 ? nextUp : nextDown)(format.value, now().code)),
    stroke: {
      start() {
        before = now().code;
        remember();
      },
      paint: (change) => put(change(now().code)),
      cancel: () => put(before),
    },
  });
  const panel = bitsPanel(() => (chosen.value = null), grid);
  const matrices = Array.from({ length: LIMITS.hiddenLayers + 1 }, (_, layer) => matrix(view, session, layer, isOpen, chosen));
  element.append(h("p", { class: "mw-note" }, t("play.weights_hint"), keysNote("play.keys")), h("div", { class: "mw-play-layers" }, ...matrices), panel.element);

  view.effect(() => {
    session.look.value;
    panel.element.hidden = place.value === null;
    if (!place.value) return;
    const { layer, input, unit, isBias, tensor, index } = place.value;
    const { kept: values, read } = session.chosen.tensors[tensor]!;
    const { masterWeights, weightFormat } = session.settings.value;
    const args = { layer: layer + 1, input: input + 1, unit: unit + 1, format: format.value.name };
    const copy = masterWeights ? t("play.read_as", { value: weightText(read[index]!), format: weightFormat.name }) : "";
    panel.show(t(isBias ? "play.bias_bits" : "play.weight_bits", args) + copy, format.value, exactOf(values[index]!));
  });
  return element;
}

/** The number that a code stands for. */
function valueOf(format: FloatFormat, code: bigint): number {
  const { kind, negative, magnitude } = decoded(format, code);
  const size = kind === "nan" ? NaN : kind === "infinity" ? Infinity : toNumber(magnitude);
  return negative ? -size : size;
}

/** One layer: a row for each unit, a column for each input, and the bias at the end. */
function matrix(view: View, session: Session, layer: number, isOpen: ReadonlySignal<boolean>, chosen: Signal<Place | null>): HTMLElement {
  const canvas = h("canvas", { class: "mw-play-matrix", "aria-hidden": "true" });
  const [positive, negative] = [h("span", { class: "mw-play-positive", hidden: true }), h("span", { class: "mw-play-negative", hidden: true })];
  const surface = h("div", { role: "group", tabindex: 0, class: "mw-play-surface" }, canvas, positive, negative);
  const name = h("h4");
  const value = h("p", { class: "mw-note mw-play-said" });
  const spoken = announcer(view); // only for keys: `value` is not a live region, because training changes it all the time
  const element = h("div", { class: "mw-stack-tight" }, name, surface, value, spoken.element);
  const begin = crispCanvas(view, canvas);
  const room = view.width(element);
  const pointed = signal<readonly [input: number, unit: number] | null>(null);
  const shape = computed(() => (session.settings.value, session.chosen.tensors[2 * layer]?.shape));
  const cell = computed(() => {
    const [inputs, units] = shape.value ?? [1, 1];
    return Math.max(2, Math.min(LARGEST_CELL, Math.max(room.value, 120) / (inputs + 2), TALLEST_MATRIX / units));
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
    spoken.say(value.textContent!);
  });

  const valueAt = (input: number, unit: number): number => {
    const [weight, bias] = [session.chosen.tensors[2 * layer]!, session.chosen.tensors[2 * layer + 1]!];
    return input === weight.shape[0] ? bias.kept[unit]! : weight.kept[input * weight.shape[1] + unit]!;
  };
  view.effect(() => {
    element.hidden = !shape.value;
    if (!shape.value) return;
    const [inputs, units] = shape.value;
    const title = t("play.layer", { layer: layer + 1, inputs, units });
    setText(name, title);
    set(surface, { "aria-label": t("common.named", { name: title, what: t("play.keys") }) });
    pointed.value = null;
    Object.assign(canvas.style, { width: `${cell.value * (inputs + 1.5)}px`, height: `${cell.value * units}px` });
  });
  view.effect(() => {
    if (!shape.value || !isOpen.value) return;
    session.look.value;
    const [inputs, units] = shape.value;
    const at = pointed.value;
    setText(value, at ? valueWords(layer, at, inputs, valueAt(...at)) : "");
    const drawn = begin();
    if (!drawn) return;
    const { pen } = drawn;
    const { kept } = session.chosen.tensors[2 * layer]!;
    const most = kept.reduce((largest, weight) => Math.max(largest, Math.abs(weight)), 1e-9);
    const colours = [getComputedStyle(positive).color, getComputedStyle(negative).color];
    const gap = cell.value > 5 ? 1 : 0;
    const left = (input: number) => cell.value * (input === inputs ? inputs + 0.5 : input);
    for (let unit = 0; unit < units; unit++) {
      for (let input = 0; input <= inputs; input++) {
        const weight = valueAt(input, unit);
        pen.fillStyle = colours[weight < 0 ? 1 : 0]!;
        pen.globalAlpha = Math.min(1, 0.08 + 0.92 * Math.abs(weight) / most) || 0; // NaN is transparent
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

function valueWords(layer: number, [input, unit]: readonly [number, number], inputs: number, value: number): string {
  const args = { layer: layer + 1, input: input + 1, unit: unit + 1, value: weightText(value) };
  return t(input === inputs ? "play.bias_is" : "play.weight_is", args);
}
