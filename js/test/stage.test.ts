// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fakeModel } from "./fake_model.ts";
import { sources } from "./sources.ts";
import { card } from "#ui/card.ts";
import { zoomOf } from "#ui/pixels.ts";
import { pointIn } from "#ui/pointer.ts";
import { addQuestions, answeredByTraits } from "#ui/questions/questions.ts";
import { viewOf } from "#ui/view.ts";

const place = () => document.body.appendChild(document.createElement("div"));
const cardOf = (title: string) => card(viewOf(fakeModel({}) as never), place(), "mw-test", title);
const button = (root: HTMLElement) => root.querySelector<HTMLButtonElement>(".mw-stage-button")!;
const isStaged = (root: HTMLElement) => [root.hasAttribute("data-stage"), button(root).getAttribute("aria-label")];
const press = (target: Element, key: string) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

describe("the stage", () => {
  it("takes one card, and gives it back at the button and at Escape", () => {
    const [one, other] = [cardOf("One").root, cardOf("Other").root];
    const sign = button(one).innerHTML;
    expect([isStaged(one), isStaged(other)]).toEqual([[false, "Stage"], [false, "Stage"]]);
    button(one).click();
    expect([isStaged(one), isStaged(other)]).toEqual([[true, "Leave the stage"], [false, "Stage"]]);
    expect(button(one).innerHTML).not.toBe(sign); // leaving has its own
    button(one).click();
    expect(isStaged(one)).toEqual([false, "Stage"]);
    button(one).click();
    press(one, "Escape");
    expect(isStaged(one)).toEqual([false, "Stage"]);
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
    expect(isStaged(one)).toEqual([true, "Leave the stage"]);
    press(document.activeElement!, key);
    expect([isStaged(one)[0], isStaged(other)[0], document.activeElement]).toEqual([false, true, other]);
  });

  it("is opened by Alt + Enter from anywhere in the card", () => {
    const { root } = cardOf("One");
    const field = root.appendChild(document.createElement("input"));
    const enter = (altKey: boolean) => field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", altKey, bubbles: true, cancelable: true }));
    enter(false);
    expect(isStaged(root)[0]).toBe(false);
    expect(enter(true)).toBe(false); // the notebook has another use of it
    expect(isStaged(root)[0]).toBe(true);
  });

  it("leaves all else inert, also around a shadow tree, until it is left or the card is gone", () => {
    const beside = place();
    const kept = place();
    kept.setAttribute("inert", "");
    const shadow = place().attachShadow({ mode: "open" });
    const [inside, el] = [1, 2].map(() => shadow.appendChild(document.createElement("div")));
    const view = viewOf(fakeModel({}) as never);
    const { root } = card(view, el!, "mw-test", "One");
    const inert = () => [beside, kept, inside!, el!, root].map((one) => one.hasAttribute("inert"));
    button(root).click();
    expect(inert()).toEqual([true, true, true, false, false]);
    press(root, "Escape");
    expect(inert()).toEqual([false, true, false, false, false]);
    button(root).click();
    view.close();
    expect(inert()).toEqual([false, true, false, false, false]);
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
    const view = viewOf(model as any);
    addQuestions(view, root, answeredByTraits(view, STEPS));
    button(root).click();
    const find = <E extends Element>(selector: string) => root.querySelector<E>(`.mw-stage-sequence ${selector}`)!;
    const [field, next] = [find<HTMLInputElement>("input"), find<HTMLButtonElement>(".mw-primary")];
    return { model, root, field, next, question: () => find(".mw-stage-question").textContent, said: () => find(".mw-stage-said").textContent, back: find<HTMLButtonElement>("button") };
  };

  it("are answered once a prediction is written, by key alone; an empty field says what it waits for", () => {
    const { model, root, field, next, question, said } = staged();
    const told = () => root.querySelector(".mw-error")!.textContent;
    expect(question()).toBe("65505 in float16: which number is stored?");
    next.click();
    expect([told(), document.activeElement]).toEqual(["Write the room’s prediction first. The Page Down key goes on without one.", field]);
    field.value = " ";
    field.dispatchEvent(new Event("input"));
    expect(told()).toBe("");
    press(field, "Enter");
    expect([model.get("code"), document.activeElement]).toEqual(["0x3C00", field]);
    expect(told()).not.toBe("");
    field.value = "65504";
    press(field, "Enter");
    expect([model.get("code"), said(), told()]).toEqual(["0x7BFF", "The room said: 65504", ""]);
    expect(model.saved.length).toBe(1);
    expect(root.contains(document.activeElement)).toBe(true);
    press(root, "PageDown");
    expect([question(), field.value, field.parentElement!.hidden]).toEqual(["65520 in float16: which number is stored?", "", false]);
    expect(model.get("code")).toBe("0x7BFF");
    press(root, "PageUp");
    expect(question()).toBe("65505 in float16: which number is stored?");
  });

  it("are led through by a presenter's remote without a guess", () => {
    const { model, root, field, question, said } = staged();
    press(field, "PageDown");
    expect([model.get("code"), said()]).toEqual(["0x7BFF", ""]);
    press(root, "PageDown");
    expect(question()).toBe("65520 in float16: which number is stored?");
    press(root, "PageDown");
    expect(model.get("code")).toBe("0x7C00");
  });

  it("end after the last one, and begin anew on another visit", () => {
    const { root, field, next, question, back } = staged();
    for (const name of ["Next", "End the questions"]) {
      field.value = "?";
      next.click();
      expect(next.textContent).toBe(name);
      next.click();
    }
    expect([next.closest("[hidden]") !== null, document.activeElement]).toEqual([true, root]);
    press(root, "Escape");
    button(root).click();
    expect([question(), back.hidden, next.closest("[hidden]")]).toEqual(["65505 in float16: which number is stored?", true, null]);
  });

  it("stand alone, whatever the widget shows, until they are answered", () => {
    const { root, field } = staged();
    const isAlone = () => root.hasAttribute("data-asks");
    expect(isAlone()).toBe(true);
    field.value = "65504";
    press(field, "Enter");
    expect(isAlone()).toBe(false);
    press(root, "PageDown");
    expect(isAlone()).toBe(true);
    press(root, "Escape");
    expect(isAlone()).toBe(false);
  });

  it("can be put away", () => {
    const { root } = staged();
    const without = [...root.querySelectorAll("button")].find((one) => one.textContent === "Without questions")!;
    without.click();
    expect([root.hasAttribute("data-asks"), without.parentElement!.parentElement!.hidden]).toEqual([false, true]);
    expect(document.activeElement).toBe(root);
    button(root).click();
    button(root).click();
    expect(root.hasAttribute("data-asks")).toBe(true);
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

it("does without what one engine draws otherwise, or not at all", () => {
  const sheets = sources(".css").map((path) => readFileSync(path, "utf8"));
  const stripes = sheets.flatMap((sheet) => sheet.match(/gradient\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g) ?? []);
  expect(stripes.length).toBeGreaterThan(20);
  expect(stripes.filter((one) => one.includes("color-mix"))).toEqual([]); // Firefox draws such a stripe too wide
  expect(sheets.flatMap((sheet) => sheet.match(/text-decoration: \w+ .*/g) ?? [])).toEqual([]); // Safari takes no style in the shorthand
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
