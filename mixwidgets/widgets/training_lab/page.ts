// TrainingLab: choose, launch, watch, stop, compare. The kernel follows the runs; the page draws what it last heard.

import type { AnyModel, RenderProps } from "@anywidget/types";
import { computed, signal } from "@preact/signals-core";
import { card } from "#ui/card.ts";
import { h, set, setText } from "#ui/dom.ts";
import { kernelLink } from "#ui/kernel.ts";
import { listed, sentences, t } from "#ui/messages.ts";
import { addQuestions } from "#ui/stage_sequence.ts";
import { viewOf } from "#ui/view.ts";
import { charts } from "./charts.ts";
import { accept as acceptChoice, listOf } from "./choice.ts";
import { comparisonPanel } from "./comparison.ts";
import { controls } from "./controls.ts";
import { finder } from "./finder.ts";
import { gradientsPanel, managerOf } from "./gradients_panel.ts";
import { news, progressArea } from "./progress.ts";
import { repeated } from "./rows.ts";
import { runsOf } from "./runs.ts";
import { selection } from "./selection.ts";
import { canStop, isAlive, type Row, type ShownRun, type State } from "./state.ts";
import { runTable } from "./table.ts";
import { place } from "./words.ts";

const SLOW = { launch: "lab.slow_launch", stop: "lab.slow_stop", stop_all: "lab.slow_stop", compare: "lab.slow", gradients: "lab.slow", keep_recipe: "lab.slow", drop_recipe: "lab.slow" } as const;
type Kind = keyof typeof SLOW;

