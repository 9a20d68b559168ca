// The weights that are kept: choose one, see its bits and flip them.

import { computed, type Signal, signal } from "@preact/signals-core";
import { float32 } from "#core/formats/catalogue.ts";
import { decoded, exactOf, nextDown, nextUp } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { toNumber } from "#core/formats/rational.ts";
import { bitGrid, type Coded } from "#ui/bit_grid/bit_grid.ts";
import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { bitsPanel, codeOf } from "#ui/ruler/bits_panel.ts";
import { kept, openState } from "#ui/view.ts";
import { LIMITS } from "#training/settings.ts";
import { matrix, type Place } from "./matrix.ts";
import type { Page } from "./parts.ts";
import { weightText } from "./words.ts";

export function weightsPart({ view, session, record }: Page): HTMLElement {
  const element = h("details", { class: "mw-unfolding" }, h("summary", {}, t("play.weights")));
  const isOpen = openState(element);
  const chosen: Signal<Place | null> = signal(null);
  /** Where the chosen weight is among the tensors; null for none, also where the network has it no more. */
  const place = computed(() => {
    session.settings.value;
    if (!chosen.value) return null;
    const { layer, input, unit } = chosen.value;
    const [inputs, units] = session.chosen.tensors[2 * layer]?.shape ?? [-1, -1];
    if (input > inputs || unit >= units) return null;
    const isBias = input === inputs;
    return { ...chosen.value, isBias, tensor: 2 * layer + Number(isBias), index: isBias ? unit : input * units + unit };
  });
  const format = computed(() => (session.settings.value.masterWeights ? float32 : session.settings.value.weightFormat));
  /** Of the chosen weight, as it is now: it may have trained on since it was drawn. */
  const now = (): Coded => {
    const { tensor, index } = place.value ?? { tensor: 0, index: 0 };
    return { fmt: format.value, code: codeOf(format.value, exactOf(session.chosen.tensors[tensor]!.kept[index]!)) };
  };
  const put = (code: bigint): void => {
    if (place.value) session.setWeight(place.value.tensor, place.value.index, valueOf(format.value, code));
  };
  /** Have Undo give the weight the value that it has now, in this run. */
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
  let before = 0n;
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
  element.append(h("p", { class: "mw-note" }, t("play.weights_hint")), h("div", { class: "mw-play-layers" }, ...matrices), panel.element);

  view.effect(() => {
    session.look.value;
    const found = place.value;
    panel.element.hidden = found === null;
    if (!found) return;
    const { tensor, index } = found;
    const { kept: values, read } = session.chosen.tensors[tensor]!;
    const { masterWeights, weightFormat } = session.settings.value;
    const args = { layer: found.layer + 1, input: found.input + 1, unit: found.unit + 1, format: format.value.name };
    const copy = masterWeights ? t("play.read_as", { value: weightText(read[index]!), format: weightFormat.name }) : "";
    panel.show(t(found.isBias ? "play.bias_bits" : "play.weight_bits", args) + copy, format.value, exactOf(values[index]!));
  });
  return element;
}

/** The number that a code stands for. */
function valueOf(format: FloatFormat, code: bigint): number {
  const { kind, negative, magnitude } = decoded(format, code);
  const size = kind === "nan" ? NaN : kind === "infinity" ? Infinity : toNumber(magnitude);
  return negative ? -size : size;
}
