// The static figures: what they say is what the engine computes, in each language.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { getFormat } from "#core/formats/catalogue.ts";
import { look, weightStep } from "#training/look.ts";
import { brief, codeIn, digits as inDigits, weightText } from "#mixwidgets/teaching/widgets/training_step/names.ts";
import { placeOf, trainerOf, usual } from "#mixwidgets/teaching/widgets/training_step/state.ts";
import { digits } from "#training/serve.ts";

const drawn = (name: string) => readFileSync(`mixwidgets/static/${name}.svg`, "utf8");
const textsOf = (svg: string) => [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/g)].map(([, text]) => text!.replace(/<[^>]+>/g, ""));
const half = getFormat("float16")!;

test.each(["training_step.en", "training_step.zh", "training_step_standing.en", "training_step_standing.zh"])("%s has the numbers of the engine's step", (name) => {
  const trainer = trainerOf(usual, digits);
  const seen = look(trainer);
  const [own, twin] = [weightStep(seen, placeOf(usual)), weightStep(seen.twin, placeOf(usual))];
  const svg = drawn(name);
  const texts = textsOf(svg);
  const all = texts.join("\n");
  const figures = [...svg.matchAll(/<text [^>]*font-size="19"[^>]*>(.*?)<\/text>/g)].map(([, text]) => text);
  const single = getFormat("float32")!;
  const expected = [weightText(own.kept, single), weightText(own.read, half), inDigits(seen.loss, 5), inDigits(own.gradient, 5), brief(own.unscaled), weightText(own.next, single)];
  expect(figures.sort()).toEqual(expected.sort());
  expect(own.next).toBe(own.kept); // no bit changes
  expect(texts.filter((text) => text === weightText(own.kept, single))).toHaveLength(2);
  expect(texts.filter((text) => text === `float32 ${brief(twin.gradient)}`)).toHaveLength(2);
  expect(all).toContain(`float32 ${weightText(twin.next, single)}`);
  expect(all).toContain(brief(twin.next - twin.kept));
  expect(all).toMatch(new RegExp(`\\b${seen.step}\\b`));
  const bits = texts.filter((text) => /^[01]$/.test(text)).slice(0, 37).join("");
  const code = (value: number) => codeIn(half, value).toString(2).padStart(16, "0");
  expect(bits).toContain(code(own.read));
  expect(bits).toContain(code(own.gradient));
  const lost = seen.pass.errors[0]!.filter((_, i) => i % 4 === 2);
  expect([lost.length, lost.every((error) => error === 0)]).toEqual([32, true]); // what its squares say
});

test.each(["en", "zh"])("the five steps say the same standing, in %s", (language) => {
  const messages = JSON.parse(readFileSync(`mixwidgets/support/languages/${language}/page.json`, "utf8")) as Record<string, string>;
  const own = Object.keys(messages).filter((key) => key.startsWith("five.") && !/words|caption/.test(key));
  const [lying, standing] = [textsOf(drawn(`five_steps.${language}`)), textsOf(drawn(`five_steps_standing.${language}`))];
  const short = own.filter((key) => key.endsWith("_short"));
  for (const key of own) {
    if (!short.includes(key)) expect(lying).toContain(messages[key]);
    const isInBoth = !short.some((one) => one === `${key}_short`) && key !== "five.round";
    if (isInBoth) expect(standing).toContain(messages[key]);
  }
  for (const texts of [lying, standing]) expect(texts.filter((text) => /^[1-5]$/.test(text)).sort()).toEqual(["1", "2", "3", "4", "5"]);
});
