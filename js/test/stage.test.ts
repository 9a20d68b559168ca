// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fakeModel } from "./fake_model.ts";
import { sources } from "./sources.ts";
import { card } from "#ui/card.ts";
import { zoomOf } from "#ui/pixels.ts";
import { pointIn } from "#ui/pointer.ts";
import { addQuestions, answeredByTraits } from "#ui/stage.ts";
import { viewOf } from "#ui/view.ts";

const place = () => document.body.appendChild(document.createElement("div"));
const cardOf = (title: string) => card(viewOf(fakeModel({}) as never), place(), "mw-test", title);
const button = (root: HTMLElement) => root.querySelector<HTMLButtonElement>(".mw-stage-button")!;
const isStaged = (root: HTMLElement) => [root.hasAttribute("data-stage"), button(root).getAttribute("aria-pressed")];
const press = (target: Element, key: string) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

describe("the stage", () => {
  it("takes one card, and gives it back at the button and at Escape", () => {
    const [one, other] = [cardOf("One").root, cardOf("Other").root];
    expect(button(one).getAttribute("aria-label")).toBe("Stage");
    expect([isStaged(one), isStaged(other)]).toEqual([[false, "false"], [false, "false"]]);
    button(one).click();
    expect([isStaged(one), isStaged(other)]).toEqual([[true, "true"], [false, "false"]]);
    button(one).click();
    expect(isStaged(one)).toEqual([false, "false"]);
    button(one).click();
    press(one, "Escape");
    expect(isStaged(one)).toEqual([false, "false"]);
    expect(document.activeElement).toBe(button(one));
  });

  it.each(["Enter", " ", "ArrowRight", "ArrowDown"])("goes on at %j, and leaves other uses of the key alone", (key) => {
    const [one, other] = [cardOf("One").root, cardOf("Other").root];
    const field = one.appendChild(document.createElement("input"));
    button(one).click();
    expect(document.activeElement).toBe(one);
    press(field, key);
    if (!key.startsWith("Arrow")) press(button(one), key); // it presses the button
    one.dispatchEvent(new KeyboardEvent("keydown", { key, altKey: true }));
    expect(isStaged(one)).toEqual([true, "true"]);
    press(document.activeElement!, key);
    expect([isStaged(one)[0], isStaged(other)[0], document.activeElement]).toEqual([false, true, other]);
  });

  it("has 640 × 360 pixels, however large the window is", () => {
    const { root } = cardOf("One");
    for (const [width, height, zoom] of [[1280, 720, 2], [1920, 1080, 3], [1920, 720, 2], [1280, 1080, 2], [320, 500, 1]] as const) {
      vi.stubGlobal("innerWidth", width);
      vi.stubGlobal("innerHeight", height);
      if (!root.hasAttribute("data-stage")) button(root).click();
      window.dispatchEvent(new Event("resize"));
      expect(root.style.getPropertyValue("--mw-zoom")).toBe(String(zoom));
    }
  });
});

