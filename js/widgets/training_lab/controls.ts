// What to run: task, recipe, steps, seed; Launch and Stop. Plain native controls, each with its error beside it.

import { h, set, setText, uniqueId } from "../../ui/dom.ts";
import { t } from "../../ui/messages.ts";
import { MAX_SEED, MAX_STEPS, parseWhole, type RecipeChoice, spaced, type TaskChoice } from "./state.ts";
import { recipe as recipeWords } from "./recipe_words.ts";
import { count } from "./words.ts";

/** What a launch runs. */
export interface Choice {
  task: string;
  recipe: string;
  steps: number;
  seed: number;
}

export interface Controls {
  element: HTMLElement;
  /** Show the kernel's choice; what the user is typing stays. */
  show: (choice: Choice) => void;
  /** Launch waits for its answer; a run can be stopped. */
  enable: (can: { launch: boolean; stop: boolean }) => void;
  /** A sentence of the kernel's, an error or a quiet note; "" takes it away. */
  say: (text: string, isError: boolean) => void;
}

export function controls(
  tasks: readonly TaskChoice[],
  recipes: readonly RecipeChoice[],
  on: { choose: (choice: Partial<Choice>) => void; launch: (choice: Choice) => void; stop: () => void },
): Controls {
  const task = h("select", {}, ...tasks.map((one) => h("option", { value: one.name }, one.title)));
  const recipe = h("select", {}, ...recipes.map((one) => h("option", { value: one.name }, spaced(one.name))));
  const taskNote = h("p", { class: "mw-note", id: uniqueId("task") });
  const recipeNote = h("p", { class: "mw-note", id: uniqueId("recipe") });
  set(task, { "aria-describedby": taskNote.id });
  set(recipe, { "aria-describedby": recipeNote.id });

  const explain = () => {
    setText(taskNote, tasks.find((one) => one.name === task.value)?.explanation ?? "");
    const chosen = recipes.find((one) => one.name === recipe.value);
    setText(recipeNote, chosen ? recipeWords(chosen) : "");
  };
  task.addEventListener("change", () => {
    explain();
    on.choose({ task: task.value });
  });
  recipe.addEventListener("change", () => {
    explain();
    on.choose({ recipe: recipe.value });
  });

  const steps = wholeField(t("lab.steps"), 1, MAX_STEPS, 8, (value) => on.choose({ steps: value }));
  const seed = wholeField(t("lab.seed"), 0, MAX_SEED, 10, (value) => on.choose({ seed: value }));

  const launch = h("button", { type: "button", class: "mw-primary" }, t("lab.launch"));
  const stop = h("button", { type: "button" }, t("lab.stop"));
  launch.addEventListener("click", () => {
    const wrong = [steps, seed].find((one) => one.read() === null);
    if (wrong) wrong.input.focus();
    else on.launch({ task: task.value, recipe: recipe.value, steps: steps.read()!, seed: seed.read()! });
  });
  stop.addEventListener("click", () => on.stop());

  const said = h("p", { role: "alert" });
  const element = h(
    "div",
    { class: "mw-lab-controls" },
    h(
      "div",
      { class: "mw-row mw-fields" },
      field(t("lab.task"), task),
      field(t("lab.recipe"), recipe),
      steps.element,
      seed.element,
      h("div", { class: "mw-row mw-actions" }, launch, stop),
    ),
    said,
    taskNote,
    recipeNote,
  );

  return {
    element,
    show: (choice) => {
      task.value = choice.task;
      recipe.value = choice.recipe;
      steps.show(choice.steps);
      seed.show(choice.seed);
      explain();
    },
    enable: (can) => {
      launch.disabled = !can.launch;
      stop.disabled = !can.stop;
    },
    say: (text, isError) => {
      set(said, { class: isError ? "mw-error" : "mw-note", hidden: text === "" });
      setText(said, text);
    },
  };
}

function field(label: string, control: HTMLElement, below?: HTMLElement): HTMLElement {
  control.id = uniqueId("field");
  return h("div", { class: "mw-field" }, h("label", { for: control.id }, label), control, below);
}

/** A text field for a whole number; a wrong one is told below it, in place of the kernel. */
function wholeField(label: string, low: number, high: number, size: number, choose: (value: number) => void) {
  const input = h("input", { type: "text", inputmode: "numeric", autocomplete: "off", size });
  const error = h("span", { class: "mw-error", id: uniqueId("error"), role: "alert" });
  set(input, { "aria-describedby": error.id });
  let shown: number | null = null;

  const read = (): number | null => {
    const value = parseWhole(input.value, low, high);
    set(input, { "aria-invalid": value === null ? "true" : undefined });
    const came = input.value.trim();
    const what = came === "" ? t("lab.nothing") : `“${came.length > 24 ? `${came.slice(0, 24)}…` : came}”`;
    setText(error, value === null ? t("lab.whole_number", { label, low: count(low), high: count(high), came: what }) : "");
    return value;
  };
  input.addEventListener("change", () => {
    const value = read();
    if (value !== null && value !== shown) {
      shown = value;
      choose(value);
    }
  });
  const show = (value: number) => {
    if (value === shown) return;
    shown = value;
    input.value = String(value);
    read();
  };
  return { element: field(label, input, error), input, read, show };
}
