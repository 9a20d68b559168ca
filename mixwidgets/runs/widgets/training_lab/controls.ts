// What to run: a scenario, or task, recipes, device, steps, seeds, settings; Launch, Stop, Stop all. Plain native
// controls, each explained.

import { action } from "#ui/buttons.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { integer } from "#ui/digits.ts";
import { listOf, oneOrMore, readSeeds, readSteps, seedsText } from "./choice.ts";
import { field, hint, textField } from "./fields.ts";
import type { Lab } from "./lab.ts";
import { recipeChoice } from "./recipe_choice.ts";
import { recipeEditor } from "./recipe_editor.ts";
import { settingsPart } from "./settings.ts";
import { fitting, sameSettings } from "./settings_text.ts";
import { canStop, type Choice, type DeviceChoice, isAlive, type ScenarioChoice } from "./state.ts";

export function controls(lab: Lab): HTMLElement {
  const { view, rows, names, atHand, chosen, choose, ask, said, hasKernel, refusal, asking } = lab;
  const [tasks, devices, scenarios] = [view.model.get("_tasks"), view.model.get("_devices"), view.model.get("_scenarios")];
  const taskOf = (name: string) => tasks.find((one) => one.name === name);

  const scenario = h("select", {}, h("option", { value: "" }, t("lab.own_choice")), ...scenarios.map(({ title }, i) => h("option", { value: i }, title)));
  const watch = h("p", { class: "mw-callout", id: uniqueId("scenario") });
  set(scenario, { "aria-describedby": watch.id });
  const showScenario = () => {
    const at = scenarios.findIndex((one) => means(one, chosen.value));
    scenario.value = at < 0 ? "" : String(at);
    setText(watch, scenarios[at]?.watch ?? "");
    set(watch, { hidden: at < 0 });
  };
  scenario.addEventListener("change", () => {
    if (scenario.value === "") showScenario(); // what is chosen stays what it was
    else choose(scenarios[Number(scenario.value)]!.choice);
  });
  view.effect(showScenario);

  const task = h("select", {}, ...tasks.map((one) => h("option", { value: one.name }, one.title)));
  const taskNote = h("p", { class: "mw-note", id: uniqueId("task") });
  set(task, { "aria-describedby": taskNote.id });
  task.addEventListener("change", () => choose({ task: task.value, settings: fitting(chosen.value.settings, taskOf(task.value)!) }));
  const device = h("select", {}, ...devices.map(deviceOption));
  const deviceNote = hint();
  set(device, { "aria-describedby": deviceNote.id });
  device.addEventListener("change", () => choose({ device: device.value }));
  const steps = textField(
    { label: t("lab.steps"), about: t("lab.steps_note"), parse: readSteps, write: String }, (value) => choose({ steps: value }));
  const seeds = textField(
    { label: t("lab.seeds"), about: t("lab.seeds_note"), parse: readSeeds, write: seedsText }, (value) => choose({ seed: oneOrMore(value) }));
  const [recipe, editor, settings] = [recipeChoice(lab), recipeEditor(lab), settingsPart(lab)];

  view.effect(() => {
    const { task: name, device: wanted } = chosen.value;
    task.value = name;
    setText(taskNote, taskOf(name)?.explanation ?? "");
    const known = devices.find((one) => one.name === wanted);
    if (!known) device.replaceChildren(...[...devices, { name: wanted, about: "" }].map(deviceOption));
    device.value = wanted;
    setText(deviceNote, known?.about || t(wanted.startsWith("cuda") ? "lab.device_is_cuda" : wanted === "cpu" ? "lab.device_is_cpu" : "lab.device_is_auto"));
  });

  const launch = action(t("lab.launch"), () => {
    const [stepCount, some] = [steps.read(), seeds.read()]; // a tap on the button may leave the focus in their fields
    if (stepCount === null) steps.input.focus();
    else if (some === null) seeds.input.focus();
    else if (settings.isRight()) ask("launch", { experiment: { ...chosen.value, steps: stepCount, seed: oneOrMore(some) } });
  }, "mw-primary");
  const stop = action(t("lab.stop"), () => atHand.value && ask("stop", { run: atHand.value.id }));
  const stopAll = action(t("lab.stop_all"), () => ask("stop_all"));
  view.effect(() => {
    const run = atHand.value;
    const name = run && canStop(run) ? names.value.get(run.id)! : "";
    const isWatched = run !== undefined && isAlive(run) && !canStop(run);
    launch.allow(asking("launch"));
    stop.allow(name ? asking("stop") : refusal.value || t(isWatched ? "lab.watched_goes_on" : "lab.nothing_runs"), name && t("lab.stops", { name }));
    stopAll.allow(rows.value.some(canStop) ? asking("stop_all") : refusal.value || t("lab.nothing_runs"));
  });

  const sum = h("span", { class: "mw-note" });
  const count = () => {
    const found = readSeeds(seeds.input.value); // also while they are typed
    const [a, b] = [listOf(chosen.value.recipe).length, "value" in found ? found.value.length : 1];
    launch.name(a * b === 1 ? t("lab.launch") : t("lab.launch_several", { count: integer(a * b) }));
    const [some, many] = [t(a === 1 ? "lab.recipes_one" : "lab.recipes_many", { count: a }), t(b === 1 ? "lab.seeds_one" : "lab.seeds_count", { count: b })];
    setText(sum, a * b === 1 ? "" : t("lab.runs_made", { recipes: some, seeds: many }));
  };
  seeds.input.addEventListener("input", count);
  view.effect(() => {
    steps.show(chosen.value.steps);
    seeds.show(listOf(chosen.value.seed));
    count();
  });

  const answer = h("p", { role: "alert" });
  view.effect(() => {
    const { text, kind, isError = false } = hasKernel.value ? said.value : { text: t("lab.no_kernel") };
    const isElsewhere = kind === "keep_recipe" && isError; // in the form
    set(answer, { class: isError ? "mw-error" : "mw-note", hidden: text === "" || isElsewhere });
    setText(answer, isElsewhere ? "" : text);
  });
  return h("div", { class: "mw-lab-controls" },
    h("div", { class: "mw-scenario" }, field(t("lab.scenario"), scenario), watch),
    h("div", { class: "mw-row mw-fields" },
      field(t("lab.task"), task), recipe.element, field(t("lab.device"), device, deviceNote), steps.element, seeds.element),
    recipe.boxes,
    editor,
    settings.element,
    h("div", { class: "mw-lab-notes" }, taskNote, recipe.note),
    h("div", { class: "mw-row mw-actions" }, launch.element, stop.element, stopAll.element, sum),
    answer);
}

/** Whether a choice is a scenario's, on whatever device and seeds. */
function means({ choice }: ScenarioChoice, { task, recipe, steps, settings }: Choice): boolean {
  const isSame = choice.task === task && choice.steps === steps && listOf(choice.recipe).join() === listOf(recipe).join();
  return isSame && sameSettings(choice.settings, settings);
}

const deviceOption = ({ name, about }: DeviceChoice) => h("option", { value: name }, about ? `${name} · ${about}` : name);
