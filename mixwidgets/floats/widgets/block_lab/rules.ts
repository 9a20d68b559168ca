// The scale rules of the format, each with what the chosen element's block loses under it, and the chosen one in words.

import { computed } from "@preact/signals-core";
import type { ScaleRule } from "#core/blocks/scale_rules.ts";
import { toNumber } from "#core/formats/rational.ts";
import { h, setText, uniqueId } from "#ui/dom.ts";
import { sentences as joined, t } from "#ui/messages.ts";
import { openState } from "#ui/view.ts";
import { lossOf, outcome } from "./outcome.ts";
import { is2d, type EditableLab, type Lab, type Shown } from "./state.ts";
import { hex, number, percent } from "./words.ts";

export function rules({ view, shown }: EditableLab): HTMLElement {
  const summary = h("summary");
  const list = h("fieldset", { class: "mw-rules" });
  const words = h("p", { class: "mw-note" });
  const element = h("details", { class: "mw-unfolding mw-lab-fold" }, summary, list, words);
  const isOpen = openState(element);
  const names = computed(() => shown.value?.lab.format.scaleRules ?? []);
  const drawn = computed(() => {
    const group = uniqueId("rules");
    return names.value.map((name) => {
      const input = h("input", { type: "radio", name: group, value: name });
      const loss = h("span");
      input.addEventListener("change", () => view.send("scale_rule", name));
      return { name, input, loss, root: h("label", {}, input, h("strong", {}, name), loss) };
    });
  });
  view.effect(() => list.replaceChildren(h("legend", { class: "mw-hidden" }, t("blocks.rules")), ...drawn.value.map(({ root }) => root)));
  view.effect(() => {
    if (!shown.value) return;
    const { lab, active } = shown.value;
    setText(summary, t("blocks.rules_open", { rule: lab.rule }));
    for (const { name, input, loss } of drawn.value) {
      input.checked = name === lab.rule;
      if (isOpen.value) setText(loss, lossText(lab, name, active));
    }
    setText(words, joined([ruleText(lab), scaleCode(shown.value)]));
  });
  return element;
}

/** What the block of an element loses by a rule. */
export function lossText(lab: Lab, rule: ScaleRule, index: number): string {
  const now = outcome({ ...lab, rule });
  const { all, lost, clipped, relative } = lossOf(now.blockAt(index).members.map((member) => now.elements[member]!));
  return joined([t("blocks.loses", { lost, all, error: percent(relative) }), clipped === 0 ? "" : t("blocks.loses_top", { clipped })]);
}

function scaleCode({ lab: { format: { scale } }, outcome: { tensorScale, blockAt }, active }: Shown): string {
  const block = blockAt(active);
  const args = { value: number(block.scale), format: scale.name, code: hex(block.scaleCode, scale.bits) };
  return tensorScale === null ? t("blocks.scale_code", args) : t("blocks.scale_code_tensor", { ...args, tensor: number(tensorScale) });
}

function ruleText({ format, rule, values, columns }: Lab): string {
  const { scale, tensorScale, element, block: [height, width] } = format;
  const value = (code: bigint) => number(toNumber(scale.magnitude(code)));
  const largest = number(element.values.at(-1)!);
  const said = [t(`blocks.rule_${rule}`, { largest, scale: scale.name, least: value(scale.smallestNormalCode) })];
  if (tensorScale) said.push(t("blocks.tensor_scale", { most: rule === "FOUR_OVER_SIX" ? "256" : value(scale.maxCode), largest }));
  if (is2d(format) && (values.length / columns < height || columns < width)) said.push(t("blocks.part_of_matrix", { rows: height, columns: width, count: values.length }));
  else if (columns < width) said.push(t("blocks.part", { count: columns, size: width }));
  return joined(said);
}
