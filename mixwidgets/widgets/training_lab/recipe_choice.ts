// The choice of recipes: a list for one of them, which unfolds into boxes to tick for several.

import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { field } from "./fields.ts";
import type { RecipeChoice } from "./state.ts";
import { spaced } from "./words.ts";

export interface RecipeField {
  readonly element: HTMLElement; // stands in the row of controls
  readonly boxes: HTMLElement; // unfolds below it
  readonly note: HTMLElement; // what is chosen, explained
  chosen(): string[];
  show(names: readonly string[]): void;
}

export function recipeChoice(recipes: readonly RecipeChoice[], choose: (names: string[]) => void): RecipeField {
  const headings = [...new Set(recipes.map(({ heading }) => heading))];
  const groups = headings.map((heading) => ({ heading, recipes: recipes.filter((one) => one.heading === heading) }));
  const several = h("option", { value: "", hidden: true });
  const select = h("select", {}, several,
    ...groups.map((group) => h("optgroup", { label: group.heading }, ...group.recipes.map(({ name }) => h("option", { value: name }, spaced(name))))));
  const note = h("p", { class: "mw-note", id: uniqueId("recipe") });
  set(select, { "aria-describedby": note.id });

  const inputs = new Map(recipes.map(({ name }) => [name, h("input", { type: "checkbox", value: name })]));
  const fieldsets = groups.map(({ heading, recipes: some }) =>
    h("fieldset", {}, h("legend", {}, heading), ...some.map((one) => box(one, inputs.get(one.name)!))));
  const boxes = h("div", { class: "mw-recipes", id: uniqueId("recipes"), role: "group", "aria-label": t("lab.recipes"), hidden: true }, h("div", {}, ...fieldsets));
  const unfold = h("button", { type: "button", "aria-expanded": "false", "aria-controls": boxes.id, title: t("lab.several_hint") }, t("lab.several"));
  const element = h("div", { class: "mw-recipe-field" }, field(t("lab.recipe"), select), unfold);

  const toggle = (open: boolean) => {
    boxes.hidden = !open;
    set(unfold, { "aria-expanded": String(open) });
  };
  unfold.addEventListener("click", () => toggle(boxes.hidden === true));
  boxes.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    toggle(false);
    unfold.focus();
  });

  const chosen = () => [...inputs].filter(([, input]) => input.checked).map(([name]) => name);
  const show = (names: readonly string[]) => {
    for (const [name, input] of inputs) input.checked = names.includes(name);
    setText(several, t("lab.several_chosen", { count: names.length }));
    select.value = names.length === 1 ? names[0]! : "";
    const one = names.length === 1 ? recipes.find(({ name }) => name === names[0]) : undefined;
    setText(note, one ? one.description : listed(names.map(spaced)));
  };
  const take = (names: string[]) => {
    show(names);
    choose(names);
  };
  select.addEventListener("change", () => take([select.value]));
  for (const input of inputs.values()) {
    input.addEventListener("change", () => {
      if (chosen().length > 0) return take(chosen());
      input.checked = true;
      setText(note, t("lab.no_recipe")); // a launch needs one
    });
  }
  return { element, boxes, note, chosen, show };
}

function box(choice: RecipeChoice, input: HTMLInputElement): HTMLElement {
  const about = h("span", { class: "mw-recipe-words", id: uniqueId("about") }, choice.brief);
  set(input, { "aria-describedby": about.id });
  return h("div", { class: "mw-recipe" }, h("label", {}, input, spaced(choice.name)), about);
}
