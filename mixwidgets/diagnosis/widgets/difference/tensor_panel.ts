// A tensor of the chosen row on the ruler of the recipe's format: as the reference has it, and as the recipe does.

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { getFormat } from "#core/formats/catalogue.ts";
import { GradientSummary } from "#core/gradients/summary.ts";
import { labelled } from "#ui/choices.ts";
import { h, set, setText } from "#ui/dom.ts";
import { inSeries, listed, t } from "#ui/messages.ts";
import { tallest } from "#ui/ruler/geometry.ts";
import { histogram } from "#ui/ruler/histogram.ts";
import { textures } from "#ui/ruler/textures.ts";
import { integer } from "#ui/digits.ts";
import { number, powerOfAny, shares } from "#ui/ruler/words.ts";
import type { View } from "#ui/view.ts";
import { errorWords, moduleName, type Row, tensorName } from "./words.ts";

/** `told` is the row whose reason stands above. */
export function tensorPanel(view: View, chosen: ReadonlySignal<Row | undefined>, told: Row | undefined, name: string, lossScale: number): HTMLElement {
  const fills = textures();
  const format = getFormat(name)!;
  const place = signal(0); // of the tensor in the row
  const shown = computed(() => chosen.value?.tensors[place.value]);
  const menu = h("select");
  menu.addEventListener("change", () => (place.value = menu.selectedIndex));
  const choice = labelled(t("difference.which"), menu);
  const summaries = (["reference", "found"] as const).map((which) => computed(() =>
    shown.value ? GradientSummary.fromBytes(shown.value[which]) : GradientSummary.together([])));
  const most = computed(() => Math.max(...summaries.map((one) => tallest(one.value))));
  const plots = summaries.map((summary, i) => {
    const said = h("p", { class: "mw-note" });
    const answers = computed(() => ({ total: summary.value, format }));
    const plot = histogram({ view, answers, scale: signal(0), axis: t("difference.axis"), most }, fills);
    view.effect(() => {
      const { finite } = summary.value.counts(format, 0);
      setText(said, t(i ? "difference.in_recipe" : "difference.in_reference", { format: name, words: countWords(summary.value) }));
      set(plot.element, { "aria-label": shares(finite, summary.value.finite) });
    });
    return h("div", {}, said, plot.element);
  });
  const [title, numbers, why] = [h("h4"), h("p"), h("p")];
  const both = h("div", { class: "mw-stack-tight" }, ...plots);

  view.effect(() => {
    const row = chosen.value;
    place.value = 0;
    menu.replaceChildren(...(row?.tensors ?? []).map((one) => h("option", {}, `${tensorName(one)} (${number(one.error)})`)));
    choice.hidden = menu.options.length < 2;
  });
  view.effect(() => {
    const [row, tensor] = [chosen.value, shown.value];
    if (!row) return;
    const isScaled = row.direction === "backward" && row.module !== "step" && lossScale !== 1;
    setText(title, `${moduleName(row)} (${row.kind}) · ${t(`difference.${row.direction}`)}${tensor ? ` · ${tensorName(tensor)}` : ""}`);
    setText(numbers, tensor ? inSeries([errorWords(tensor), isScaled ? t("difference.scaled", { scale: powerOfAny(lossScale) }) : ""]) : "");
    setText(why, row === told ? "" : row.reason);
    both.hidden = !tensor;
  });
  return h("section", { class: "mw-stack-tight mw-difference-tensor", "aria-label": t("difference.tensor") },
    title, choice, h("div", { class: "mw-stack-tight", "aria-live": "polite" }, numbers, why), both, fills.element);
}

/** "512 in all, 3 zero, 12 infinite". */
function countWords({ count, zero, inf, nan }: GradientSummary): string {
  const parts = { values: count, zero, inf, nan };
  return listed((["values", "zero", "inf", "nan"] as const).filter((kind) => kind === "values" || parts[kind] > 0)
    .map((kind) => t(`difference.${kind}`, { count: integer(parts[kind]) })));
}
