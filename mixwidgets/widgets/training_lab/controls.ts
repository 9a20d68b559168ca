// What to run: a scenario, or task, recipes, device, steps, seeds, settings; Launch, Stop, Stop all. Plain native
// controls, each explained.

import { action } from "#ui/buttons.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { integer } from "#ui/digits.ts";
import { type Choice, listOf, oneOrMore, readSeeds, readSteps, seedsText } from "./choice.ts";
import { field, hint, textField } from "./fields.ts";
import { recipeChoice } from "./recipe_choice.ts";
import { recipeEditor } from "./recipe_editor.ts";
import { settingsPart } from "./settings.ts";
import { fitting, sameSettings } from "./settings_text.ts";
import type { DeviceChoice, RecipeChoice, RecipeField, RecipeValues, ScenarioChoice, TaskChoice } from "./state.ts";

/** Why a button cannot be used; "" where it can. */
export interface Reasons {
  launch: string;
  stop: string;
  stopAll: string;
  keep: string;
}

export interface Controls {
  element: HTMLElement;
  /** Show the kernel's choice; what the user is typing stays. */
  show: (choice: Choice, recipes: readonly RecipeChoice[]) => void;
  /** `stops` says which run Stop would end. */
  allow: (reasons: Reasons, stops: string) => void;
  /** A sentence of the kernel's, an error or a quiet note; "" takes it away. */
  say: (text: string, isError: boolean) => void;
  /** What the kernel says against a recipe that is to be kept. */
  refuseRecipe: (text: string) => void;
}

export interface Choosable {
  tasks: readonly TaskChoice[];
  form: readonly RecipeField[];
  devices: readonly DeviceChoice[];
  scenarios: readonly ScenarioChoice[];
}

