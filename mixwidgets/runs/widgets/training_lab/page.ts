// TrainingLab: choose, launch, watch, stop, compare. The kernel follows the runs; the page draws what it last heard.

import type { AnyModel, RenderProps } from "@anywidget/types";
import { card } from "#ui/card.ts";
import { h, set, setText } from "#ui/dom.ts";
import { listed, sentences, t } from "#ui/messages.ts";
import { addQuestions } from "#ui/questions/questions.ts";
import { viewOf } from "#ui/view.ts";
import { charts } from "./charts.ts";
import { accept as acceptChoice, listOf } from "./choice.ts";
import { controls } from "./controls.ts";
import { labOf, repeated } from "./lab.ts";
import { comparisonPanel, gradientsPanel } from "./panels.ts";
import { news, progressArea } from "./progress.ts";
import { runFinder, runTable } from "./runs.ts";
import { selection } from "./selection.ts";
import type { State } from "./state.ts";
import { verdictArea } from "./verdict.ts";
import { computer, memory, place, work } from "./words.ts";

function render({ model, el }: RenderProps<State>): () => void {
  const lab = labOf(viewOf(model));
  const { view, atHand, chosen, hasKernel } = lab;
  const unread = view.trait("_notice");
  const { root, head } = card(view, el, "mw-training-lab", t("lab.title"));
  const [place_, machine] = [h("summary", {}), h("p", { class: "mw-note mw-memory" })];
  const where = h("details", { class: "mw-unfolding mw-where" }, place_, machine);
  head.append(where);

  const [compared, gradients, find] = [comparisonPanel(lab), gradientsPanel(lab), runFinder(lab)];
  const chosenRuns = selection(lab, find.found, compared, gradients);
  const list = h("div", { class: "mw-stack-tight" }, find.element, runTable(lab, find.found), chosenRuns.element);
  const columns = h("div", { class: "mw-lab-columns" }, list, charts(lab, gradients)); // choosing first, also by Tab
  const notice = h("p", { class: "mw-note" });
  root.append(controls(lab), progressArea(lab), verdictArea(lab), columns, ...chosenRuns.panels, compared.element, gradients.element, notice, news(lab));

  view.effect(() => {
    const run = atHand.value;
    set(where, { hidden: run === undefined });
    setText(place_, run ? computer(run) : "");
    setText(machine, run ? [place(run), memory(run), work(run)].filter(Boolean).join("\n") : "");
  });
  view.effect(() => {
    const missing = hasKernel.value ? [] : lab.missing.value;
    setText(notice, sentences([unread.value, missing.length > 0 ? t("lab.no_saved_curves", { names: listed(missing) }) : ""]));
    set(notice, { hidden: notice.textContent === "" });
  });

  const scenarios = model.get("_scenarios").filter(({ question }) => question);
  addQuestions(view, root, scenarios.map(({ question, choice }) => ({
    ask: question,
    answer() {
      const experiment = { ...choice, seed: chosen.value.seed, device: chosen.value.device };
      const known = repeated(lab.rows.value, experiment);
      lab.choose({ ...choice, changes: "", _shown: known.map(({ id }) => id) }); // those that are launched are shown as they begin
      if (known.length === 0) lab.ask("launch", { experiment });
    },
  })));
  return view.close;
}

/** What the address of a saved page may ask for. */
function accept(wanted: Record<string, unknown>, get: AnyModel<State>["get"]) {
  const names = (all: { name: string }[]) => all.map(({ name }) => name);
  return acceptChoice(wanted, { tasks: get("_tasks"), recipes: names(get("_recipes")), devices: names(get("_devices")) });
}

/** Several recipes or seeds stand in the address with commas between them. */
const stateValue = (name: string, value: unknown): unknown => (name === "recipe" || name === "seed" ? listOf(value).join(",") : value);

export default { render, accept, stateValue };