function render({ model, el }: RenderProps<State>): () => void {
  const view = viewOf(model);
  const runs = runsOf(view);
  const { rows, names, selected, styles, atHand, drawn } = runs;
  const [compares, explorer, explorerRun, unread] =
    [view.trait("_comparison"), view.trait("_explorer"), view.trait("_explorer_run"), view.trait("_notice")];
  const { root, head } = card(el, t("lab.title"));
  root.classList.add("mw-training-lab");
  const where = h("p", { class: "mw-note" });
  head.append(where);

  const [hasKernel, waiting] = [signal(true), signal<ReadonlySet<Kind>>(new Set())];
  const link = kernelLink<Kind>(model, {
    waiting: (kinds) => {
      if (kinds.size > waiting.value.size) panel.say("", false);
      waiting.value = new Set(kinds);
    },
    slow: (kind) => panel.say(t(SLOW[kind]), false),
    refused: (text, kind) => (kind === "keep_recipe" && text ? panel.refuseRecipe(text) : panel.say(text, true)),
    absent: () => {
      hasKernel.value = false;
      panel.say(t("lab.no_kernel"), false);
    },
  });
  view.onClose(link.close);

  const choosable = {
    tasks: model.get("_tasks"), form: model.get("_recipe_form") ?? [], devices: model.get("_devices"), scenarios: model.get("_scenarios") ?? [],
  };
  const choose = (choice: Partial<State>) => {
    view.set(choice);
    model.save_changes();
  };
  const panel = controls(choosable, {
    choose,
    launch: (experiment) => link.ask("launch", { experiment }),
    stop: () => atHand.value && link.ask("stop", { run: atHand.value.id }),
    stopAll: () => link.ask("stop_all"),
    keep: (name, recipe) => link.ask("keep_recipe", { name, recipe }),
    drop: (name) => link.ask("drop_recipe", { name }),
  });
  const progress = progressArea();
  const plots = charts(view, drawn, computed(() => withGradients(drawn.value, atHand.value)), {
    open(run, step) {
      gradients.expect(plots.opener);
      if (manager) link.ask("gradients", { run, step });
      else openByHand.value = run;
    },
    follow(step) {
      const run = explorerRun.value;
      if (explorer.value && drawn.value.some(({ row }) => row.id === run)) link.ask("gradients", { run, step });
    },
  });
  const find = finder(runs);
  const table = runTable(runs, find.found);
  const manager = managerOf(model);
  const openByHand = signal<string | null>(null); // the run whose gradients the page offers without the kernel
  const picked = selection({
    compare: (some) => {
      compared.expect(picked.compare);
      link.ask("compare", { runs: some });
    },
    open: (run) => {
      gradients.expect(picked.open);
      if (manager) link.ask("gradients", { run });
      else openByHand.value = run;
    },
  });
  const compared = comparisonPanel(() => {
    if (hasKernel.value) link.ask("compare", { runs: [] });
    else view.send("_comparison", {});
  });
  const gradients = gradientsPanel(manager, () => {
    openByHand.value = null;
    if (manager && hasKernel.value) link.ask("gradients", { run: null });
    else view.send("_explorer", null);
  });
  view.onClose(gradients.remove);
  const notice = h("p", { class: "mw-note" });
  const spoken = news();
  const list = h("div", { class: "mw-stack-tight" }, find.element, table, picked.element);
  const columns = h("div", { class: "mw-lab-columns" }, plots.element, list);
  root.append(panel.element, progress.element, columns, compared.element, gradients.element, notice, spoken.element);

  const chosen = {
    task: view.trait("task"), recipe: view.trait("recipe"), steps: view.trait("steps"), seed: view.trait("seed"), device: view.trait("device"),
    settings: view.trait("settings"),
  };
  const recipes = view.trait("_recipes");
  view.effect(() => panel.show({
    task: chosen.task.value, recipe: chosen.recipe.value, steps: chosen.steps.value, seed: chosen.seed.value,
    device: chosen.device.value, settings: chosen.settings.value ?? "",
  }, recipes.value));
  const refusal = computed(() => (hasKernel.value ? "" : t("lab.no_kernel")));
  view.effect(() => {
    const asking = (kind: Kind) => refusal.value || (waiting.value.has(kind) ? t("lab.asking") : "");
    const run = atHand.value;
    const name = run && canStop(run) ? names.value.get(run.id)! : "";
    const isWatched = run !== undefined && isAlive(run) && !canStop(run);
    panel.allow({
      launch: asking("launch"),
      keep: asking("keep_recipe") || asking("drop_recipe"),
      stop: name ? asking("stop") : refusal.value || t(isWatched ? "lab.watched_goes_on" : "lab.nothing_runs"),
      stopAll: rows.value.some(canStop) ? asking("stop_all") : refusal.value || t("lab.nothing_runs"),
    }, name && t("lab.stops", { name }));
  });
  view.effect(() => setText(where, atHand.value ? place(atHand.value) : ""));
  const nothing = computed(() => {
    if (hasKernel.value) return t("lab.progress_none");
    const { task, recipe, steps, seed, settings } = chosen;
    const known = repeated(rows.value, { task: task.value, recipe: recipe.value, steps: steps.value, seed: seed.value, settings: settings.value ?? "" });
    return t(known.length > 0 ? "lab.no_curves" : "lab.progress_unsaved");
  });
  view.effect(() => progress.show(rows.value, atHand.value, names.value, selected.value, nothing.value));
  view.effect(() => picked.show(selected.value, refusal.value, manager !== undefined));
  view.effect(() => compared.show(compares.value, names.value, styles.value));
  view.effect(() => {
    const id = openByHand.value ?? (explorer.value ? explorerRun.value : null);
    gradients.show(id ? { name: names.value.get(id) ?? id, path: `${model.get("_runs_dir")}/${id}` } : undefined, explorer.value);
  });
  view.effect(() => {
    const missing = hasKernel.value ? [] : runs.missing.value;
    setText(notice, sentences([unread.value, missing.length > 0 ? t("lab.no_saved_curves", { names: listed(missing) }) : ""]));
    set(notice, { hidden: notice.textContent === "" });
  });
  view.effect(() => spoken.tell(rows.value, atHand.value, names.value));

  addQuestions(view, root, choosable.scenarios.filter(({ question }) => question).map(({ question, choice }) => ({
    ask: question!,
    isAnswered: () => true, // the runs that are shown may be its
    answer() {
      const experiment = { ...choice, seed: chosen.seed.value, device: chosen.device.value };
      const known = repeated(rows.value, experiment);
      choose({ ...choice, _shown: known.map(({ id }) => id) }); // those that are launched are shown as they begin
      if (known.length === 0) link.ask("launch", { experiment });
    },
  })));
  panel.say("", false);
  view.onClose(() => root.remove());
  return view.close;
}

/** Whose gradients are drawn: the run selected alone, else the one at hand, else the newest of the selected that has some. */
function withGradients(shown: readonly ShownRun[], atHand: Row | undefined): ShownRun | undefined {
  const known = shown.filter(({ curves }) => curves.shares.length > 0);
  if (shown.length === 1) return shown[0];
  return known.find(({ row }) => row.id === atHand?.id) ?? known.sort((a, b) => (a.row.id < b.row.id ? 1 : -1))[0];
}

/** What the address of a saved page may ask for. */
function accept(wanted: Record<string, unknown>, get: AnyModel<State>["get"]) {
  const names = (all: { name: string }[]) => all.map(({ name }) => name);
  return acceptChoice(wanted, { tasks: get("_tasks"), recipes: names(get("_recipes")), devices: names(get("_devices")) });
}

/** Several recipes or seeds stand in the address with commas between them. */
const stateValue = (name: string, value: unknown): unknown => (name === "recipe" || name === "seed" ? listOf(value).join(",") : value);

export default { render, accept, stateValue };
