// TrainingLab: choose, launch, watch, stop. The kernel follows the runs; the page draws what it last heard.

import type { AnyModel, RenderProps } from "@anywidget/types";
import { card } from "../ui/card.ts";
import { h, set, setText } from "../ui/dom.ts";
import { t } from "../ui/messages.ts";
import { charts } from "./training_lab/charts.ts";
import { type Choice, controls } from "./training_lab/controls.ts";
import { kernelLink } from "./training_lab/kernel.ts";
import {
  assignStyles, currentRun, type Curves, isAlive, MAX_SEED, MAX_STEPS, points, type Row, runNames, type State, type WireCurves,
} from "./training_lab/state.ts";
import { runTable } from "./training_lab/table.ts";
import { newest, place, progress, spoken, status } from "./training_lab/words.ts";

const QUIET_MS = 5000; // between two spoken words about the progress
const QUIET_ENDS = ["completed", "stopped"]; // the others are told in words

function render({ model, el }: RenderProps<State>): () => void {
  const { root, head } = card(el, t("lab.title"));
  const where = h("p", { class: "mw-note" });
  head.append(where);

  const bar = h("progress", { max: 1, "aria-label": t("lab.progress") });
  const stepsText = h("span", { class: "mw-num" });
  const newestText = h("span", { class: "mw-num" });
  const live = h("p", { class: "mw-hidden", "aria-live": "polite" });
  const message = h("p", { class: "mw-callout" });
  const notice = h("p", { class: "mw-note" });
  const progressArea = h("div", { class: "mw-progress" }, bar, h("div", { class: "mw-progress-text" }, stepsText, newestText));

  let waitingFor: string | null = null;
  let hasKernel = true;
  const link = kernelLink(model, {
    waiting: (kind) => {
      waitingFor = kind;
      if (kind) panel.say("", false);
      enable();
    },
    slow: (kind) => panel.say(t(kind === "launch" ? "lab.slow_launch" : "lab.slow_stop"), false),
    refused: (_, text) => panel.say(text, true),
    absent: () => {
      hasKernel = false;
      panel.say(t("lab.no_kernel"), false);
      enable();
    },
  });

  const panel = controls(model.get("_tasks"), model.get("_recipes"), {
    choose: (choice) => {
      for (const [name, value] of Object.entries(choice)) model.set(name as keyof State, value);
      model.save_changes();
    },
    launch: (experiment) => link.ask("launch", { experiment }),
    stop: () => {
      const run = currentRun(model.get("_rows"));
      if (run) link.ask("stop", { run: run.id });
    },
  });
  const table = runTable((id, shown) => {
    const others = model.get("_shown").filter((one) => one !== id);
    model.set("_shown", shown ? [...others, id] : others);
    model.save_changes();
    schedule();
  });
  const plots = charts();
  const columns = h("div", { class: "mw-lab-columns" }, plots.element, table.element);
  root.append(panel.element, progressArea, message, columns, notice, live);

  const enable = () => {
    const run = currentRun(model.get("_rows"));
    const free = hasKernel && waitingFor === null;
    panel.enable({ launch: free, stop: free && run !== undefined && isAlive(run) });
  };
  const choose = () =>
    panel.show({ task: model.get("task"), recipe: model.get("recipe"), steps: model.get("steps"), seed: model.get("seed") });

  let styles: Map<string, number> = new Map();
  const decoded = new WeakMap<object, Curves>();
  const curvesOf = (id: string): Curves => {
    const wire = model.get("_live")[id] ?? model.get("_settled")[id];
    if (!wire) return { loss: [], scale: [], skipped: [] };
    if (!decoded.has(wire)) decoded.set(wire, decode(wire));
    return decoded.get(wire)!;
  };

  const draw = () => {
    const rows = model.get("_rows");
    const byId = new Map(rows.map((row) => [row.id, row]));
    const names = runNames(rows);
    styles = assignStyles(styles, model.get("_shown").filter((id) => byId.has(id)));
    const run = currentRun(rows);

    setText(where, run ? place(run) : "");
    set(bar, { value: run?.steps ? run.step / run.steps : 0 });
    const name = run && rows.filter(isAlive).length > 1 ? `${names.get(run.id)}: ` : "";
    setText(stepsText, run ? name + progress(run) : t("lab.progress_none"));
    setText(newestText, run ? newest(run) : "");
    const failure = run && !isAlive(run) && !QUIET_ENDS.includes(run.status) ? run : undefined;
    set(message, { hidden: failure === undefined });
    setText(message, failure ? t("lab.failure", { name: names.get(failure.id)!, status: status(failure), message: failure.message }) : "");
    const unread = model.get("_notice");
    set(notice, { hidden: unread === "" });
    setText(notice, unread);
    enable();
    table.show(rows, names, styles);
    const shown = [...styles].map(([id, style]) => ({ row: byId.get(id)!, name: names.get(id)!, style, curves: curvesOf(id) }));
    plots.draw(chartWidth(), shown);
    if (run) speak(run, names.get(run.id)!);
  };

  const chartWidth = () => Math.max(240, Math.round(plots.element.clientWidth) || 560);

  let lastSpoken = { key: "", at: -Infinity };
  let firstDraw = true;
  const speak = (run: Row, name: string) => {
    const key = `${run.id} ${run.status}`;
    const now = performance.now();
    const isNews = key !== lastSpoken.key;
    if (!isNews && (!isAlive(run) || now - lastSpoken.at < QUIET_MS)) return;
    lastSpoken = { key, at: now };
    if (firstDraw) return; // what was there before the user came is no news
    setText(live, spoken(run, name));
  };

  let frame = 0;
  const schedule = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      draw();
      firstDraw = false;
    });
  };

  const drawn = ["_rows", "_settled", "_live", "_shown", "_notice"] as const;
  const chosen = ["task", "recipe", "steps", "seed"] as const;
  for (const name of drawn) model.on(`change:${name}`, schedule);
  for (const name of chosen) model.on(`change:${name}`, choose);
  const resize = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(schedule);
  resize?.observe(columns);

  panel.say("", false);
  choose();
  draw();
  firstDraw = false;

  return () => {
    link.close();
    resize?.disconnect();
    cancelAnimationFrame(frame);
    for (const name of drawn) model.off(`change:${name}`, schedule);
    for (const name of chosen) model.off(`change:${name}`, choose);
    root.remove();
  };
}

const decode = (wire: WireCurves): Curves => ({
  loss: points(wire.loss),
  scale: points(wire.scale),
  skipped: points(wire.skipped),
});

/** What the address of a saved page may ask for. */
function accept(wanted: Choice, get: AnyModel<State>["get"]): Choice | null {
  const { task, recipe, steps, seed } = wanted;
  const known = get("_tasks").some(({ name }) => name === task) && get("_recipes").some(({ name }) => name === recipe);
  return known && steps >= 1 && steps <= MAX_STEPS && seed >= 0 && seed <= MAX_SEED ? wanted : null;
}

export default { render, accept };
