// @vitest-environment jsdom
// The bit editor as a person and a kernel meet it: clicks, keys, text, and state from elsewhere.

import type { RenderProps } from "@anywidget/types";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import editor from "#mixwidgets/floats/widgets/bit_editor/page.ts";
import type { State } from "#mixwidgets/floats/widgets/bit_editor/state.ts";
import { fakeModel } from "./fake_model.ts";

const editorModel = (changes: Partial<Record<keyof State, unknown>> = {}) =>
  fakeModel({ format: "float16", code: "0x3C00", _input: "1", rounding: "ties-to-even", overflow: "native", ...changes });

interface View {
  el: HTMLElement;
  bit(name: RegExp): HTMLButtonElement;
  field(label: string): HTMLInputElement;
  type(label: string, text: string): void;
  press(key: string): void;
  codeShown(): string;
  cleanup(): void;
}

const views: View[] = [];

function show(model: ReturnType<typeof fakeModel>): View {
  const el = document.createElement("div");
  document.body.append(el);
  const cleanup = editor.render({ model, el, signal: new AbortController().signal } as unknown as RenderProps<State>);
  const all = <E extends Element>(selector: string) => [...el.querySelectorAll<E>(selector)];
  const view: View = {
    el,
    bit: (name) => all<HTMLButtonElement>("[role=switch]").find((b) => name.test(b.getAttribute("aria-label")!))!,
    field: (label) => {
      const id = all<HTMLLabelElement>("label").find((one) => one.textContent === label)!.htmlFor;
      return document.getElementById(id) as HTMLInputElement;
    },
    type: (label, text) => {
      const input = view.field(label);
      input.focus();
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    },
    press: (key) => {
      document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    },
    codeShown: () => view.field("code").value,
    cleanup,
  };
  views.push(view);
  return view;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
});

afterEach(() => {
  for (const view of views.splice(0)) view.cleanup();
  document.body.replaceChildren();
  vi.useRealTimers();
});

describe("bits", () => {
  test("are switches with names and one tab stop, in a grid of three rows", () => {
    const view = show(editorModel({ code: "0x7BFF", _input: "65505" }));
    const grid = view.el.querySelector("[role=grid]")!;
    expect([...grid.children].map((row) => row.getAttribute("role"))).toEqual(["row", "row", "row"]);
    const switches = [...grid.querySelectorAll<HTMLButtonElement>("[role=gridcell] > button[role=switch]")];
    expect(switches).toHaveLength(16);
    expect(switches.filter((bit) => bit.tabIndex === 0)).toHaveLength(1);
    expect(view.bit(/^exponent bit 3 of 5, weight 4, on$/).getAttribute("aria-checked")).toBe("true");
    expect(view.bit(/^exponent bit 5 of 5, weight 1, off$/).getAttribute("aria-checked")).toBe("false");
    expect(view.bit(/^fraction bit 10 of 10, weight 2\^−10, on$/).textContent).toBe("12⁻¹⁰");
    expect(view.bit(/^sign bit, off$/).textContent).toBe("0±");
    expect([...grid.querySelectorAll("[role=rowheader]")].map((head) => head.textContent)).toEqual([
      "S sign", "E exponent− 15 = 15", "F fraction/ 1024",
    ]);
  });

  test.each([true, false])("flip by key after a pointer, whose click was sent (%s)", (sent) => {
    const view = show(editorModel());
    const sign = view.bit(/^sign/);
    const point = (type: string) => sign.dispatchEvent(new MouseEvent(type, { bubbles: true, composed: true, detail: 1 }));
    ["pointerdown", "pointerup", ...(sent ? ["click"] : [])].forEach(point); // Safari sends none where the cell changed
    expect(sign.getAttribute("aria-checked")).toBe("true");
    sign.click(); // as a key does, with detail 0
    expect(sign.getAttribute("aria-checked")).toBe("false");
    point("pointerdown");
    expect(sign.getAttribute("aria-checked")).toBe("true");
  });

  test("flip at once; the kernel hears of a burst of clicks once it is over", () => {
    const host = editorModel();
    const view = show(host);
    view.bit(/^sign/).click();
    expect(view.codeShown()).toBe("0xBC00");
    expect(view.el.querySelector(".mw-figure")!.textContent).toBe("−1");
    for (let i = 0; i < 20; i += 1) {
      vi.advanceTimersByTime(100);
      view.bit(/^fraction bit 1 of/).click();
    }
    expect(host.saved).toEqual([]);
    vi.advanceTimersByTime(150);
    expect(host.saved).toMatchObject([{ format: "float16", code: "0xBC00", _input: "" }]);
    vi.advanceTimersByTime(10_000);
    expect(host.saved).toHaveLength(1);
  });

  test("by keys: arrows, Home and End move, up and down step by one ulp", () => {
    const view = show(editorModel());
    const focused = () => document.activeElement!.getAttribute("aria-label");
    view.bit(/^sign/).focus();
    for (const [key, name] of [
      ["ArrowLeft", "sign bit, off"],
      ["ArrowRight", "exponent bit 1 of 5, weight 16, off"],
      ["End", "fraction bit 10 of 10, weight 2^−10, off"],
      ["ArrowRight", "fraction bit 10 of 10, weight 2^−10, off"],
      ["ArrowLeft", "fraction bit 9 of 10, weight 2^−9, off"],
    ] as const) {
      view.press(key);
      expect(focused()).toBe(name);
      expect(view.el.querySelectorAll("[role=switch][tabindex='0']")).toHaveLength(1);
    }
    view.press("ArrowUp");
    expect(view.codeShown()).toBe("0x3C01");
    view.press("Home");
    view.press("ArrowDown");
    view.press("ArrowDown");
    expect([focused(), view.codeShown()]).toEqual(["sign bit, off", "0x3BFF"]);
  });

  test("− ulp and + ulp stop at the infinities and pass through zero", () => {
    const host = editorModel({ code: "0x7BFF", _input: "" });
    const view = show(host);
    const [down, up] = [...view.el.querySelectorAll("button")].filter((b) => b.textContent!.endsWith(" ulp"));
    up!.click();
    up!.click();
    expect(view.codeShown()).toBe("0x7C00");
    view.type("value", "0");
    down!.click();
    expect(view.codeShown()).toBe("0x8001");
  });
});

