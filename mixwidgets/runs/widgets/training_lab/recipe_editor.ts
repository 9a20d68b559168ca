// A form over the fields of a recipe, which is kept under a name of one's own. Python says what does not go together.

import { action } from "#ui/buttons.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { listOf } from "./choice.ts";
import { field, grouped, hint, readNumber, textField, typed } from "./fields.ts";
import type { Lab } from "./lab.ts";
import type { RecipeChoice, RecipeField, RecipeValues } from "./state.ts";
import { spaced } from "./words.ts";

type Value = RecipeValues[string];

interface Bare {
  readonly element: HTMLElement;
  read(): Value | undefined; // undefined: wrong, and the error is shown
  show(value: Value): void;
}

interface Control extends Bare {
  /** What is chosen or typed now. */
  now(): string | boolean;
  /** Mark the field as one that has no effect, for this reason; "": it has one. */
  idle(why: string): void;
}

const FEW = 3; // values that a reason names

/** It is filled with the recipe that is chosen, the first of several. */
export function recipeEditor({ view, chosen, ask, asking, said }: Lab): HTMLElement {
  const form = view.model.get("_recipe_form");
  const controls = new Map(form.map((field) => [field.name, controlOf(field)]));
  const name = h("input", { type: "text", autocomplete: "off", maxlength: 40, size: 24 });
  const error = h("span", { class: "mw-error", role: "alert", id: uniqueId("error") });
  const kept = h("p", { class: "mw-note", role: "status" });
  const start = h("p", { class: "mw-note" });
  let shown: RecipeChoice | undefined;
  let pending = ""; // the name under which a recipe is being kept

  /** Which fields have no effect now, and why. */
  const mark = () => {
    for (const { name: path, needs } of form) {
      const unmet = Object.entries(needs).find(([other, values]) => !values.includes(controls.get(other)?.now() as string | boolean));
      controls.get(path)!.idle(unmet ? idleWords(form.find(({ name: other }) => other === unmet[0])!, unmet[1]) : "");
    }
  };
  const keep = action(t("lab.keep_recipe"), () => {
    setText(error, "");
    setText(kept, "");
    const read = [...controls].map(([path, control]) => [path, control.read()] as const);
    const wrong = read.find(([, value]) => value === undefined);
    if (wrong) return controls.get(wrong[0])!.element.querySelector("input")!.focus();
    pending = name.value.trim();
    ask("keep_recipe", { name: pending, recipe: Object.fromEntries(read) });
  });
  const drop = action(t("lab.drop_recipe"), () => shown && ask("drop_recipe", { name: shown.name }));
  name.addEventListener("keydown", (event) => {
    if (event.key === "Enter") keep.element.click();
  });
  view.effect(() => [keep, drop].forEach(({ allow }) => allow(asking("keep_recipe") || asking("drop_recipe"))));
  view.effect(() => {
    const { kind, text, isError } = said.value;
    if (kind !== "keep_recipe" || !isError) return;
    pending = "";
    setText(error, text);
  });
  const recipes = view.trait("_recipes");
  view.effect(() => {
    const recipe = recipes.value.find((offered) => offered.name === listOf(chosen.value.recipe)[0]);
    if (recipe && recipe.name === pending) {
      setText(kept, t("lab.recipe_kept", { name: spaced(pending) }));
      pending = "";
    }
    if (!recipe || (recipe.name === shown?.name && JSON.stringify(recipe.values) === JSON.stringify(shown.values))) return;
    if (recipe.name !== name.value.trim()) setText(kept, "");
    shown = recipe;
    setText(error, "");
    setText(start, t("lab.recipe_from", { name: spaced(recipe.name) }));
    for (const [path, control] of controls) control.show(recipe.values[path] ?? null);
    mark();
    name.value = recipe.is_own ? recipe.name : t("lab.recipe_my", { name: spaced(recipe.name) });
    if (!recipe.is_own && drop.element.matches(":focus")) name.focus(); // the button that has it goes
    set(drop.element, { hidden: !recipe.is_own });
  });

  const groups = grouped(form, ({ group }) => group).map(([group, some]) =>
    h("fieldset", {}, h("legend", {}, group), h("div", { class: "mw-settings" }, ...some.map((part) => controls.get(part.name)!.element))));
  set(keep.element, { "aria-describedby": error.id });
  const fields = h("div", {}, ...groups);
  fields.addEventListener("change", mark, true);
  return h("details", { class: "mw-unfolding mw-recipe-editor", hidden: form.length === 0 },
    h("summary", {}, t("lab.edit_recipe")), start, fields,
    h("div", { class: "mw-row" }, field(t("lab.recipe_name"), name), keep.element, drop.element), error, kept);
}

/** Why a field has no effect: what another would have to be. */
function idleWords({ title, choices }: RecipeField, values: readonly (string | boolean)[]): string {
  const words = values.map((value) => (typeof value === "boolean" ? t(value ? "lab.recipe_yes" : "lab.recipe_no") : (choices?.[value] ?? value)));
  return words.length > FEW ? t("lab.recipe_idle_some", { name: title }) : t("lab.recipe_idle", { name: title, values: listed(words) });
}

/** A field with what it is and, where it has no effect, why. */
function controlOf(part: RecipeField): Control {
  const control = bareControl(part);
  const { element } = control;
  const input = element.querySelector<HTMLInputElement | HTMLSelectElement>("input, select")!;
  const [about, why] = [hint(part.about), hint()];
  element.append(about, why);
  set(input, { "aria-describedby": [input.getAttribute("aria-describedby"), about.id, why.id].filter(Boolean).join(" ") });
  return {
    ...control,
    now: () => (input instanceof HTMLInputElement && input.type === "checkbox" ? input.checked : input.value),
    idle: (words) => {
      setText(why, words);
      set(element, { "data-idle": words !== "" });
    },
  };
}

function bareControl(part: RecipeField): Bare {
  const { name, title, choices, is_yes_or_no: isYesOrNo, is_text: isText, optional } = part;
  if (isYesOrNo) {
    const input = h("input", { type: "checkbox", name });
    return {
      element: h("div", { class: "mw-check" }, h("label", {}, input, title)),
      read: () => input.checked,
      show: (value) => (input.checked = value === true),
    };
  }
  if (choices) {
    const select = h("select", { name }, ...Object.entries(choices).map(([choice, words]) => h("option", { value: choice }, words)));
    return { element: field(title, select), read: () => (optional && select.value === "" ? null : select.value), show: (value) => (select.value = String(value ?? "")) };
  }
  if (isText) {
    const input = h("input", { type: "text", name, autocomplete: "off", size: 24 });
    return { element: field(title, input), read: () => input.value, show: (value) => (input.value = String(value ?? "")) };
  }
  const write = (value: number | "") => (value === "" ? "" : typed(value));
  const number = textField<number | "">({
    label: title, about: optional ? t("lab.recipe_optional") : "", write,
    parse: (text) => (optional && text.trim() === "" ? { value: "" } : readNumber(part, text)),
  }, () => {});
  set(number.input, { name });
  return {
    element: number.element,
    read: () => {
      const value = number.read();
      return value === null ? undefined : value === "" ? null : value;
    },
    show: (value) => {
      number.input.value = write(typeof value === "number" ? value : "");
      number.read(); // also takes back the error of the value before
    },
  };
}
