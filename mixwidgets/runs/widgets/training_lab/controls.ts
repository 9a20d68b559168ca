// What to run: a scenario, or task, recipes, device, steps, seeds, settings; Launch, Stop, Stop all. Plain native controls, each
// explained.

import { computed } from "@preact/signals-core";
import { action, button } from "#ui/buttons.ts";
import { integer } from "#ui/digits.ts";
import messages from "#mixwidgets/support/languages/en/page.json";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { inSeries, listed, sentences, t } from "#ui/messages.ts";
import { fitting, listOf, named, oneOrMore, readChanges, readSeeds, readSteps, seedsText, written } from "./choice.ts";
import { field, grouped, hint, readNumber, textField, typed } from "./fields.ts";
import { type Lab, repeated } from "./lab.ts";
import { recipeEditor } from "./recipe_editor.ts";
import { canStop, type DeviceChoice, isAlive, type RecipeChoice, type TaskChoice } from "./state.ts";
import { means } from "./verdict.ts";
import { spaced } from "./words.ts";

const MANY = 50; // times the task's own number of steps, from which on a launch is told to be long

export function controls(lab: Lab): HTMLElement {
  const { view, rows, names, atHand, chosen, choose, ask, said, hasKernel, refusal, asking } = lab;
  const [tasks, devices, scenarios] = [view.model.get("_tasks"), view.model.get("_devices"), view.model.get("_scenarios")];
  const taskOf = (name: string) => tasks.find((task) => task.name === name);

  const scenario = h("select", {}, h("option", { value: "" }, t("lab.own_choice")), ...scenarios.map(({ title }, i) => h("option", { value: i }, title)));
  const showScenario = () => {
    const at = scenarios.findIndex((scenario) => means(scenario, chosen.value));
    scenario.value = at < 0 ? "" : String(at);
  };
  scenario.addEventListener("change", () => {
    if (scenario.value === "") return showScenario(); // what is chosen stays what it was
    const { choice } = scenarios[Number(scenario.value)]!;
    const own = repeated(rows.value, { ...choice, seed: chosen.value.seed }); // its runs, where all are there
    choose({ ...choice, changes: "", _shown: own.map(({ id }) => id) });
  });
  view.effect(showScenario);

  const task = h("select", {}, ...tasks.map(({ name, title }) => h("option", { value: name }, title)));
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
  const changes = textField({
    label: t("lab.changes"), about: t("lab.changes_note"), write: String,
    parse: (text) => readChanges(text, chosen.value.steps, view.model.get("_recipes").map(({ name }) => name)),
  }, (value) => choose({ changes: value }));
  set(changes.input, { inputmode: "text" });
  const [recipe, editor, settings] = [recipeChoice(lab), recipeEditor(lab), settingsPart(lab)];

  view.effect(() => {
    const { task: name, device: wanted } = chosen.value;
    task.value = name;
    setText(taskNote, taskOf(name)?.explanation ?? "");
    const known = devices.find(({ name }) => name === wanted);
    if (!known) device.replaceChildren(...[...devices, { name: wanted, about: "" }].map(deviceOption));
    device.value = wanted;
    setText(deviceNote, known?.about || t(wanted.startsWith("cuda") ? "lab.device_is_cuda" : wanted === "cpu" ? "lab.device_is_cpu" : "lab.device_is_auto"));
  });

  const launch = action(t("lab.launch"), () => {
    const [stepCount, some, changed] = [steps.read(), seeds.read(), changes.read()]; // a tap on the button may leave the focus in their fields
    if (stepCount === null) steps.input.focus();
    else if (some === null) seeds.input.focus();
    else if (changed === null) changes.input.focus();
    else if (settings.isRight()) ask("launch", { experiment: { ...chosen.value, changes: changed, steps: stepCount, seed: oneOrMore(some) } });
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
    const typedSeeds = readSeeds(seeds.input.value); // also while they are typed
    const [a, b] = [listOf(chosen.value.recipe).length, "value" in typedSeeds ? typedSeeds.value.length : 1];
    launch.name(a * b === 1 ? t("lab.launch") : t("lab.launch_several", { count: integer(a * b) }));
    const [some, many] = [t(a === 1 ? "lab.recipes_one" : "lab.recipes_many", { count: a }), t(b === 1 ? "lab.seeds_one" : "lab.seeds_count", { count: b })];
    const [usual, wanted] = [taskOf(chosen.value.task)?.steps ?? 0, chosen.value.steps];
    const isLong = usual > 0 && wanted >= MANY * usual;
    setText(sum, sentences([
      a * b === 1 ? "" : t("lab.runs_made", { recipes: some, seeds: many }),
      isLong ? t("lab.steps_many", { steps: integer(wanted), times: integer(wanted / usual), usual: integer(usual) }) : "",
    ]));
  };
  seeds.input.addEventListener("input", count);
  view.effect(() => {
    steps.show(chosen.value.steps);
    changes.show(chosen.value.changes);
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
  set(changes.input, { placeholder: t("lab.changes_none") });
  const setting = sentence("lab.setting", {
    task: field(t("lab.task"), task), recipe: recipe.element, changes: changes.element, steps: steps.element, seeds: seeds.element,
    device: field(t("lab.device"), device, deviceNote),
  });
  return h("div", { class: "mw-lab-controls" },
    h("div", { class: "mw-scenario" }, field(t("lab.scenario"), scenario)),
    h("div", { class: "mw-setting-and-launch" }, setting, h("div", { class: "mw-row mw-actions" }, launch.element, stop.element, stopAll.element)),
    recipe.boxes,
    h("div", { class: "mw-lab-notes" }, recipe.note, sum, answer),
    h("div", { class: "mw-row mw-more-of-it" }, editor, settings.element,
      h("details", { class: "mw-unfolding mw-about-task" }, h("summary", {}, t("lab.about_task")), taskNote)));
}

/** A message whose placeholders are controls, each with a label for those who hear it. */
function sentence(key: "lab.setting", controls: Readonly<Record<string, HTMLElement>>): HTMLElement {
  for (const label of Object.values(controls).flatMap((control) => [...control.querySelectorAll("label")])) label.classList.add("mw-hidden");
  const parts = messages[key].split(/\{(\w+)\}/); // words and names of controls in turn
  return h("div", { class: "mw-setting", role: "group", "aria-label": t("lab.setting_of") }, ...parts.map((part, i) =>
    i % 2 === 1 ? withComma(controls[part]!, parts[i + 1]) : h("span", {}, part.replace(COMMA, "").trim())));
}

const COMMA = /^[,，]/;

/** A control and the comma that follows it, which no line begins with. */
function withComma(control: HTMLElement, next = ""): HTMLElement {
  const [comma] = COMMA.exec(next) ?? [];
  return comma ? h("span", { class: "mw-with-comma" }, control, comma) : control;
}

const deviceOption = ({ name, about }: DeviceChoice) => h("option", { value: name }, about ? `${name} · ${about}` : name);

/** `element` stands in the row of controls, `boxes` unfolds below it, `note` explains what is chosen. */
export function recipeChoice({ view, chosen, choose }: Lab): Record<"element" | "boxes" | "note", HTMLElement> {
  const several = h("option", { value: "", hidden: true, disabled: true }); // it tells a count, and is no choice
  const select = h("select", {});
  const note = h("p", { class: "mw-note", id: uniqueId("recipe") });
  set(select, { "aria-describedby": note.id });
  select.addEventListener("change", () => choose({ recipe: select.value }));
  const columns = h("div", {});
  const boxes = h("div", { class: "mw-recipes", id: uniqueId("recipes"), role: "group", "aria-label": t("lab.recipes"), hidden: true }, columns);
  const unfold = button(t("lab.several"), () => toggle(boxes.hidden === true), { "aria-expanded": "false", "aria-controls": boxes.id, title: t("lab.several_hint") });
  const toggle = (open: boolean) => {
    boxes.hidden = !open;
    set(unfold, { "aria-expanded": String(open) });
  };
  boxes.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    toggle(false);
    unfold.focus();
  });

  const recipes = view.trait("_recipes");
  let offered: readonly RecipeChoice[] = [];
  let inputs: readonly HTMLInputElement[] = [];
  const offer = () => {
    inputs = offered.map(({ name }) => h("input", { type: "checkbox", value: name }));
    const groups = grouped(offered, ({ heading }) => heading);
    select.replaceChildren(several, ...groups.map(([heading, some]) =>
      h("optgroup", { label: heading }, ...some.map(({ name }) => h("option", { value: name }, spaced(name))))));
    columns.replaceChildren(...groups.map(([heading, some]) =>
      h("fieldset", {}, h("legend", {}, heading), ...some.map((recipe) => box(recipe, inputs[offered.indexOf(recipe)]!)))));
    for (const input of inputs) {
      input.addEventListener("change", () => {
        const names = inputs.filter(({ checked }) => checked).map(({ value }) => value);
        if (names.length > 0) return choose({ recipe: oneOrMore(names) });
        input.checked = true;
        setText(note, t("lab.no_recipe")); // a launch needs one
      });
    }
  };
  view.effect(() => {
    if (offered !== recipes.value) {
      offered = recipes.value;
      offer();
    }
    const names = listOf(chosen.value.recipe);
    for (const input of inputs) input.checked = names.includes(input.value);
    setText(several, t("lab.recipes_many", { count: names.length }));
    select.value = names.length === 1 ? names[0]! : "";
    const single = names.length === 1 ? offered.find(({ name }) => name === names[0]) : undefined;
    setText(note, single ? single.description : listed(names.map(spaced)));
  });
  return { element: h("div", { class: "mw-recipe-field" }, field(t("lab.recipe"), select), unfold), boxes, note };
}

function box(choice: RecipeChoice, input: HTMLInputElement): HTMLElement {
  const about = h("span", { class: "mw-recipe-words", id: uniqueId("about") }, choice.brief);
  set(input, { "aria-describedby": about.id });
  return h("div", { class: "mw-recipe" }, h("label", {}, input, spaced(choice.name)), about);
}

const ADAMS = ["beta2", "eps"]; // settings that SGD does not use
const SGDS = ["momentum"];

/** `isRight`: whether every field is; the first that is not gets the focus. */
export function settingsPart({ view, chosen, choose }: Lab): { element: HTMLElement; isRight(): boolean } {
  const tasks = view.model.get("_tasks");
  const summary = h("summary", {});
  const row = h("div", { class: "mw-settings" });
  const element = h("details", { class: "mw-lab-settings mw-unfolding" }, summary, row);
  const task = computed(() => tasks.find(({ name }) => name === chosen.value.task) ?? tasks[0]!);
  let built: TaskChoice | undefined;
  let numbers = new Map<string, ReturnType<typeof textField<number>>>();
  let selects = new Map<string, HTMLSelectElement>();

  const settingOf = (name: string) => task.value.settings.find((setting) => setting.name === name);
  const usual = (name: string) => settingOf(name)!.default;
  const take = (name: string, value: string | number) => {
    const settings = named(chosen.value.settings);
    if (value === usual(name)) settings.delete(name);
    else settings.set(name, typeof value === "number" ? typed(value) : value);
    if (name === "optimizer") (value === "sgd" ? ADAMS : SGDS).forEach((own) => settings.delete(own));
    choose({ settings: written(settings) });
  };

  const build = ({ settings }: TaskChoice) => {
    [numbers, selects] = [new Map(), new Map()];
    row.replaceChildren(...settings.map((setting) => {
      const { name, title, about, choices } = setting;
      if (choices) {
        const select = h("select", { name }, ...Object.entries(choices).map(([choice, words]) => h("option", { value: choice }, words)));
        select.addEventListener("change", () => take(name, select.value));
        selects.set(name, select);
        return field(title, select, hint(about));
      }
      const number = textField({ label: title, about, parse: (text) => readNumber(setting, text), write: typed }, (value) => take(name, value));
      set(number.input, { name });
      numbers.set(name, number);
      return number.element;
    }));
  };

  view.effect(() => {
    if (built !== task.value) build((built = task.value));
    const settings = named(chosen.value.settings);
    for (const [name, number] of numbers) number.show(Number(settings.get(name) ?? usual(name)));
    for (const [name, select] of selects) select.value = String(settings.get(name) ?? usual(name));
    const isSgd = selects.get("optimizer")!.value === "sgd";
    for (const [name, { element }] of numbers) set(element, { hidden: (isSgd ? ADAMS : SGDS).includes(name) });
    const words = (name: string, value: string) => settingOf(name)?.choices?.[value] ?? (Number.isNaN(Number(value)) ? value : typed(Number(value)));
    const parts = [...settings].map(([name, value]) => `${settingOf(name)?.title ?? spaced(name)} ${words(name, value)}`);
    setText(summary, parts.length > 0 ? t("lab.settings_chosen", { settings: inSeries(parts) }) : t("lab.settings_usual"));
  });

  const isRight = () => {
    const wrong = [...numbers.values()].find((number) => !number.element.hidden && number.read() === null);
    if (wrong) element.open = true;
    wrong?.input.focus();
    return !wrong;
  };
  return { element, isRight };
}
