// The choice of recipes: a list for one of them, which unfolds into boxes to tick for several.

import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { field } from "./fields.ts";
import type { RecipeChoice } from "./state.ts";
import { spaced } from "./words.ts";

export interface RecipePart {
  readonly element: HTMLElement; // stands in the row of controls
  readonly boxes: HTMLElement; // unfolds below it
  readonly note: HTMLElement; // what is chosen, explained
  chosen(): string[];
  show(names: readonly string[], recipes: readonly RecipeChoice[]): void;
}

export function recipeChoice(choose: (names: string[]) => void): RecipePart {
  const several = h("option", { value: "", hidden: true });
  const select = h("select", {});
  const note = h("p", { class: "mw-note", id: uniqueId("recipe") });
  set(select, { "aria-describedby": note.id });
  const columns = h("div", {});
  const boxes = h("div", { class: "mw-recipes", id: uniqueId("recipes"), role: "group", "aria-label": t("lab.recipes"), hidden: true }, columns);
  const unfold = h("button", { type: "button", "aria-expanded": "false", "aria-controls": boxes.id, title: t("lab.several_hint") }, t("lab.several"));
  const element = h("div", { class: "mw-recipe-field" }, field(t("lab.recipe"), select), unfold);
  let recipes: readonly RecipeChoice[] = [];
  let inputs: ReadonlyMap<string, HTMLInputElement> = new Map();

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

  const offer = () => {
    const groups = grouped(recipes, ({ heading }) => heading);
    inputs = new Map(recipes.map(({ name }) => [name, h("input", { type: "checkbox", value: name })]));
    select.replaceChildren(several, ...groups.map(([heading, some]) =>
      h("optgroup", { label: heading }, ...some.map(({ name }) => h("option", { value: name }, spaced(name))))));
    columns.replaceChildren(...groups.map(([heading, some]) =>
      h("fieldset", {}, h("legend", {}, heading), ...some.map((one) => box(one, inputs.get(one.name)!)))));
    for (const input of inputs.values()) {
      input.addEventListener("change", () => {
        if (chosen().length > 0) return take(chosen());
        input.checked = true;
        setText(note, t("lab.no_recipe")); // a launch needs one
      });
    }
  };
  const chosen = () => [...inputs].filter(([, input]) => input.checked).map(([name]) => name);
  const show: RecipePart["show"] = (names, offered) => {
    if (offered !== recipes) {
      recipes = offered;
      offer();
    }
    for (const [name, input] of inputs) input.checked = names.includes(name);
    setText(several, t("lab.several_chosen", { count: names.length }));
    select.value = names.length === 1 ? names[0]! : "";
    const one = names.length === 1 ? recipes.find(({ name }) => name === names[0]) : undefined;
    setText(note, one ? one.description : listed(names.map(spaced)));
  };
  const take = (names: string[]) => {
    show(names, recipes);
    choose(names);
  };
  select.addEventListener("change", () => take([select.value]));
  return { element, boxes, note, chosen, show };
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
