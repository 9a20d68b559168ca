// The two catalogues say the same, key by key.

import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import en from "#mixwidgets/support/languages/en/page.json";
import zh from "#mixwidgets/support/languages/zh/page.json";
import { sources } from "./sources.ts";

const keys = Object.keys(en) as (keyof typeof en)[];
const HAN = /\p{Script=Han}/u;

/** Messages that are names, symbols or code, the same in every language; and those that only put others together. */
const SAME = new Set([
  "bits.integer_form", "bits.find_nan", "bits.ulp", "terms.ulp", "bits.step_down", "bits.step_up", "bits.copy_numpy", "bits.copy_torch", "bits.copy_c",
  "line.zoom_in_sign", "line.zoom_out_sign", "line.left_sign", "line.right_sign", "blocks.bits_how", "blocks.of_matrix", "blocks.other_rotated",
  "designer.nan", "designer.bits_text", "designer.eps", "designer.nan_code", "designer.negative_zero", "designer.detail",
  "designer.letter_zero", "designer.letter_subnormal", "designer.letter_normal", "designer.letter_infinity", "designer.letter_nan",
  "designer.class_nan", "designer.tiny", "lab.device_cuda", "lab.group_float32", "lab.group_float16", "lab.group_bfloat16", "lab.group_amp",
  "lab.percent", "lab.csv", "run.metric_iou", "lab.field_metrics_iou", "ruler.scale", "explorer.heat_cell",
  "play.optimizer_sgd", "play.optimizer_adam",
]);
const PUT_TOGETHER = new Set([
  "blocks.lost_of", "designer.cell", "designer.class_count", "lab.failure", "lab.field_of", "difference.cell", "difference.cell_raised", "explorer.edge_words", "exercise.line_times",
  "play.verdict", "common.lang", "common.list", "common.series", "common.named", "common.sentences",
  "verdict.reason", "verdict.end", "verdict.sentence",
]);

test("they have the same keys, in the same order", () => {
  expect(Object.keys(zh)).toEqual(keys);
});

describe.each(keys)("%s", (key) => {
  const [english, chinese] = [en[key], zh[key] ?? ""];

  test("has the same placeholders and as many marks, and is not empty", () => {
    const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
    expect(placeholders(chinese)).toEqual(placeholders(english));
    expect(chinese.split("*").length).toBe(english.split("*").length);
    expect(english.split("*").length % 2).toBe(1);
    expect(chinese.trim()).toBe(chinese);
    expect(chinese.replaceAll("*", "")).not.toMatch(/\p{Script=Han} \p{Script=Han}/u); // Chinese has no blanks between words
    expect(chinese).not.toBe("");
    expect(english + chinese).not.toMatch(/[\n\r]/);
  });

  test("is translated, or listed with a reason", () => {
    if (SAME.has(key)) expect(chinese).toBe(english);
    else if (PUT_TOGETHER.has(key)) expect(chinese).not.toMatch(/[a-z]{3,} [a-z]/);
    else expect(chinese).toMatch(HAN);
  });

  test("is punctuated as Chinese is", () => {
    expect(chinese).not.toMatch(/\p{Script=Han}[,;:!?()]|[,;:!?()]\p{Script=Han}|\p{Script=Han}\.(?!\w)/u);
    expect(chinese).not.toMatch(/[，。；：、] /u);
    expect((chinese.match(/（/g) ?? []).length).toBe((chinese.match(/）/g) ?? []).length);
  });

  test("keeps the figures", () => {
    const figures = (text: string): string[] => [...(text.match(/\d+(\.\d+)?/g) ?? [])];
    const added = figures(chinese);
    for (const figure of figures(english)) {
      expect(added).toContain(figure);
      added.splice(added.indexOf(figure), 1);
    }
    expect(added.filter((figure) => !["0", "1", "2"].includes(figure))).toEqual([]); // "all ones", "a power of two"
  });
});

test("no other language's sentence stands in the code", () => {
  for (const file of sources(".ts")) expect(readFileSync(file, "utf8"), file).not.toMatch(HAN);
});

test("lists and sentences are put together as the language does", async () => {
  const english = await import("#ui/messages.ts");
  expect(english.listed(["a", "", "b", "c"])).toBe("a, b, c");
  expect(english.inSeries(["a", "b"])).toBe("a; b");
  expect(english.sentences(["One.", "Two.", ""])).toBe("One. Two.");
  expect(english.listed([])).toBe("");
  expect(english.listed(["{more}", "{one}"])).toBe("{more}, {one}"); // what is listed stays text

  vi.resetModules();
  vi.doMock("#mixwidgets/support/languages/en/page.json", () => ({ default: zh }));
  const chinese = await import("#ui/messages.ts");
  expect(chinese.listed(["a", "", "b", "c"])).toBe("a，b，c");
  expect(chinese.sentences(["一。", "二。"])).toBe("一。二。");
  expect(chinese.t("lab.progress_steps", { step: 3, steps: 300 })).toBe("第 3 步，共 300 步");
  const { metricName } = await import("#ui/run_words.ts");
  expect(["loss", "accuracy", "my own", "toString"].map(metricName)).toEqual(["损失", "准确率", "my own", "toString"]);
  vi.doUnmock("#mixwidgets/support/languages/en/page.json");
});
