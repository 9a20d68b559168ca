// @vitest-environment jsdom
// The exercise in a page without a kernel: every question judged as the oracle judges it, and what the page shows.

import { beforeEach, describe, expect, test } from "vitest";
import { questions } from "#mixwidgets/teaching/exercises/catalogue.json";
import en from "#mixwidgets/support/languages/en/exercises.json";
import zh from "#mixwidgets/support/languages/zh/exercises.json";
import exerciseVectors from "../../tests/vectors/exercises.json";
import reportVectors from "../../tests/vectors/reports.json";
import exercise from "#mixwidgets/teaching/widgets/exercise/page.ts";
import { signed } from "#core/formats/parse.ts";
import { compare, rational } from "#core/formats/rational.ts";
import { verdictOf, type Question } from "#mixwidgets/teaching/widgets/exercise/question.ts";
import { readRecord } from "#mixwidgets/teaching/widgets/exercise/record.ts";
import { report } from "#mixwidgets/teaching/widgets/exercise/report.ts";
import { accepts, target } from "#mixwidgets/teaching/widgets/exercise/rule.ts";
import { readNumber } from "#mixwidgets/teaching/widgets/exercise/answers.ts";
import { fakeModel } from "./fake_model.ts";

type Json = Record<string, unknown>;

/** A catalogue's entry with its texts: each list of them stands for the list at its place. */
function withTexts(entry: unknown, texts: unknown): unknown {
  if (Array.isArray(texts)) return (entry as unknown[]).map((part, i) => withTexts(part, texts[i]));
  if (typeof texts !== "object") return texts;
  return { ...(entry as Json), ...Object.fromEntries(Object.entries(texts as Json).map(([name, part]) => [name, withTexts((entry as Json)[name], part)])) };
}

/** The catalogue's question as the kernel sends it. */
function question(id: string, lang: "en" | "zh" = "en", changes: Partial<Question> = {}): Question {
  const entry = questions.find((one) => one.id === id)!;
  const { report, questions: texts } = { en, zh }[lang];
  const withItsTexts = withTexts(entry, (texts as Json)[id]) as Question;
  return { ...{ mistakes: [], options: [], example: "", units: {} }, ...withItsTexts, report, ...changes };
}

const vectors = exerciseVectors as unknown as Record<string, [string, boolean, number | null][]>;

test.each(exerciseVectors.constants as [string, string, string][])("of %s, %s is %s", (format, is, value) => {
  const constant = signed(target({ is, format })!);
  const [numerator, denominator = "1"] = value.split("/");
  expect(compare(constant, rational(BigInt(numerator!), BigInt(denominator)))).toBe(0);
});

describe("every question", () => {
  test.each(questions.map(({ id }) => id))("%s is judged as the oracle does", (id) => {
    const asked = question(id);
    for (const [answer, isRight, mistake] of vectors[id]!) {
      const verdict = verdictOf(asked, answer);
      expect([answer, verdict.isRight]).toEqual([answer, isRight]);
      if (isRight) expect(verdict.says).toBe(asked.explanation);
      else if (asked.kind !== "choice") expect([answer, verdict.says]).toEqual([answer, mistake === null ? asked.hint : asked.mistakes[mistake]!.says]);
      else expect(verdict.says).toBe(asked.options.find((option) => option.answer === answer)!.says);
    }
  });
});

test("rules that no question uses yet", () => {
  const fits = (rule: object, text: string) => accepts(rule, readNumber(text));
  expect(fits({ becomes: "zero", format: "float16" }, "1e-8")).toBe(true);
  expect(fits({ becomes: "zero", format: "float16" }, "0")).toBe(false);
  expect(fits({ becomes: "infinity", format: "float16" }, "65520")).toBe(true);
  expect(fits({ becomes: "infinity", format: "float16" }, "inf")).toBe(false);
  expect(fits({ class: "nan", format: "float4_e2m1fn" }, "nan")).toBe(false); // it has none
  expect(fits({ between: ["-inf", "2^-3"] }, "-inf")).toBe(true);
  expect(fits({ between: ["-inf", "2^-3"] }, "nan")).toBe(false);
  expect(fits({ value: "3.4e38", within: "0.01" }, "3.41e38")).toBe(true);
  expect(fits({ value: "3.4e38", within: "0.01" }, "3.5e38")).toBe(false);
  expect(fits({ value: "0" }, "-0")).toBe(true);
  expect(fits({ ulp: "2048", format: "float16" }, "2")).toBe(true);
  expect(fits({ scale: "greatest", of: "3", format: "float16" }, "2**14")).toBe(true);
  expect(target({ sum: "60000", times: 2, format: "float16" })!.kind).toBe("infinity");
});

