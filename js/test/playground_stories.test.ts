// @vitest-environment jsdom
// The playground's stories, which are played, and the sentence about a run.

import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { writeFrame } from "#core/frame.ts";
import playground from "#mixwidgets/teaching/widgets/playground/page.ts";
import { gradientAnswers, startSession } from "#mixwidgets/teaching/widgets/playground/session.ts";
import { acts, choiceOf, settingsOf, stories, usual } from "#mixwidgets/teaching/widgets/playground/state.ts";
import { actOf, NAMES, settingsOfAct } from "#mixwidgets/teaching/widgets/playground/story.ts";
import { type Seen, verdict } from "#mixwidgets/teaching/widgets/playground/verdict.ts";
import { shortName } from "#mixwidgets/teaching/widgets/setting_words.ts";
import { fakeModel } from "./fake_model.ts";

const rows = new Uint8Array(inflateSync(readFileSync("mixwidgets/runs/task/digit_rows.bin")));

function show(changes: Record<string, unknown> = {}) {
  const model = fakeModel({ ...usual, ...changes, _digits: new DataView(rows.buffer, rows.byteOffset, rows.byteLength), _history: writeFrame({}) });
  const el = document.createElement("div");
  document.body.append(el);
  playground.render({ model, el } as never);
  const root = el.querySelector<HTMLElement>(".mw-play")!;
  const named = (one: Element) => (one.getAttribute("aria-label") ?? one.textContent);
  const shown = () => [...el.querySelectorAll<HTMLElement>(".mw-play-aside > :not([hidden])")].map(named);
  const press = (text: string) => [...el.querySelectorAll<HTMLElement>("button")].find((one) => !one.hidden && named(one) === text)!.click();
  const headline = () => el.querySelector(".mw-play-verdict")!.textContent!;
  const more = () => el.querySelector(".mw-play-more")!.textContent!;
  const step = (count: number) => {
    for (let i = 0; i < count; i++) press("One step");
  };
  const choice = () => choiceOf((name) => model.get(name));
  const isPlaying = () => el.querySelector("[aria-label=Pause]") !== null;
  return { model, el, root, shown, press, headline, more, step, choice, isPlaying };
}

beforeEach(() => {
  document.body.replaceChildren();
  vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
  vi.stubGlobal("requestAnimationFrame", () => 1); // it plays, and no frame comes
  vi.stubGlobal("cancelAnimationFrame", () => {});
  HTMLCanvasElement.prototype.getContext = (() => null) as never;
});

const settings = (story: string) => ({ ...usual, ...stories[story], story });

