// @vitest-environment jsdom
import { describe, expect, test } from "vitest";
import { h, set, setText } from "#ui/dom.ts";
import { isolated, plain } from "#ui/foreign_text.ts";
import { fill, listed } from "#ui/messages.ts";

const OVERRIDE = "\u202edehsarc";

describe("foreign text", () => {
  test.each([
    ["plain words, 重み, ✓", "plain words, 重み, ✓"],
    ["two\nlines\tand a tab", "two\nlines\tand a tab"],
    [OVERRIDE, "\\u202edehsarc"],
    ["a\u001b[31m\u0000\u0085", "a\\u001b[31m\\u0000\\u0085"],
    ["\u202a\u202b\u202c\u202d\u2066\u2067\u200e\u200f\u061c", "\\u202a\\u202b\\u202c\\u202d\\u2066\\u2067\\u200e\\u200f\\u061c"],
  ])("%j is shown as %j", (text, shown) => expect(plain(text)).toBe(shown));

  test("is whatever stands in its place", () => {
    const element = h("p");
    for (const value of [undefined, null, 5, {}, [1]]) setText(element, value as never);
    expect(element.textContent).toBe("1");
  });

  test("stands apart in a sentence where it goes from right to left", () => {
    expect(isolated("fp16")).toBe("fp16");
    expect(isolated("שלום")).toBe("\u2068שלום\u2069");
    expect(isolated("سلام")).toBe("\u2068سلام\u2069");
  });

  test.each(["\u2069שלום", "\u2068שלום", "\u2069\u2068ש"])("cannot leave its place: %j", (text) => {
    expect(isolated(text).slice(1, -1)).not.toMatch(/[\u2068\u2069]/);
  });

  test("is isolated in each message, and in one of messages", () => {
    expect(fill("{name}: {word}", { name: "שלום", word: OVERRIDE })).toBe("\u2068שלום\u2069: \\u202edehsarc");
    expect(listed(["שלום", "fp16"])).toBe("\u2068שלום\u2069, fp16");
  });

  test("is shown wherever an element has text; a value stays what it is", () => {
    const element = h("option", { title: OVERRIDE, "aria-label": OVERRIDE, value: OVERRIDE }, OVERRIDE);
    expect(element.outerHTML).toBe('<option title="\\u202edehsarc" aria-label="\\u202edehsarc" value="\u202edehsarc">\\u202edehsarc</option>');
    setText(element, `${OVERRIDE}!`);
    expect(element.textContent).toBe("\\u202edehsarc!");
    set(element, { title: "x" });
    expect(element.title).toBe("x");
  });
});
