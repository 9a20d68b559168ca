// TrainingLab: choose, launch, watch, stop, compare. The kernel follows the runs; the page draws what it last heard.

import type { AnyModel, RenderProps } from "@anywidget/types";
import { card } from "#ui/card.ts";
import { h, set, setText } from "#ui/dom.ts";
import { kernelLink } from "#ui/kernel.ts";
import { listed, sentences, t } from "#ui/messages.ts";
import { charts } from "./charts.ts";
import { accept as acceptChoice, listOf } from "./choice.ts";
import { comparisonPanel } from "./comparison.ts";
import { controls } from "./controls.ts";
import { gradientsPanel, managerOf } from "./gradients_panel.ts";
import { news, progressArea } from "./progress.ts";
import { assignStyles, merged, runAtHand, runNames } from "./rows.ts";
import { selection } from "./selection.ts";
import { canStop, type Curves, decode, isAlive, type Row, type ShownRun, type State } from "./state.ts";
import { runTable } from "./table.ts";
import { place } from "./words.ts";

const SLOW = { launch: "lab.slow_launch", stop: "lab.slow_stop", stop_all: "lab.slow_stop", compare: "lab.slow", gradients: "lab.slow" } as const;
type Kind = keyof typeof SLOW;
const DRAWN = ["_rows", "_live_rows", "_settled", "_live", "_shown", "_comparison", "_explorer", "_explorer_run", "_notice"] as const;
const CHOSEN = ["task", "recipe", "steps", "seed", "device"] as const;

