// @vitest-environment jsdom
import { expect, it } from "vitest";
import { keepKeys } from "#ui/keys.ts";

it("the focused element itself suppresses a notebook's shortcuts, but while Ctrl or ⌘ is held", () => {
  const root = document.createElement("section");
  const bit = document.createElement("button");
  root.append(bit);
  document.body.append(root);
  keepKeys(root);
  const heard: string[] = [];
  document.body.addEventListener("keydown", (event) => heard.push(event.key));
  const press = (kind: string, key: string, held: KeyboardEventInit = {}) =>
    bit.dispatchEvent(new KeyboardEvent(kind, { key, bubbles: true, ...held }));
  const suppresses = () => bit.hasAttribute("data-lm-suppress-shortcuts");

  bit.focus();
  expect(suppresses()).toBe(true); // before the first key
  press("keydown", "x");
  press("keyup", "x");
  expect(suppresses()).toBe(true);
  for (const held of [{ ctrlKey: true }, { metaKey: true }]) {
    press("keydown", "Control", held);
    expect(suppresses()).toBe(false); // when the s comes
    press("keydown", "s", held);
    press("keyup", "s", held);
    press("keyup", "Control");
    expect(suppresses()).toBe(true);
  }
  expect(heard).toEqual(["Control", "s", "Control", "s"]);
});
