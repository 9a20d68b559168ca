// @vitest-environment jsdom
// Words that explain themselves, by pointer and by keys.

import { beforeEach, describe, expect, test } from "vitest";
import { h } from "#ui/dom.ts";
import { explained, keysNote, term } from "#ui/term.ts";

beforeEach(() => document.body.replaceChildren());

function shown() {
  const element = term("?", () => "a note", "what it is");
  document.body.append(element);
  const button = element.querySelector("button")!;
  return { element, button, note: () => element.querySelector("[role=tooltip]")?.textContent };
}

describe("a term", () => {
  test("shows its note with the focus, and describes itself by it, until Escape or until it is left", () => {
    const { button, note } = shown();
    expect(note()).toBeUndefined();
    button.focus();
    expect([note(), document.getElementById(button.getAttribute("aria-describedby")!)!.textContent]).toEqual(["a note", "a note"]);
    button.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    expect([note(), button.hasAttribute("aria-describedby")]).toEqual([undefined, false]);
    button.click();
    expect(note()).toBe("a note");
    button.blur();
    expect(note()).toBeUndefined();
  });

  test("shows it under the pointer, which may move onto the note", () => {
    const { element, note } = shown();
    element.dispatchEvent(new Event("pointerenter"));
    element.dispatchEvent(new Event("pointerenter"));
    expect([note(), element.childElementCount]).toEqual(["a note", 2]);
    element.dispatchEvent(new Event("pointerleave"));
    expect(note()).toBeUndefined();
  });
});

test("keys stand behind a button of this name", () => {
  const element = keysNote("line.keys");
  const button = element.querySelector("button")!;
  expect([element.textContent, button.getAttribute("aria-label")]).toEqual(["?", "keys"]);
  button.click();
  expect(element.querySelector("[role=tooltip]")!.textContent).toMatch(/^← → move/);
});

test("the words of a text explain themselves, and the text stays what it was", () => {
  const line = h("p", {}, ...explained("largest subnormal float16 · ulp 2⁻²⁴"));
  expect(line.textContent).toBe("largest subnormal float16 · ulp 2⁻²⁴");
  expect(explained("ulp, ulp")).toHaveLength(3);
  expect(explained("ulp, ulp")[2]).toBeInstanceOf(Text);
  expect([...line.querySelectorAll("button")].map(({ textContent }) => textContent)).toEqual(["subnormal", "ulp"]);
  expect(explained("normal").map(({ textContent }) => textContent)).toEqual(["normal"]);
});