export function controls(
  { tasks, form, devices, scenarios }: Choosable,
  on: {
    choose: (choice: Partial<Choice>) => void; launch: (choice: Choice) => void; stop: () => void; stopAll: () => void;
    keep: (name: string, recipe: RecipeValues) => void; drop: (name: string) => void;
  },
): Controls {
  const scenario = h("select", {}, h("option", { value: "" }, t("lab.own_choice")), ...scenarios.map(({ title }, i) => h("option", { value: i }, title)));
  const watch = h("p", { class: "mw-callout", id: uniqueId("scenario") });
  set(scenario, { "aria-describedby": watch.id });
  const task = h("select", {}, ...tasks.map((one) => h("option", { value: one.name }, one.title)));
  const device = h("select", {}, ...devices.map(deviceOption));
  const taskNote = h("p", { class: "mw-note", id: uniqueId("task") });
  const deviceNote = hint();
  const sum = h("span", { class: "mw-note" });
  set(task, { "aria-describedby": taskNote.id });
  set(device, { "aria-describedby": deviceNote.id });

  const recipe = recipeChoice((names) => {
    edit(names);
    explain();
    on.choose({ recipe: oneOrMore(names) });
  });
  const editor = recipeEditor(form, on);
  let offered: readonly RecipeChoice[] = [];
  const edit = (names: readonly string[]) => editor.show(offered.find(({ name }) => name === names[0]));
  const steps = textField(
    { label: t("lab.steps"), about: t("lab.steps_note"), parse: readSteps, write: String },
    (value) => on.choose({ steps: value }),
  );
  const seeds = textField(
    { label: t("lab.seeds"), about: t("lab.seeds_note"), parse: readSeeds, write: seedsText },
    (value) => {
      explain();
      on.choose({ seed: oneOrMore(value) });
    },
  );
  seeds.input.addEventListener("input", () => explain());
  const settings = settingsPart((text) => on.choose({ settings: text }));
  scenario.addEventListener("change", () => {
    const chosen = scenarios[Number(scenario.value)];
    if (scenario.value !== "" && chosen) on.choose(chosen.choice);
    else scenario.value = scenarioOf(shown); // what is chosen stays what it was
  });
  let shown: Choice;
  const scenarioOf = (choice: Choice) => String(scenarios.findIndex((one) => means(one, choice))).replace("-1", "");
  const taskOf = (name: string) => tasks.find((one) => one.name === name) ?? tasks[0]!;
  task.addEventListener("change", () => {
    explain();
    on.choose({ task: task.value, settings: fitting(shown.settings, taskOf(task.value)) });
  });
  device.addEventListener("change", () => {
    explain();
    on.choose({ device: device.value });
  });

  const launch = action(t("lab.launch"), () => {
    const [stepCount, some, others] = [steps.read(), seeds.read(), settings.read()];
    if (stepCount === null) steps.input.focus();
    else if (some === null) seeds.input.focus();
    else if (others !== null) {
      on.launch({
        task: task.value, recipe: oneOrMore(recipe.chosen()), steps: stepCount, seed: oneOrMore(some), device: device.value, settings: others,
      });
    }
  }, "mw-primary");
  const stop = action(t("lab.stop"), on.stop);
  const stopAll = action(t("lab.stop_all"), on.stopAll);

  const explain = () => {
    setText(taskNote, tasks.find((one) => one.name === task.value)?.explanation ?? "");
    const name = device.value;
    const about = devices.find((one) => one.name === name)?.about;
    setText(deviceNote, about || t(name.startsWith("cuda") ? "lab.device_is_cuda" : name === "cpu" ? "lab.device_is_cpu" : "lab.device_is_auto"));
    const found = readSeeds(seeds.input.value);
    const [a, b] = [recipe.chosen().length, "value" in found ? found.value.length : 1];
    launch.name(a * b === 1 ? t("lab.launch") : t("lab.launch_several", { count: integer(a * b) }));
    const [some, many] = [t(a === 1 ? "lab.recipes_one" : "lab.recipes_many", { count: a }), t(b === 1 ? "lab.seeds_one" : "lab.seeds_count", { count: b })];
    setText(sum, a * b === 1 ? "" : t("lab.runs_made", { recipes: some, seeds: many }));
  };

  const said = h("p", { role: "alert" });
  const element = h("div", { class: "mw-lab-controls" },
    h("div", { class: "mw-scenario" }, field(t("lab.scenario"), scenario), watch),
    h("div", { class: "mw-row mw-fields" },
      field(t("lab.task"), task), recipe.element, field(t("lab.device"), device, deviceNote), steps.element, seeds.element),
    recipe.boxes,
    editor.element,
    settings.element,
    h("div", { class: "mw-lab-notes" }, taskNote, recipe.note),
    h("div", { class: "mw-row mw-actions" }, launch.element, stop.element, stopAll.element, sum),
    said);

  return {
    element,
    show: (choice, recipes) => {
      shown = choice;
      scenario.value = scenarioOf(choice);
      const story = scenarios[Number(scenario.value || "-1")]?.watch ?? "";
      setText(watch, story);
      set(watch, { hidden: story === "" });
      settings.show(taskOf(choice.task), choice.settings);
      task.value = choice.task;
      const isKnown = devices.some(({ name }) => name === choice.device);
      if (!isKnown) device.replaceChildren(...[...devices, { name: choice.device, about: "" }].map(deviceOption));
      device.value = choice.device;
      offered = recipes;
      recipe.show(listOf(choice.recipe), recipes);
      edit(listOf(choice.recipe));
      steps.show(choice.steps);
      seeds.show(listOf(choice.seed));
      explain();
    },
    allow: (reasons, stops) => {
      launch.allow(reasons.launch);
      stop.allow(reasons.stop, stops);
      stopAll.allow(reasons.stopAll);
      editor.allow(reasons.keep);
    },
    say: (text, isError) => {
      set(said, { class: isError ? "mw-error" : "mw-note", hidden: text === "" });
      setText(said, text);
    },
    refuseRecipe: editor.refuse,
  };
}

/** Whether a choice is a scenario's, on whatever device and seeds. */
function means({ choice }: ScenarioChoice, { task, recipe, steps, settings }: Choice): boolean {
  const isSame = choice.task === task && choice.steps === steps && listOf(choice.recipe).join() === listOf(recipe).join();
  return isSame && sameSettings(choice.settings, settings);
}

const deviceOption = ({ name, about }: DeviceChoice) => h("option", { value: name }, about ? `${name} · ${about}` : name);