describe("typing", () => {
  test("commits on Enter, at once, and says how the value was rounded", () => {
    const host = editorModel();
    const view = show(host);
    view.type("value", " 65505 ");
    expect(host.saved).toMatchObject([{ format: "float16", code: "0x7BFF", _input: "65505" }]);
    expect(view.el.querySelector(".mw-callout")!.textContent).toContain("65505 is not a float16.");
    expect(view.field("value").value).toBe("65505");
    view.type("code", "0b1");
    expect(host.saved[1]).toMatchObject({ format: "float16", code: "0x0001", _input: "" });
    expect(view.field("value").value).toBe("6e-8");
  });

  test("commits on leaving the field, and only a changed text", () => {
    const host = editorModel();
    const view = show(host);
    const value = view.field("value");
    value.dispatchEvent(new Event("change", { bubbles: true }));
    expect(host.saved).toEqual([]);
    value.value = "2";
    value.dispatchEvent(new Event("input", { bubbles: true }));
    value.dispatchEvent(new Event("change", { bubbles: true }));
    expect(view.codeShown()).toBe("0x4000");
  });

  test("Escape takes the text back", () => {
    const view = show(editorModel());
    const value = view.field("value");
    value.focus();
    value.value = "99";
    value.dispatchEvent(new Event("input", { bubbles: true }));
    view.press("Escape");
    expect(value.value).toBe("1");
  });

  test.each([
    ["", "is not a number"], ["abc", "is not a number"], ["6 bytes", "write the plain number, 6"], ["2(3)", "with a sign"], ["1,5", "1.5"],
    ["1__000", "1000"], ["1/0", "divides by zero"], ["2^1e9", "beyond ±5000"], ["2^0.5", "a whole number"], ["9^9^9^9", "beyond ±5000"], ["(".repeat(5000), "64 numbers and brackets"], ["٣", "is not a number"], ["nan(0x7e01)", "write its code"], ["0b102", "only the digits 0 and 1"],
    ["0x10000", "codes end at 0xFFFF"], ["1e99999", "beyond ±5000"], ["9".repeat(10_001), "10,000 characters"],
    ["\u202e12", "\\u202e12"], ["<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"], ["</script><script>alert(1)</script>", "</script>"],
  ])("%j is refused beside the field, and the last good state stays", (text, words) => {
    const host = editorModel();
    const view = show(host);
    view.type("value", text);
    const value = view.field("value");
    const error = document.getElementById(value.getAttribute("aria-describedby")!)!;
    expect(error.textContent).toContain(words);
    expect([error.getAttribute("role"), value.getAttribute("aria-invalid")]).toEqual(["alert", "true"]);
    expect([view.codeShown(), host.saved, host.get("code")]).toEqual(["0x3C00", [], "0x3C00"]);
    expect(view.el.querySelector("img, script")).toBeNull();
    view.type("value", "2");
    expect([error.textContent, value.hasAttribute("aria-invalid"), view.codeShown()]).toEqual(["", false, "0x4000"]);
  });

  test.each([
    ["1e999", "0x7C00"], ["1e-400", "0x0000"], ["-0", "0x8000"], ["−5", "0xC500"], ["Infinity", "0x7C00"], ["0x7C00", "0x7C00"],
    ["0x1p-3", "0x3000"], ["2⁻³", "0x3000"], ["1/3", "0x3555"], ["1_000", "0x63D0"], ["9".repeat(5000), "0x7C00"],
    ["１２", "0x4A00"], ["１．５", "0x3E00"], ["–5", "0xC500"], ["x = 12", "0x4A00"], ["2^16-32", "0x7BFF"], ["(2-2^-10)*2^15", "0x7BFF"], ["2^{-24}", "0x0001"],
  ])("%j is read", (text, code) => {
    const view = show(editorModel());
    view.type("value", text);
    expect(view.codeShown()).toBe(code);
  });

  test("a text with commas is shown as it was read", () => {
    const view = show(editorModel());
    view.type("value", "65,504");
    expect([view.field("value").value, view.codeShown()]).toEqual(["65504", "0x7BFF"]);
  });

  test("a refused text that was left gives way to another edit", () => {
    const view = show(editorModel());
    view.type("value", "abc");
    const sign = view.bit(/^sign/);
    sign.focus();
    expect(view.field("value").value).toBe("abc");
    sign.click();
    expect([view.field("value").value, view.field("value").hasAttribute("aria-invalid")]).toEqual(["-1", false]);
    expect(view.el.textContent).not.toContain("is not a number");
  });

  test("a wrong code is refused beside its own field", () => {
    const view = show(editorModel());
    view.type("code", "0x1FFFF");
    expect(view.field("code").getAttribute("aria-invalid")).toBe("true");
    expect(view.field("value").hasAttribute("aria-invalid")).toBe(false);
    expect(view.el.textContent).toContain("codes end at 0xFFFF");
  });
});

