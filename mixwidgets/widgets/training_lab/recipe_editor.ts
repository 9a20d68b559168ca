// A form over the fields of a recipe, which is kept under a name of one's own. Python says what does not go together.

import { action } from "#ui/buttons.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { field, textField, type TextField } from "./fields.ts";
import { grouped } from "./recipe_choice.ts";
import { readNumber, typed } from "./settings.ts";
import type { RecipeChoice, RecipeField, RecipeValues } from "./state.ts";
import { spaced } from "./words.ts";

type Value = RecipeValues[string];

export interface RecipeEditor {
  readonly element: HTMLElement;
  /** The recipe that is chosen, the first of several; undefined where it is unknown. */
  show(recipe: RecipeChoice | undefined): void;
  /** Why nothing can be kept now; "" where it can. */
  allow(reason: string): void;
  /** What the kernel says against it. */
  refuse(text: string): void;
}

interface Control {
  readonly element: HTMLElement;
  read(): Value | undefined; // undefined: wrong, and told
  show(value: Value): void;
}

export function recipeEditor(form: readonly RecipeField[], on: { keep: (name: string, recipe: RecipeValues) => void; drop: (name: string) => void }): RecipeEditor {
  const controls = new Map(form.map((one) => [one.name, controlOf(one)]));
  const name = h("input", { type: "text", autocomplete: "off", maxlength: 40, size: 24 });
  const error = h("span", { class: "mw-error", role: "alert", id: uniqueId("error") });
  const said = h("p", { class: "mw-note", role: "status" });
  const start = h("p", { class: "mw-note" });
  let shown: RecipeChoice | undefined;
  let pending = ""; // the name under which a recipe is being kept

  const refuse = (text: string) => {
    if (text) pending = "";
    setText(error, text);
  };
  const keep = action(t("lab.keep_recipe"), () => {
    refuse("");
    setText(said, "");
    const read = [...controls].map(([path, control]) => [path, control.read()] as const);
    const wrong = read.find(([, value]) => value === undefined);
    if (wrong) return controls.get(wrong[0])!.element.querySelector("input")!.focus();
    pending = name.value.trim();
    on.keep(pending, Object.fromEntries(read) as RecipeValues);
  });
  const drop = action(t("lab.drop_recipe"), () => shown && on.drop(shown.name));
  name.addEventListener("keydown", (event) => {
    if (event.key === "Enter") keep.element.click();
  });

  const groups = grouped(form, ({ group }) => group).map(([group, some]) =>
    h("fieldset", {}, h("legend", {}, group), h("div", { class: "mw-settings" }, ...some.map((one) => controls.get(one.name)!.element))));
  const element = h("details", { class: "mw-unfolding mw-recipe-editor", hidden: form.length === 0 },
    h("summary", {}, t("lab.edit_recipe")), start, ...groups,
    h("div", { class: "mw-row" }, field(t("lab.recipe_name"), name), keep.element, drop.element), error, said);
  set(keep.element, { "aria-describedby": error.id });

  return {
    element,
    show: (recipe) => {
      if (recipe && recipe.name === pending) {
        setText(said, t("lab.recipe_kept", { name: spaced(pending) }));
        pending = "";
      }
      if (!recipe?.values || (recipe.name === shown?.name && JSON.stringify(recipe.values) === JSON.stringify(shown.values))) return;
      if (recipe.name !== name.value.trim()) setText(said, "");
      shown = recipe;
      setText(error, "");
      setText(start, t("lab.recipe_from", { name: spaced(recipe.name) }));
      for (const one of form) controls.get(one.name)!.show(recipe.values[one.name] ?? null);
      name.value = recipe.is_own ? recipe.name : t("lab.recipe_my", { name: spaced(recipe.name) });
      set(drop.element, { hidden: !recipe.is_own });
    },
    allow: (reason) => {
      keep.allow(reason);
      drop.allow(reason);
    },
    refuse,
  };
}

function controlOf(one: RecipeField): Control {
  const { name, title, choices, is_yes_or_no: isYesOrNo, optional } = one;
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
    return { element: field(title, select), read: () => select.value, show: (value) => (select.value = String(value)) };
  }
  const write = (value: number | "") => (value === "" ? "" : typed(value));
  const number: TextField<number | ""> = textField<number | "">({
    label: title, about: optional ? t("lab.recipe_optional") : "", write,
    parse: (text) => (optional && text.trim() === "" ? { value: "" } : readNumber(one, text)),
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
      number.read(); // also takes back what was said of another value
    },
  };
}
