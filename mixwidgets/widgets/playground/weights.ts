// The weights that are kept: point at one and see its bits.

import { type Signal, signal } from "@preact/signals-core";
import { getFormat } from "#core/formats/catalogue.ts";
import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { bitsPanel, exactOf } from "#ui/ruler/bits_panel.ts";
import { openState } from "#ui/view.ts";
import { LIMITS } from "#training/settings.ts";
import { matrix, type Place } from "./matrix.ts";
import type { Page } from "./parts.ts";

export function weightsPart({ view, session }: Page): HTMLElement {
  const element = h("details", { class: "mw-unfolding" }, h("summary", {}, t("play.weights")));
  const isOpen = openState(element);
  const chosen: Signal<Place | null> = signal(null);
  const panel = bitsPanel(() => (chosen.value = null));
  const matrices = Array.from({ length: LIMITS.hiddenLayers + 1 }, (_, layer) => matrix(view, session, layer, isOpen, chosen));
  element.append(h("p", { class: "mw-note" }, t("play.weights_hint")), h("div", { class: "mw-play-layers" }, ...matrices), panel.element);

  view.effect(() => {
    session.settings.value;
    chosen.value = null; // it may be there no more
  });
  view.effect(() => {
    const place = chosen.value;
    panel.element.hidden = place === null;
    if (place === null || session.look.value < 0) return;
    const { settings, tensors } = session.chosen;
    const [weight, bias] = [tensors[2 * place.layer]!, tensors[2 * place.layer + 1]!];
    const isBias = place.input === weight.shape[0];
    const one = isBias ? bias : weight;
    const index = isBias ? place.unit : place.input * weight.shape[1] + place.unit;
    const format = settings.masterWeights ? getFormat("float32")! : settings.weightFormat;
    const args = { layer: place.layer + 1, input: place.input + 1, unit: place.unit + 1, format: format.name };
    const read = settings.masterWeights ? t("play.read_as", { value: Number(one.read[index]!.toPrecision(6)), format: settings.weightFormat.name }) : "";
    panel.show(t(isBias ? "play.bias_bits" : "play.weight_bits", args) + read, format, exactOf(one.kept[index]!));
  });
  return element;
}