describe("a story", () => {
  test("asks, plays when a guess is pressed, tells beside the guess, and has a second act", () => {
    const { root, shown, press, headline, more, step, choice, isPlaying } = show(settings("loss_scale"));
    const question = headline();
    expect(question).toMatch(/\?$/);
    expect([shown(), isPlaying(), root.hasAttribute("data-asking")]).toEqual([["It learns as float32 does", "It stands still"], false, true]);
    press("It learns as float32 does");
    expect([shown(), isPlaying(), headline(), root.hasAttribute("data-asking")]).toEqual([["You guessed: It learns as float32 does."], true, question, false]);
    step(399);
    expect(headline()).toBe(question); // no sentence changes while it plays
    step(1);
    expect(headline()).toMatch(/^float16 learns nothing: all 42 gradients are lost, \d+ of them too small for float16\.$/);
    expect(more()).toMatch(/^You guessed: It learns as float32 does\. The other \d+ vanish on the way back\./);
    expect(shown()).toEqual(["Now with a dynamic loss scale ▸"]);
    press("Now with a dynamic loss scale ▸");
    expect([choice(), isPlaying(), headline()]).toEqual([settingsOfAct({ story: "loss_scale", isSecond: true }), true, "Now with a dynamic loss scale"]);
    step(400);
    expect(headline()).toBe("float16 learns as float32 does: 100 % both, and no gradient is lost.");
    expect(more()).toBe("S went from 2¹⁶ to 2²⁴, steps skipped: 0.");
    expect(shown()).toEqual(["Next: bfloat16 without master weights ▸", "Play freely from here"]);
    press("Play freely from here");
    expect([choice().story, choice().loss_scale, shown()]).toEqual(["", "dynamic", []]);
    expect(headline()).toContain("float16 learns as float32 does"); // and goes on from there
  });

  test("can be played without a guess", () => {
    const { press, shown, more, step } = show(settings("loss_scale"));
    press("Play without a guess");
    expect(shown()).toEqual([]);
    step(400);
    expect(more()).not.toContain("guessed");
  });

  test("is over where a setting departs from it, and asks again after a restart", () => {
    const { model, headline, press, shown, step } = show(settings("loss_scale"));
    press("It stands still");
    step(400);
    model.receive({ loss_scale: "static" });
    expect([headline(), shown()]).toEqual(["The settings have changed: the next step shows their cost.", []]);
    press("Restart");
    step(400);
    expect(headline()).toBe("float16 learns as float32 does: 100 % both, and no gradient is lost."); // not "float16 learns nothing"
    model.receive({ loss_scale: "none" });
    press("Restart");
    expect(shown()).toEqual(["It learns as float32 does", "It stands still"]);
  });

  test("follows from the settings, whatever the seed", () => {
    for (const story of NAMES) {
      for (const isSecond of [false, true]) {
        const act = { story, isSecond };
        expect(actOf({ ...settingsOfAct(act), seed: 3 })).toEqual(act);
        expect(actOf({ ...settingsOfAct(act), batch_size: 8 })).toBeNull();
      }
      expect(Object.keys(acts[story]!).length).toBeGreaterThan(0);
    }
    expect(actOf(usual)).toBeNull();
  });

  test("on the stage the keys of a presenter go through all stories, and back", () => {
    const { root, choice, headline, isPlaying, press, step } = show();
    root.querySelector<HTMLElement>(".mw-stage-button")!.click();
    const key = (name: string) => root.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    const asked: string[] = [];
    for (const story of NAMES) {
      key("PageDown");
      expect([choice().story, isPlaying()]).toEqual([story, false]);
      asked.push(headline());
      key("PageDown");
      expect(isPlaying()).toBe(true);
      press("Pause");
      if (story !== "loss_scale") {
        step(1);
        key("PageUp");
        expect(headline()).toBe(asked.at(-1)); // the same story again
        break;
      }
      step(400);
      key("PageDown");
      expect(actOf(choice())).toEqual({ story, isSecond: true });
      step(400);
    }
    expect(asked.length).toBe(2);
    key("PageUp");
    expect(choice().story).toBe("loss_scale");
  });

  test("the questions are all different, and so are their guesses from each other", () => {
    const seen = NAMES.map((story) => {
      const { headline, shown } = show(settings(story));
      expect(new Set(shown()).size).toBe(2);
      return [headline(), ...shown()].join();
    });
    expect(new Set(seen).size).toBe(NAMES.length);
    expect(seen.filter((words) => words.includes("learn?")).length).toBe(1);
  });
});

/** The verdict on the end of an act. */
function told(story: string, isSecond: boolean, seed: number) {
  const session = startSession(settingsOf({ ...settingsOfAct({ story, isSecond }), seed }), rows);
  const answers = gradientAnswers(session);
  for (let i = 0; i < { ...usual, ...stories[story] }.steps; i++) session.step();
  session.show();
  return verdict({
    chosen: session.chosen, report: session.report.value!, answers: answers.value, diverged: session.diverged(),
    results: { reference: session.ofReference.result.value, chosen: session.ofChosen.result.value },
    distinct: new Set(session.ofChosen.plane.value!.decisions).size,
  });
}

test.each([
  ["loss_scale", false, "bad", /^float16 learns nothing: all 42 gradients/], ["loss_scale", true, "good", /^float16 learns as float32 does/],
  ["master_weights", false, "bad", /^bfloat16 learns little: \d+ of 42 weights stand still/], ["master_weights", true, "good", /^bfloat16 learns as float32 does/],
  ["stochastic_rounding", false, "good", /^bfloat16 learns as float32 does: 100 % both/], ["stochastic_rounding", true, "bad", /^bfloat16 learns little/],
  ["fp8_gradients", false, "bad", /^E4M3 learns nothing: (all 42|\d+ of 42) gradients/], ["fp8_gradients", true, "good", /^E5M2 learns as float32 does/],
  ["adam_epsilon", false, "bad", /^float16 diverges: its loss is not a number from step 2 on\.$/], ["adam_epsilon", true, "good", /^float16 learns as float32 does/],
  ["fp4", false, "plain", /^E2M1 gives \d+ different answers in this plane: 9\d\.\d % right, float32 100 %\.$/], ["fp4", true, "bad", /^E2M1 learns nothing/],
] as const)("what a run of %s is told to be, second act: %s", (story, isSecond, tone, words) => {
  const found = told(story, isSecond, 0);
  expect(found.headline.map(({ text }) => text).join("").replace(/[\u2066-\u2069]/g, "")).toMatch(words);
  expect(found.tone).toBe(tone);
}, 60_000);

