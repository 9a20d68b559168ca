// What has happened, in sentences that Python computes from the shown runs: the worst large, the others below it, then the reason
// behind a scenario. Before the runs of a scenario are over, its question stands there.

import { computed } from "@preact/signals-core";
import { h, set, setText } from "#ui/dom.ts";
import { sentences, t } from "#ui/messages.ts";
import { listOf, sameSettings } from "./choice.ts";
import type { Lab } from "./lab.ts";
import type { Choice, Finding, ScenarioChoice } from "./state.ts";

export function verdictArea({ view, drawn, ids, chosen }: Lab): HTMLElement {
  const scenarios = view.model.get("_scenarios");
  const sent = view.trait("_verdict");
  const findings = computed(() => (sent.value.every(({ runs }) => runs.every((id) => ids.value.includes(id))) ? sent.value : [])); // else of other runs
  const [head, why] = [h("strong", {}), h("span", {})];
  const first = h("p", { class: "mw-verdict", "aria-live": "polite" }, head, why);
  const [more, reason] = [h("p", { class: "mw-verdict-more" }), h("p", { class: "mw-note mw-verdict-why" })];
  const answered = computed(() => scenarios.find((scenario) => findings.value.length > 0 && shows(scenario, drawn.value.map(({ row }) => row))));

  view.effect(() => {
    const [worst, ...others] = findings.value;
    const question = worst ? "" : (scenarios.find((scenario) => means(scenario, chosen.value))?.question ?? "");
    set(first, { hidden: !worst && question === "", "data-loses": worst?.loses });
    setText(head, worst ? worst.head : "");
    setText(why, !worst ? question : worst.why ? t("verdict.reason", { why: worst.why }) : t("verdict.end"));
    setText(more, worst ? sentences([capital(worst.figures), ...others.map(wordsOf)]) : "");
    setText(reason, answered.value?.watch ?? "");
    for (const element of [more, reason]) set(element, { hidden: element.textContent === "" });
  });
  return h("div", { class: "mw-stack-tight mw-verdict-area" }, first, more, reason);
}

const wordsOf = ({ head, why, figures }: Finding): string =>
  sentences([finished(why ? t("common.named", { name: head, what: why }) : head), capital(figures)]);

const finished = (text: string): string => (text === "" ? "" : t("verdict.sentence", { text }));

/** The same, with a capital, except for a name such as "fp16 dynamic". */
const capital = (text: string): string => finished(/^[a-z]+\d/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));

/** Whether a choice is a scenario's, on whatever device and seeds. */
export function means({ choice }: ScenarioChoice, { task, recipe, changes, steps, settings }: Choice): boolean {
  const isSame = changes === "" && choice.task === task && choice.steps === steps && listOf(choice.recipe).join() === listOf(recipe).join();
  return isSame && sameSettings(choice.settings, settings);
}

/** Whether these are the runs of a scenario, all its recipes and no others. */
function shows({ choice }: ScenarioChoice, rows: readonly { task: string; recipe: string; steps: number | null; settings: string | null }[]): boolean {
  const isOne = rows.every(({ task, steps, settings }) =>
    task === choice.task && steps === choice.steps && settings !== null && sameSettings(settings, choice.settings));
  return isOne && [...new Set(rows.map(({ recipe }) => recipe))].sort().join() === [...choice.recipe].sort().join();
}
