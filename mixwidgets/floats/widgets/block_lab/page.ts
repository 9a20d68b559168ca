// BlockLab: drag one element of a block and see the effect of the shared scale on the others. The page computes
// everything; the kernel gets the elements once, at the end of a drag.

import type { RenderProps } from "@anywidget/types";
import { computed } from "@preact/signals-core";
import { blockFormats } from "#core/blocks/catalogue.ts";
import { card } from "#ui/card.ts";
import { chips, chipsAndMore } from "#ui/choices.ts";
import { h, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { addQuestions, answeredByTraits } from "#ui/stage.ts";
import { viewOf } from "#ui/view.ts";
import { bars } from "./bars.ts";
import { editable, readLab, type Traits } from "./state.ts";
import { chosen, elementTable, figures, rule, sentencesOf } from "./readout.ts";
import steps from "./stage.json";

const USUAL = ["mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e3m2", "mxfp6_e2m3", "mxfp4", "mxint8", "nvfp4"];
const IN_A_ROW = blockFormats.filter(({ block: [rows] }) => rows === 1).map(({ name }) => name);

function render({ model, el }: RenderProps<Traits>): () => void {
  const view = viewOf(model);
  const lab = editable(view);
  const { root, head } = card(view, el, "mw-block-lab", t("blocks.title"));
  const formats = chipsAndMore(t("blocks.formats"), USUAL, IN_A_ROW, lab.chooseFormat);
  const names = computed(() => lab.shown.value?.lab.format.scaleRules ?? []);
  const rules = computed(() => chips(t("blocks.rules"), names.value, (name) => view.send("scale_rule", name)));
  const ruleHolder = h("div");
  head.append(formats.element);

  const callout = h("div", { class: "mw-callout mw-lab-said" });
  const legend = h("div", { class: "mw-row mw-lab-legend" },
    ...(["true", "kind_rounded", "kind_lost", "kind_clipped"] as const).map((kind) =>
      h("span", { class: "mw-row" }, h("span", { class: `mw-lab-swatch mw-lab-${kind}`, "aria-hidden": "true" }), t(`blocks.${kind}`))),
    h("span", { class: "mw-row" }, h("span", { class: "mw-lab-swatch mw-lab-strip", "aria-hidden": "true" }), t("blocks.strip")));
  const error = h("p", { class: "mw-error", role: "alert" });
  const live = h("p", { class: "mw-hidden", "aria-live": "polite" });
  root.append(
    error,
    h("div", { class: "mw-stack" },
      figures(lab), callout,
      h("div", { class: "mw-stack-tight" }, legend, bars(lab), h("p", { class: "mw-note" }, t("blocks.keys"))),
      chosen(lab),
      h("div", { class: "mw-stack-tight" },
        h("div", { class: "mw-row" }, h("span", { class: "mw-muted", "aria-hidden": "true" }, t("blocks.rules")), ruleHolder),
        rule(lab)),
      elementTable(lab)),
    live);

  view.effect(() => setText(error, lab.isReadable.value ? "" : t("blocks.unreadable")));
  view.effect(() => {
    if (!lab.shown.value) return;
    const { format, rule } = lab.shown.value.lab;
    formats.show(format.name);
    rules.value.show(rule);
  });
  view.effect(() => ruleHolder.replaceChildren(rules.value.element));
  view.effect(() => callout.replaceChildren(...sentencesOf(lab.shown.value?.outcome)));
  view.effect(() => setText(live, sentencesOf(lab.atRest.value?.outcome).map(({ textContent }) => textContent).join("")));
  addQuestions(view, root, answeredByTraits(view, steps));
  return view.close;
}

/** The state from an address; null if it is invalid. */
function accept(wanted: Traits): Traits | null {
  return readLab(wanted) && { ...wanted, _codes: wanted._codes.toLowerCase() };
}

export default { render, accept };
