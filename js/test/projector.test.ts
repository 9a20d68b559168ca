// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sources } from "./sources.ts";
import { card } from "#ui/card.ts";
import { zoomOf } from "#ui/pixels.ts";
import { pointIn } from "#ui/pointer.ts";

const place = () => document.body.appendChild(document.createElement("div"));
const button = (root: HTMLElement) => root.querySelector<HTMLButtonElement>(".mw-projector-button")!;
const isLarge = (root: HTMLElement) => [root.hasAttribute("data-projector"), button(root).getAttribute("aria-pressed")];

beforeEach(() => sessionStorage.clear());
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

describe("projector size", () => {
  it("is a button with a name; one press sets every card of the page, the next sets them back", () => {
    const [one, other] = [card(place(), "One").root, card(place(), "Other").root];
    expect(button(one).getAttribute("aria-label")).toBe("Projector size");
    expect([isLarge(one), isLarge(other)]).toEqual([[false, "false"], [false, "false"]]);
    button(one).click();
    expect([isLarge(one), isLarge(other)]).toEqual([[true, "true"], [true, "true"]]);
    button(other).click();
    expect([isLarge(one), isLarge(other)]).toEqual([[false, "false"], [false, "false"]]);
  });

  it("is kept for a card that comes later in this tab", () => {
    button(card(place(), "One").root).click();
    expect(isLarge(card(place(), "Later").root)).toEqual([true, "true"]);
  });

  it("works where a page may keep nothing", () => {
    for (const name of ["getItem", "setItem", "removeItem"] as const) {
      vi.spyOn(Storage.prototype, name).mockImplementation(() => {
        throw new DOMException("no storage for this page", "SecurityError");
      });
    }
    const { root } = card(place(), "One");
    button(root).click();
    expect(isLarge(root)).toEqual([true, "true"]);
    button(root).click();
    expect(isLarge(root)).toEqual([false, "false"]);
  });

  it("reaches the cards that a host keeps in shadow trees, from within and from outside", () => {
    const inside = (el: HTMLElement) => el.attachShadow({ mode: "open" }).appendChild(document.createElement("div"));
    const roots = [place(), inside(place()), inside(inside(place()))].map((el, i) => card(el, `Card ${i}`).root);
    for (const [pressed, large] of [[0, true], [1, false], [2, true], [0, false]] as const) {
      button(roots[pressed]!).click();
      expect(roots.map(isLarge)).toEqual(roots.map(() => [large, String(large)]));
    }
  });

  it("sets its own card where a host lets nobody in", () => {
    const { root } = card(place().attachShadow({ mode: "closed" }).appendChild(document.createElement("div")), "Alone");
    button(root).click();
    expect(isLarge(root)).toEqual([true, "true"]);
    button(root).click();
    expect(isLarge(root)).toEqual([false, "false"]);
  });
});

it("does without what Safari forgets the zoom of: rem, and px of a container's width", () => {
  const sheets = sources(".css").map((path) => readFileSync(path, "utf8"));
  expect(sheets.flatMap((sheet) => sheet.match(/.*\drem\b.*/g) ?? [])).toEqual([]);
  const asked = sheets.flatMap((sheet) => sheet.match(/@container \(.*?\)/g) ?? []);
  expect(asked.length).toBeGreaterThan(8);
  expect(asked.filter((one) => !one.includes("em)"))).toEqual([]);
});

describe("a pointer", () => {
  const box = (width: number) => ({ left: 100, top: 50, width }) as DOMRect;
  const event = new MouseEvent("pointermove", { clientX: 300, clientY: 90 });

  it("is told in the element's own pixels, of which the screen has two", () => {
    const element = place();
    vi.spyOn(element, "clientWidth", "get").mockReturnValue(400);
    vi.spyOn(element, "getBoundingClientRect").mockReturnValue(box(800));
    expect(zoomOf(element)).toBe(2);
    expect(pointIn(element, event)).toEqual({ x: 100, y: 20 });
  });

  it.each([true, false])("is, too, where the rectangle is told in the element's own, as in Safari (told: %s)", (told) => {
    const large = place();
    large.dataset["zoom"] = "2";
    const element = large.appendChild(document.createElement("div"));
    if (told) Object.assign(element, { currentCSSZoom: 2 });
    vi.spyOn(window, "getComputedStyle").mockImplementation(
      (one) => ({ zoom: (one as HTMLElement).dataset["zoom"] ?? "1" }) as CSSStyleDeclaration,
    );
    vi.spyOn(element, "clientWidth", "get").mockReturnValue(400);
    vi.stubGlobal("scrollY", 30);
    const rectangle = told ? box(800) : ({ left: 50, top: (50 + 30) / 2 - 30, width: 400 } as DOMRect);
    vi.spyOn(element, "getBoundingClientRect").mockReturnValue(rectangle);
    expect(zoomOf(element)).toBe(2);
    expect(pointIn(element, event)).toEqual({ x: 100, y: 20 });
  });

  it("is told in the screen's where the element has not been laid out", () => {
    const element = place();
    vi.spyOn(element, "getBoundingClientRect").mockReturnValue(box(0));
    expect(pointIn(element, event)).toEqual({ x: 200, y: 40 });
  });
});