describe("the text for the teacher", () => {
  test.each(reportVectors as { id: string; lang: "en" | "zh"; record: string; report: string[] }[])("$id $lang", ({ id, lang, record, report: expected }) => {
    const asked = question(id, lang);
    expect(report(asked, readRecord(asked, record)!).split("\n")).toEqual(expected);
  });
});

function show(id: string, changes: { _record?: string; _question?: Question } = {}) {
  const model = fakeModel({ exercise: id, _record: "", _question: question(id), ...changes });
  const el = document.body.appendChild(document.createElement("div"));
  const cleanup = exercise.render({ model, el } as never);
  const button = (name: string) => [...el.querySelectorAll("button")].find((one) => one.textContent === name)!;
  const text = (selector: string) => el.querySelector(selector)!.textContent;
  const answer = (typed: string) => {
    el.querySelector<HTMLInputElement>("input[type=text]")!.value = typed;
    button("Check").click();
  };
  return { model, el, cleanup, button, text, answer };
}

describe("in the page", () => {
  beforeEach(() => document.body.replaceChildren());

  test("a wrong answer, another that nobody foresaw, the right one", () => {
    const { model, el, text, answer, button } = show("first-overflow-float16");
    expect(el.querySelector<HTMLElement>(".mw-callout")!.hidden).toBe(true);
    answer("65505");
    expect(text(".mw-callout")).toMatch(/^Not yet\. 65505 does not overflow: /);
    answer("12");
    expect(text(".mw-callout")).toMatch(/^Not yet\. Think of one more step/);
    answer(" 65520 ");
    expect(text(".mw-callout")).toMatch(/^Right\. 65520, the midpoint/);
    expect(model.saved.map(({ _record }) => _record)).toEqual(["=65505", "=65505\n=12", "=65505\n=12\n=65520"]);
    expect([...el.querySelectorAll("li")].map((one) => one.textContent)).toEqual(["65505 ✗not right", "12 ✗not right", "65520 ✓right"]);
    expect(text(".mw-exercise-state")).toBe("✓ solved");
    answer("1"); // it is over
    expect(model.saved).toHaveLength(3);
    button("Start over").click();
    expect(model.get("_record")).toBe("");
    expect(el.querySelector("input")!.value).toBe("");
  });

  test("a tolerance is said, and a known mistake within it is wrong", () => {
    const { text, answer } = show("largest-float32");
    expect(text("form .mw-note")).toMatch(/An answer within 0\.1 % counts as right\.$/);
    expect(show("largest-float16").text("form .mw-note")).not.toContain("within");
    answer("2^128");
    expect(text(".mw-callout")).toMatch(/^Not yet\. 2¹²⁸ is the next step/);
    answer("3.403e38");
    expect(text(".mw-callout")).toMatch(/^Right\./);
  });

  test("a wrong number stands on a number line, beside the right one only once that is known", () => {
    const { el, text, answer, button } = show("largest-float16");
    const line = el.querySelector<HTMLElement>(".mw-exercise-place")!;
    const said = () => [line.getAttribute("aria-label"), line.querySelectorAll("[data-kind=answer]").length];
    expect(line.hidden).toBe(true);
    answer("nan");
    expect(line.hidden).toBe(true);
    answer("65536");
    expect(said()).toEqual(["On a number line: 65536: not right, 0", 0]);
    answer("2^15");
    expect(said()).toEqual(["On a number line: 2^15: not right, 65536", 0]);
    button("Hint").click();
    expect(line.textContent).not.toContain("65504");
    answer("65535");
    expect(line.querySelectorAll("[data-kind=earlier]")).toHaveLength(2);
    button("Show the answer").click(); // then 2^15 is out of sight
    expect(text(".mw-exercise-place")).toBe("××●65535: 31 more than 6550465504: right");
    const place = (kind: string) => Number.parseFloat(line.querySelector<HTMLElement>(`[data-kind=${kind}]`)!.style.left);
    expect(place("answer")).toBeLessThan(place("newest"));
    expect((place("earlier") - place("answer")) / (place("newest") - place("answer"))).toBeCloseTo(32 / 31);
    button("Start over").click();
    expect(line.hidden).toBe(true);
  });

  test.each([
    ["smallest-float16", "2^-14", "2^-14: 1024 × 5.9604644775390625e−8, 5.9604644775390625e−8: right"],
    ["flushed-float16", "0x3C00", "0x3C00: 100000000 × 1e−8, 1e−8: right"], // one of many
    ["five-small-networks", "3", "3: 3 more than 0, 0: right"],
    ["largest-float16", "-inf", null],
    ["round-65505", "65505", null],
  ])("%s: %s beside the answer", (id, wrong, words) => {
    const option = question(id).options.find(({ answer }) => !verdictOf(question(id), answer).isRight)?.answer;
    const { el } = show(id, { _record: `=${option ?? wrong}\n!` });
    const line = el.querySelector<HTMLElement>(".mw-exercise-place")!;
    expect(line.hidden ? null : line.getAttribute("aria-label")).toBe(words && `On a number line: ${words}`);
  });

  test("hint and answer wait for a prediction", () => {
    const { model, text, answer, button } = show("largest-float16");
    button("Hint").click();
    button("Show the answer").click();
    expect(model.saved).toHaveLength(0);
    expect(button("Hint").title).toBe("Predict first, then look.");
    answer("65535");
    button("Hint").click();
    expect(text(".mw-callout")).toMatch(/largest integer.*Hint\. The largest exponent is 15/);
    expect(button("Hint").getAttribute("aria-disabled")).toBe("true");
    button("Show the answer").click();
    expect(text(".mw-callout")).toMatch(/^The answer\. .*65504/);
    expect(model.get("_record")).toBe("=65535\n?\n!");
    expect(text("pre")).toContain("Result: not solved; the answer was shown.");
  });

  test("what is no number is told and is no attempt; the same again is none either", () => {
    const { model, el, text, answer } = show("largest-float16");
    for (const wrong of ["", "abc", "1,5", "6 bytes", "0x10000", "<img src=x onerror=alert(1)>", "1e99999"]) {
      answer(wrong);
      expect(text(".mw-error")).not.toBe("");
      expect(el.querySelector("input")!.getAttribute("aria-invalid")).toBe("true");
    }
    expect(model.saved).toHaveLength(0);
    answer("65535");
    answer("65535");
    expect(model.saved).toHaveLength(1);
    expect(text(".mw-error")).toBe("");
    expect(el.querySelector("input")!.hasAttribute("aria-invalid")).toBe(false);
  });

  test("a refused text hides the feedback of the attempt before, and the same attempt again shows it", () => {
    const { el, text, answer } = show("largest-float16");
    const callout = el.querySelector<HTMLElement>(".mw-callout")!;
    answer("65535");
    expect([callout.hidden, text(".mw-error")]).toEqual([false, ""]);
    answer("65 504 or so");
    expect([callout.hidden, text(".mw-error") !== ""]).toEqual([true, true]);
    answer("65535");
    expect([callout.hidden, text(".mw-error"), el.querySelector("input")!.hasAttribute("aria-invalid")]).toEqual([false, "", false]);
    answer("abc");
    answer("65504");
    expect([text(".mw-error"), callout.hidden]).toEqual(["", false]);
  });

  test.each([
    ["largest-float16", "65,504", /^Read as 65504\.Right\./],
    ["largest-float16", "65,535", /^Read as 65535\.Not yet\. 65535 is the largest/],
    ["largest-float16", "0x7BFF", /^Read as the code 0x7BFF, that is 65504\.Right\./],
    ["largest-float16", "0b11", /^Read as the code 0b11, that is 1\.78813934326171875e−7\.Not yet\./],
    ["largest-float16", "65.504", /^Not yet\. The point in 65\.504 is a decimal point\. Did you mean 65504\?$/],
    ["largest-float16", "65.535", /^Not yet\. The point in 65\.535 is a decimal point\. Did you mean 65535\?$/],
    ["largest-float16", "2^16-32", /^Right\./],
    ["largest-float16", "６５５０４", /^Right\./],
    ["bytes-of-a-master-weight", "6 bytes", /^Right\./],
    ["bytes-of-a-master-weight", "48 bits", /^Right\./],
    ["bytes-of-a-master-weight", "4 + 2", /^Right\./],
    ["faster-products", "210%", /^Right\./],
    ["headroom-of-six", "2,097,152", /^Read as 2097152\.Right\./],
  ])("of %s, %s is answered", (id, typed, said) => {
    const { text, answer } = show(id);
    answer(typed);
    expect(text(".mw-callout")).toMatch(said);
  });

  test.each([
    ["6 kg", "write the plain number, 6"], ["0b11", "if you mean the whole number, write 3"], ["6 constructor", "write the plain number, 6"],
  ])("a question without a format refuses %s and says what to write", (typed, said) => {
    const { text, answer, model } = show("bytes-of-a-master-weight");
    answer(typed);
    expect(text(".mw-error")).toContain(said);
    expect(model.saved).toHaveLength(0);
  });

  test.each([["largest-float16", true], ["seeds-for-a-claim", false]])("%s: the hint names bit patterns only where there is a format", (id, isNamed) => {
    const { text, answer } = show(id);
    answer("abc");
    expect(text(".mw-error")).toMatch(/is not a number: write a decimal .* inf/);
    expect(text(".mw-error")!.includes("bit pattern")).toBe(isNamed);
    answer("-0x1");
    expect(text(".mw-error")!.includes("bit pattern")).toBe(isNamed);
  });

  test("a choice, and its right option once shown", () => {
    const { el, button, text } = show("round-65505");
    button("Check").click();
    expect(text(".mw-error")).toContain("Choose");
    el.querySelector<HTMLInputElement>("input[value=inf]")!.click();
    button("Check").click();
    expect(text(".mw-callout")).toContain("65505 does not overflow");
    button("Show the answer").click();
    expect(el.querySelector<HTMLInputElement>("input:checked")!.value).toBe("65504");
    expect(el.querySelectorAll("input:disabled")).toHaveLength(4);
  });

  test("bits, by key", () => {
    const { model, el, button, text } = show("bits-of-one");
    const bits = [...el.querySelectorAll<HTMLElement>("[role=switch]")];
    bits[15]!.click();
    button("Check").click();
    expect(text(".mw-callout")).toContain("codes are not values");
    bits[15]!.click();
    for (const i of [2, 3, 4, 5]) bits[i]!.click();
    button("Check").click();
    expect(model.get("_record")).toBe("=0x0001\n=0x3C00");
    bits[0]!.click(); // it is over
    expect(bits[0]!.getAttribute("aria-checked")).toBe("false");
  });

  test("after a hundred steps there is the answer to look at", () => {
    const { model, answer, button } = show("largest-float16", { _record: Array.from({ length: 99 }, (_, i) => `=${i + 1}`).join("\n") });
    answer("65504");
    expect(model.saved).toHaveLength(0);
    expect(button("Check").title).toContain("look at the answer");
    button("Show the answer").click();
    expect(readRecord(question("largest-float16"), model.get("_record") as string)).toHaveLength(100);
  });

  test("a saved record is shown; one of another question is told of, and left behind by starting over", () => {
    const { text } = show("bits-of-one", { _record: "=0x0001\n!" });
    expect(text(".mw-exercise-state")).toBe("answer shown");
    const other = show("largest-float16", { _record: "=0x0001\n=zz" });
    expect(other.text(".mw-error")).toContain("Start over");
    other.button("Start over").click();
    expect(other.text(".mw-error")).toBe("");
  });

  test("texts of a question are text", () => {
    const markup = "<img src=x onerror=alert(1)>*<b>*";
    const { el, answer } = show("largest-float16", { _question: question("largest-float16", "en", { question: markup, hint: markup, lesson: markup }) });
    answer("3");
    expect(el.querySelectorAll("img, b, script")).toHaveLength(0);
    expect(el.textContent).toContain("<img src=x onerror=alert(1)>");
  });

  test("a removed view listens no more", () => {
    const { model, el, cleanup } = show("largest-float16");
    cleanup();
    expect(model.listening()).toBe(0);
    expect(el.children).toHaveLength(0);
  });
});

test("the question whether 65504 is meant is not the hint", () => {
  const steps = readRecord(question("largest-float16"), "=65.504\n=65.503\n=65,504")!;
  expect(steps.map(({ tellsHint }) => tellsHint)).toEqual([false, true, false]);
});

test("a state from an address", () => {
  const get = () => question("largest-float16");
  const good = { exercise: "largest-float16", _record: "=65505\n?" };
  expect(exercise.accept(good, get)).toEqual(good);
  for (const wrong of [{ exercise: "bits-of-one" }, { _record: "?" }, { _record: "=65504\n=1" }, { _record: "=1\n" }, { _record: "=x" }]) {
    expect(exercise.accept({ ...good, ...wrong }, get)).toBeNull();
  }
});