function render({ model, el }: RenderProps<State>): () => void {
  const { root, head } = card(el, t("lab.title"));
  const where = h("p", { class: "mw-note" });
  head.append(where);

  let waiting: ReadonlySet<Kind> = new Set();
  let hasKernel = true;
  const link = kernelLink<Kind>(model, {
    waiting: (kinds) => {
      if (kinds.size > waiting.size) panel.say("", false);
      waiting = new Set(kinds);
      allow();
    },
    slow: (kind) => panel.say(t(SLOW[kind]), false),
    refused: (text) => panel.say(text, true),
    absent: () => {
      hasKernel = false;
      panel.say(t("lab.no_kernel"), false);
      schedule();
    },
  });
  const tell = <K extends keyof State>(name: K, value: State[K]) => {
    model.set(name, value);
    model.save_changes();
  };

  const panel = controls({ tasks: model.get("_tasks"), recipes: model.get("_recipes"), devices: model.get("_devices") ?? ["auto"] }, {
    choose: (choice) => {
      for (const [name, value] of Object.entries(choice)) model.set(name as keyof State, value);
      model.save_changes();
    },
    launch: (experiment) => link.ask("launch", { experiment }),
    stop: () => atHand && link.ask("stop", { run: atHand.id }),
    stopAll: () => link.ask("stop_all"),
  });
  const progress = progressArea();
  const plots = charts();
  const table = runTable((id, shown) => {
    const others = model.get("_shown").filter((one) => one !== id);
    tell("_shown", shown ? [...others, id] : others);
    draw(); // at once: the buttons for what is selected are ready before the next key is pressed
  });
  const manager = managerOf(model);
  let openByHand: string | null = null; // the run whose gradients the page offers without the kernel
  const picked = selection({
    compare: (runs) => {
      compared.expect(picked.compare);
      link.ask("compare", { runs });
    },
    open: (run) => {
      gradients.expect(picked.open);
      if (manager) return link.ask("gradients", { run });
      openByHand = run;
      draw();
    },
  });
  const compared = comparisonPanel(() => {
    if (hasKernel) link.ask("compare", { runs: [] });
    else tell("_comparison", {});
  });
  const gradients = gradientsPanel(manager, () => {
    openByHand = null;
    if (manager && hasKernel) link.ask("gradients", { run: null });
    else tell("_explorer", null);
    draw();
  });
  const notice = h("p", { class: "mw-note" });
  const spoken = news();
  const columns = h("div", { class: "mw-lab-columns" }, plots.element, h("div", { class: "mw-stack-tight" }, table.element, picked.element));
  root.append(panel.element, progress.element, columns, compared.element, gradients.element, notice, spoken.element);

  let frame = 0;
  let rows: Row[] = [];
  let atHand: Row | undefined;
  let styles: Map<string, number> = new Map();

  const allow = () => {
    const refusal = hasKernel ? "" : t("lab.no_kernel");
    const asking = (kind: Kind) => refusal || (waiting.has(kind) ? t("lab.asking") : "");
    const name = atHand && canStop(atHand) ? runNames(rows).get(atHand.id)! : "";
    const isWatched = atHand !== undefined && isAlive(atHand) && !canStop(atHand);
    panel.allow({
      launch: asking("launch"),
      stop: name ? asking("stop") : refusal || t(isWatched ? "lab.watched_goes_on" : "lab.nothing_runs"),
      stopAll: rows.some(canStop) ? asking("stop_all") : refusal || t("lab.nothing_runs"),
    }, name && t("lab.stops", { name }));
    const selected = model.get("_shown").map((id) => rows.find((row) => row.id === id)).filter((row) => row !== undefined);
    picked.show(selected, refusal, manager !== undefined);
  };

  const draw = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    rows = merged(model.get("_rows"), model.get("_live_rows") ?? []);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const names = runNames(rows);
    const shown = model.get("_shown").filter((id) => byId.has(id));
    styles = assignStyles(styles, shown);
    atHand = runAtHand(rows, shown);

    setText(where, atHand ? place(atHand) : "");
    progress.show(rows, atHand, names, shown);
    table.show(rows, names, styles);
    const runs = [...styles].map(([id, style]) => ({ row: byId.get(id)!, name: names.get(id)!, style, curves: curvesOf(id) }));
    plots.draw(Math.max(240, Math.round(plots.element.clientWidth) || 560), runs, withGradients(runs, atHand));
    compared.show(model.get("_comparison") ?? {}, names, styles);
    const id = openByHand ?? (model.get("_explorer") ? model.get("_explorer_run") : null);
    gradients.show(id ? { name: names.get(id) ?? id, path: `${model.get("_runs_dir")}/${id}` } : undefined, model.get("_explorer"));
    const unread = model.get("_notice");
    const missing = hasKernel ? [] : runs.filter(({ row }) => !(row.id in model.get("_settled")) && !(row.id in model.get("_live")));
    set(notice, { hidden: unread === "" && missing.length === 0 });
    setText(notice, sentences([unread, missing.length > 0 ? t("lab.no_saved_curves", { names: listed(missing.map(({ name }) => name)) }) : ""]));
    allow();
    spoken.tell(rows, atHand, names);
  };

  const decoded = new WeakMap<object, Curves>();
  const curvesOf = (id: string): Curves => {
    const wire = model.get("_live")[id] ?? model.get("_settled")[id];
    if (!wire) return decode(undefined);
    if (!decoded.has(wire)) decoded.set(wire, decode(wire));
    return decoded.get(wire)!;
  };

  const schedule = () => {
    frame ||= requestAnimationFrame(draw);
  };
  const choose = () => {
    const [task, recipe, steps, seed] = [model.get("task"), model.get("recipe"), model.get("steps"), model.get("seed")];
    panel.show({ task, recipe, steps, seed, device: model.get("device") ?? "auto" });
  };

  for (const name of DRAWN) model.on(`change:${name}`, schedule);
  for (const name of CHOSEN) model.on(`change:${name}`, choose);
  const resize = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(schedule);
  resize?.observe(columns);

  panel.say("", false);
  choose();
  draw();

  return () => {
    link.close();
    gradients.remove();
    resize?.disconnect();
    cancelAnimationFrame(frame);
    for (const name of DRAWN) model.off(`change:${name}`, schedule);
    for (const name of CHOSEN) model.off(`change:${name}`, choose);
    root.remove();
  };
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
  return acceptChoice(wanted, { tasks: names(get("_tasks")), recipes: names(get("_recipes")), devices: get("_devices") ?? ["auto"] });
}

/** Several recipes or seeds stand in the address with commas between them. */
const stateValue = (name: string, value: unknown): unknown => (name === "recipe" || name === "seed" ? listOf(value).join(",") : value);

export default { render, accept, stateValue };
