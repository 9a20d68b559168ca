// The choice of recipes: a list for one of them, which unfolds into boxes to tick for several.

import { button } from "#ui/buttons.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { listOf, oneOrMore } from "./choice.ts";
import { field } from "./fields.ts";
import type { Lab } from "./lab.ts";
import type { RecipeChoice } from "./state.ts";
import { spaced } from "./words.ts";

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
      h("fieldset", {}, h("legend", {}, heading), ...some.map((one) => box(one, inputs[offered.indexOf(one)]!)))));
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
    const one = names.length === 1 ? offered.find(({ name }) => name === names[0]) : undefined;
    setText(note, one ? one.description : listed(names.map(spaced)));
  });
  return { element: h("div", { class: "mw-recipe-field" }, field(t("lab.recipe"), select), unfold), boxes, note };
}

/** Under each key, in the order of their first, those that have it. */
export function grouped<T>(all: readonly T[], key: (one: T) => string): [string, T[]][] {
  return [...new Set(all.map(key))].map((name) => [name, all.filter((one) => key(one) === name)]);
}

function box(choice: RecipeChoice, input: HTMLInputElement): HTMLElement {
  const about = h("span", { class: "mw-recipe-words", id: uniqueId("about") }, choice.brief);
  set(input, { "aria-describedby": about.id });
  return h("div", { class: "mw-recipe" }, h("label", {}, input, spaced(choice.name)), about);
}