describe("a widget's questions", () => {
  const STEPS = [{ ask: "bits.ask_65505", state: { code: "0x7BFF" } }, { ask: "bits.ask_65520", state: { code: "0x7C00" } }] as const;
  const staged = () => {
    const model = fakeModel({ code: "0x3C00" });
    const { root } = cardOf("One");
    const body = root.appendChild(document.createElement("p"));
    const view = viewOf(model as any);
    addQuestions(view, root, answeredByTraits(view, STEPS));
    button(root).click();
    const find = <E extends Element>(selector: string) => root.querySelector<E>(`.mw-stage-sequence ${selector}`)!;
    const [field, next] = [find<HTMLInputElement>("input"), find<HTMLButtonElement>(".mw-primary")];
    return { model, root, body, field, next, question: () => find(".mw-stage-question").textContent, said: () => find(".mw-stage-said").textContent, back: find<HTMLButtonElement>("button") };
  };

  it("are answered only once a prediction is written, by key alone", () => {
    const { model, root, field, question, said } = staged();
    expect(question()).toBe("65505 in float16: which number is stored?");
    press(root, "PageDown");
    field.value = " ";
    press(field, "Enter");
    expect([model.get("code"), document.activeElement]).toEqual(["0x3C00", field]);
    field.value = "65504";
    press(field, "Enter");
    expect([model.get("code"), said()]).toEqual(["0x7BFF", "The room said: 65504"]);
    expect(model.saved.length).toBe(1);
    expect(root.contains(document.activeElement)).toBe(true);
    press(root, "PageDown");
    expect([question(), field.value, field.hidden]).toEqual(["And 65520?", "", false]);
    expect(model.get("code")).toBe("0x7BFF");
    press(root, "PageUp");
    expect(question()).toBe("65505 in float16: which number is stored?");
  });

  it("begin anew after the last one", () => {
    const { field, next, question, back } = staged();
    for (const name of ["Next", "From the start"]) {
      field.value = "?";
      next.click();
      expect(next.textContent).toBe(name);
      next.click();
    }
    expect([question(), back.hidden]).toEqual(["65505 in float16: which number is stored?", true]);
  });

  it("let nothing be touched before, and hide what shows the answer", () => {
    const { model, root, body, field } = staged();
    const state = () => [body.hasAttribute("inert"), root.hasAttribute("data-asks")];
    expect(state()).toEqual([true, false]); // another number
    model.receive({ code: "0x7BFF" });
    expect(state()).toEqual([true, true]);
    field.value = "65504";
    press(field, "Enter");
    expect(state()).toEqual([false, false]);
    press(root, "PageDown");
    expect(state()).toEqual([true, false]);
    press(root, "PageUp");
    expect(state()).toEqual([true, true]);
    press(root, "Escape");
    expect(state()).toEqual([false, false]);
  });

  it("can be put away", () => {
    const { root, body } = staged();
    const without = [...root.querySelectorAll("button")].find((one) => one.textContent === "Without questions")!;
    without.click();
    expect([body.hasAttribute("inert"), without.parentElement!.parentElement!.hidden]).toEqual([false, true]);
    expect(document.activeElement).toBe(root);
    button(root).click();
    button(root).click();
    expect(body.hasAttribute("inert")).toBe(true);
  });

  it("are followed by the page's next card, and come after the one before", () => {
    const before = cardOf("Before").root;
    const { root, field } = staged();
    const after = cardOf("After").root;
    const onStage = () => [before, root, after].map((one) => one.hasAttribute("data-stage"));
    for (let i = 0; i < 2; i++) {
      field.value = "?";
      press(root, "PageDown");
      press(root, "PageDown");
    }
    expect(onStage()).toEqual([false, false, true]);
    expect(document.activeElement).toBe(after);
    press(after, "PageDown");
    expect(onStage()).toEqual([false, false, true]);
    press(after, "PageUp");
    expect(onStage()).toEqual([false, true, false]);
    press(root, "PageUp"); // the question before
    press(root, "PageUp");
    expect(onStage()).toEqual([true, false, false]);
    press(before, "PageUp");
    expect(onStage()).toEqual([true, false, false]);
  });

  it("wait while the card is not on the stage", () => {
    const { model, root, field } = staged();
    press(root, "Escape");
    field.value = "65504";
    press(root, "PageDown");
    expect(model.get("code")).toBe("0x3C00");
  });
});

it("does without what Safari forgets the zoom of: rem, and px of a container's width", () => {
  const sheets = sources(".css").map((path) => readFileSync(path, "utf8"));
  expect(sheets.flatMap((sheet) => sheet.match(/.*\drem\b.*/g) ?? [])).toEqual([]);
  const asked = sheets.flatMap((sheet) => sheet.match(/@container \(.*?\)/g) ?? []);
  expect(asked.length).toBeGreaterThan(8);
  expect(asked.filter((one) => !one.includes("em)"))).toEqual([]);
});

it("is set for each widget apart, since a page may have all their sheets", () => {
  const sheets = sources(".css").filter((path) => /mixwidgets.\w+.widgets./.test(path));
  const staged = sheets.flatMap((path) => readFileSync(path, "utf8").match(/[\w.-]*\[data-stage\]/g) ?? []);
  expect(staged.length).toBeGreaterThan(20);
  expect(staged.filter((one) => !/^\.mw-[\w-]+\[/.test(one))).toEqual([]);
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