describe("formats", () => {
  const choose = (view: View, name: string) => view.el.querySelector<HTMLInputElement>(`input[value=${name}]`)!.click();

  test("a change rounds the last exact input anew, in one message", () => {
    const host = editorModel({ code: "0x7BFF", _input: "65505" });
    const view = show(host);
    choose(view, "float64");
    expect(host.saved).toMatchObject([{ format: "float64", code: "0x40EFFC2000000000", _input: "65505" }]);
    expect(view.el.querySelectorAll("[role=switch]")).toHaveLength(64);
    choose(view, "float16");
    expect([view.codeShown(), view.field("value").value]).toEqual(["0x7BFF", "65505"]);
  });

  test("a click that was not told yet goes along", () => {
    const host = editorModel();
    const view = show(host);
    view.bit(/^sign/).click();
    choose(view, "bfloat16");
    vi.advanceTimersByTime(1000);
    expect(host.saved).toMatchObject([{ format: "bfloat16", code: "0xBF80", _input: "-1" }]);
  });
});

test("the number line labels both neighbours where it is narrowest, on two lines", () => {
  const view = show(editorModel({ format: "float64", code: "0x3FB999999999999A", _input: "0.1" }));
  const labels = [...view.el.querySelectorAll(".mw-nl-below text, .mw-nl-above text")];
  expect(labels.map((label) => label.textContent)).toEqual(["0.0999999999999999916…", "0.100000000000000005…"]);
  expect(new Set(labels.map((label) => label.getAttribute("y"))).size).toBe(2);
});