describe("the sentence about a step, the first that applies", () => {
  const fine = { step: 7, loss: 0.5, lossScale: 1024, foundInf: false, skipped: false, unchanged: 0, zeroGradients: 0 };
  const good = { loss: 0.01, accuracy: 1 };
  const bad = { loss: 0.68, accuracy: 0.5 };
  const say = (choice: object, report: object, small: number, early: number, others: Partial<Seen> = {}) => {
    const { chosen } = startSession(settingsOf({ ...usual, ...choice })!, rows);
    const answers = { reached: { counts: () => ({ finite: [small, 0, 0, 0] }), finite: 42 - early }, early: { finite: early } };
    const { headline, tone, more } = verdict({
      chosen, report: { ...fine, ...report }, answers: answers as never, results: { reference: good, chosen: good }, distinct: 1600, diverged: 0, ...others,
    });
    return [headline.map(({ text }) => text).join(""), tone, more].map((words) => words.replace(/[\u2066-\u2069]/g, ""));
  };
  const failed = { results: { reference: good, chosen: bad } };
  const early = { results: { reference: bad, chosen: bad } };

  test.each<[string, object, object, number, number, Partial<Seen>, string, string]>([
    ["the loss is lost", {}, { loss: NaN, foundInf: true }, 0, 0, { diverged: 5 }, "float16 diverges: its loss is not a number from step 5 on.", "bad"],
    ["a static scale skipped it", { loss_scale: "static" }, { skipped: true, foundInf: true }, 0, 0, {}, "Step 7 is skipped: a gradient overflows in float16 at S = 2¹⁰.", "plain"],
    ["a gradient is lost", {}, { foundInf: true }, 0, 0, {}, "float16 overflows: a gradient is infinite, and nothing checks for it.", "bad"],
    ["all are lost", {}, {}, 29, 13, failed, "float16 learns nothing: all 42 gradients are lost, 29 of them too small for float16.", "bad"],
    ["all are too small", {}, {}, 42, 0, failed, "float16 learns nothing: all 42 gradients are too small for float16.", "bad"],
    ["all are lost while float32 has not learned yet", {}, {}, 42, 0, early, "Step 7: all 42 gradients are too small for float16.", "plain"],
    ["weights stand still", {}, { unchanged: 38 }, 2, 1, failed, "float16 learns nothing: 38 of 42 weights stand still, their updates rounded away.", "bad"],
    ["weights stand still, but it learns", {}, { unchanged: 38 }, 0, 0, {}, "float16 learns as float32 does: 100 % both, and no gradient is lost.", "good"],
    ["weights stay by chance", { master_weights: false, weight_rounding: "stochastic" }, { unchanged: 38 }, 0, 0, {}, "float16 learns as float32 does: 100 % both, and no gradient is lost.", "good"],
    ["answers are few", { weight_format: "float4_e2m1fn" }, {}, 0, 3, { distinct: 17 }, "E2M1 gives 17 different answers in this plane: 100 % right, float32 100 %.", "plain"],
    ["some are lost", {}, {}, 1, 2, {}, "float16 learns as float32 does: 3 of 42 gradients are lost in this step.", "good"],
    ["half as far", {}, {}, 0, 0, { results: { reference: good, chosen: { loss: 0.2, accuracy: 0.9 } } }, "float16 falls behind float32: 90 % right, float32 100 %, no gradient is lost.", "plain"],
  ])("%s", (_, choice, report, small, lost, others, words, tone) => {
    expect(say(choice, report, small, lost, others).slice(0, 2)).toEqual([words, tone]);
  });

  test("a finer line says how", () => {
    expect(say({}, {}, 1, 2)[2]).toBe("1 are too small for float16, 2 vanish on the way back.");
    expect(say({}, {}, 0, 2)[2]).toBe("2 of 42 gradients vanish on the way back.");
    expect(say({ optimizer_format: "float16" }, {}, 0, 0, { diverged: 2 })[2]).toBe("In float16, Adam’s eps of 10⁻⁸ is 0: where its state is 0 too, it divides by zero.");
    expect(say({ optimizer_format: "float32" }, {}, 0, 0, { diverged: 2 })[2]).toBe("");
    expect(say({ master_weights: false, weight_rounding: "stochastic" }, { unchanged: 38 }, 0, 0)[2]).toBe("38 of 42 weights stayed in this step, the others moved a whole gap.");
  });
});

test.each([["float4_e2m1fn", "E2M1"], ["float8_e4m3fn", "E4M3"], ["float8_e5m2", "E5M2"], ["float8_e4m3fnuz", "E4M3FNUZ"], ["float8_e4m3b11fnuz", "E4M3B11FNUZ"], ["custom_e5m10", "E5M10"], ["bfloat16", "bfloat16"]])(
  "%s is %s in a sentence", (name, short) => expect(shortName(name)).toBe(short));
