// What can be done with the runs that are selected: compare them, open the gradients of one.

import { computed } from "@preact/signals-core";
import { action } from "#ui/buttons.ts";
import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { ComparisonPanel } from "./comparison.ts";
import type { GradientsPanel } from "./gradients_panel.ts";
import type { Lab } from "./lab.ts";
import { isAlive } from "./state.ts";

export function selection({ view, selected, refusal }: Lab, compared: ComparisonPanel, gradients: GradientsPanel): HTMLElement {
  const over = computed(() => selected.value.filter((row) => !isAlive(row)));
  const one = computed(() => (selected.value.length === 1 ? selected.value[0] : undefined));
  const compare = action(t("lab.compare"), () => compared.open(compare.element, over.value.map(({ id }) => id)));
  const open = action(t("lab.open_gradients"), () => one.value && gradients.open(open.element, { run: one.value.id }));
  compared.opener(compare.element);
  gradients.opener(open.element);

  view.effect(() => compare.allow(over.value.length < 2 ? t("lab.compare_needs") : refusal.value));
  view.effect(() => open.allow(
    !one.value ? t("lab.open_needs_one") : !one.value.gradients ? t("lab.open_needs_snapshot") : gradients.needsKernel ? refusal.value : ""));
  return h("div", { class: "mw-stack-tight" },
    h("div", { class: "mw-row" }, compare.element, open.element), h("p", { class: "mw-note" }, t("lab.selection_note")));
}