describe("taking back", () => {
  test("Ctrl+Z and Ctrl+Shift+Z go through the edits, and the notebook does not hear them", () => {
    const view = show(editorModel());
    const heard = vi.fn();
    view.el.addEventListener("keydown", heard);
    const press = (key: string, shiftKey = false) =>
      document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, ctrlKey: true, bubbles: true, cancelable: true }));
    view.bit(/^sign/).focus();
    view.bit(/^sign/).click();
    view.type("value", "3");
    view.el.querySelector<HTMLInputElement>("input[value=float32]")!.click();
    view.bit(/^sign/).focus();
    press("z");
    press("z");
    expect(view.codeShown()).toBe("0xBC00");
    press("z");
    press("z");
    expect(view.codeShown()).toBe("0x3C00");
    press("Z", true);
    press("y");
    expect([view.codeShown(), view.field("value").value]).toEqual(["0x4200", "3"]);
    expect(heard).not.toHaveBeenCalled();
    press("s");
    expect(heard).toHaveBeenCalledTimes(1);
  });

  test("a text that is being written keeps its own undo", () => {
    const view = show(editorModel());
    view.bit(/^sign/).click();
    const value = view.field("value");
    value.focus();
    value.value = "12";
    value.dispatchEvent(new Event("input", { bubbles: true }));
    value.dispatchEvent(new KeyboardEvent("keydown", { key: "z", ctrlKey: true, bubbles: true, cancelable: true }));
    expect([view.codeShown(), value.value]).toEqual(["0xBC00", "12"]);
  });
});

describe("fields as numbers", () => {
  test("are set as a whole, and refuse what does not fit", () => {
    const view = show(editorModel());
    const number = (name: string) => view.el.querySelector<HTMLInputElement>(`input[aria-label="${name}"]`)!;
    const write = (name: string, text: string) => {
      number(name).value = text;
      number(name).dispatchEvent(new Event("input", { bubbles: true }));
      number(name).dispatchEvent(new Event("change", { bubbles: true }));
    };
    write("biased exponent", "30");
    write("fraction as an integer", "1023");
    expect(view.codeShown()).toBe("0x7BFF");
    for (const bad of ["1024", "-1", "1.5", "", "<img src=x>"]) {
      write("fraction as an integer", bad);
      expect(view.el.textContent).toContain("this field holds whole numbers from 0 to 1023");
      expect([view.codeShown(), number("fraction as an integer").getAttribute("aria-invalid")]).toEqual(["0x7BFF", "true"]);
    }
    expect(view.el.querySelector("img")).toBeNull();
  });
});

describe("the kernel and other views", () => {
  const settled = () => Promise.resolve();

  test("state from the kernel is painted, whole", async () => {
    const host = editorModel();
    const view = show(host);
    host.receive({ format: "float32", code: "0x3DCCCCCD", _input: "0.1" });
    await settled();
    expect([view.codeShown(), view.field("value").value]).toEqual(["0x3DCCCCCD", "0.1"]);
    expect(view.el.textContent).toContain("0.1 is not a float32.");
    expect(host.saved).toEqual([]);
  });

  test("state that was rounded in another way is painted with its input", async () => {
    const host = editorModel();
    const view = show(host);
    host.receive({ code: "0x3C01", _input: "1.0001", rounding: "toward-positive" });
    await settled();
    expect(view.field("value").value).toBe("1.0001");
    expect(view.el.querySelector(".mw-callout")!.textContent).toContain("Rounding is toward-positive");
    expect(view.field("rounding").value).toBe("toward-positive");
  });

  test.each([
    { rounding: "stochastic" }, { rounding: 7 }, { overflow: "__proto__" }, { code: "0x10000" }, { code: "<img src=x>" }, { code: 5 }, { format: "__proto__" }, { format: null }, { format: "float64" },
  ])("hostile state %j is not painted", async (hostile) => {
    const host = editorModel();
    const view = show(host);
    host.receive(hostile);
    await settled();
    expect(view.codeShown()).toBe("0x3C00");
    view.bit(/^sign/).click();
    expect([view.codeShown(), host.get("format"), host.get("code")]).toEqual(["0xBC00", "float16", "0xBC00"]);
  });

  test.each(["<img src=x onerror=alert(1)>", "2", 7, ["1"]])("an input %j that is not this number's is ignored", async (input) => {
    const view = show(editorModel({ _input: input }));
    expect(view.el.textContent).toContain("1 is what these bits say");
    expect(view.el.querySelector("img")).toBeNull();
  });

  test("two views of one model stay equal", async () => {
    const host = editorModel();
    const [one, two] = [show(host), show(host)];
    one.bit(/^sign/).click();
    await settled();
    expect(two.codeShown()).toBe("0xBC00");
    two.bit(/^exponent bit 5/).click();
    await settled();
    expect(one.codeShown()).toBe("0xB800");
    vi.advanceTimersByTime(150);
    expect(host.saved[0]).toMatchObject({ format: "float16", code: "0xB800", _input: "" });
  });

  test("the echo of an earlier save does not undo a later click", async () => {
    const host = editorModel();
    const view = show(host);
    view.bit(/^sign/).click();
    vi.advanceTimersByTime(150);
    view.bit(/^fraction bit 1 of/).click();
    host.receive({ code: "0xBC00" }); // what the kernel got 50 ms ago
    await settled();
    expect([view.codeShown(), host.get("code")]).toEqual(["0xBE00", "0xBE00"]);
    vi.advanceTimersByTime(150);
    expect(host.saved.at(-1)).toMatchObject({ code: "0xBE00" });
  });

  test("a change by the kernel replaces a click that it had not heard of", async () => {
    const host = editorModel();
    const view = show(host);
    view.bit(/^sign/).click();
    host.receive({ code: "0x4200", _input: "3" });
    await settled();
    vi.advanceTimersByTime(1000);
    expect([view.codeShown(), host.saved]).toEqual(["0x4200", []]);
  });

  test("what is being written is not overwritten", async () => {
    const host = editorModel();
    const view = show(host);
    const value = view.field("value");
    value.focus();
    value.value = "3.1";
    value.dispatchEvent(new Event("input", { bubbles: true }));
    host.receive({ code: "0x4000", _input: "2" });
    await settled();
    expect([view.codeShown(), value.value]).toEqual(["0x4000", "3.1"]);
  });
});

describe("the end", () => {
  test.each(["focusout", "cleanup", "hidden"])("%s tells the kernel what it has not heard of", (how) => {
    const host = editorModel();
    const view = show(host);
    view.bit(/^sign/).focus();
    view.bit(/^sign/).click();
    if (how === "focusout") (document.activeElement as HTMLElement).blur();
    if (how === "cleanup") view.cleanup();
    if (how === "hidden") document.dispatchEvent(new Event("visibilitychange"));
    expect(host.saved).toMatchObject([{ format: "float16", code: "0xBC00", _input: "" }]);
  });

  test("nothing stays: no handler, no timer, no element", async () => {
    const host = editorModel();
    const removed = vi.spyOn(document, "removeEventListener");
    const view = show(host);
    const other = show(host);
    view.cleanup();
    expect(host.listening()).toBe(5);
    other.bit(/^sign/).click();
    await Promise.resolve();
    other.cleanup();
    expect(host.listening()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect([view.el.childElementCount, other.el.childElementCount]).toEqual([0, 0]);
    document.dispatchEvent(new Event("visibilitychange"));
    expect(host.saved).toHaveLength(1);
    removed.mockRestore();
  });

  test("keys stay with the widget in JupyterLab", () => {
    const view = show(editorModel());
    const heard: string[] = [];
    view.el.addEventListener("keydown", (event) => heard.push(event.key));
    view.bit(/^sign/).focus();
    for (const key of ["ArrowRight", "ArrowUp", " ", "x", "d"]) view.press(key);
    expect(heard).toEqual([]);
    expect(view.el.firstElementChild!.getAttribute("lang")).toBe("en");
  });
});

describe("powers", () => {
  test("can be copied and read aloud", () => {
    const { el } = show(editorModel({ code: "0x7BFF" }));
    expect(el.querySelector(".mw-bit-exact")!.textContent).toContain("2047 × 2^5=");
    expect(el.querySelector(".mw-bit-formula")!.getAttribute("aria-label")).toBe("(+1) × 2^15 × (1 + 1023/1024) = 65504");
  });
});
