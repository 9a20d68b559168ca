// A step that is looked at, and the sentence about it: each fate on a real step, in each language.

import { expect, test, vi } from "vitest";
import { counted, type Fate, FATES, fateOf, fatesOf, rangeAsFloat32 } from "#training/fate.ts";
import { look, weightStep } from "#training/look.ts";
import { strip } from "#training/strip.ts";
import { settingsOf as settingsIn } from "#training/request.ts";
import { digest, digests, digits } from "#training/serve.ts";
import { inFloat32, SettingsError } from "#training/settings.ts";
import { accept, type Choice, placeOf, settingsOf, trainerOf, TRAITS, usual, weightOf } from "#mixwidgets/teaching/widgets/training_step/state.ts";
import * as playground from "#mixwidgets/teaching/widgets/playground/state.ts";
import { Trainer } from "#training/trainer.ts";
import type { Row } from "./playground_vectors.ts";
import { committed } from "./vectors.ts";
import type { Told } from "#mixwidgets/teaching/widgets/training_step/words.ts";

async function wordsIn(language: string) {
  vi.resetModules();
  vi.doMock("#mixwidgets/support/languages/en/page.json", () => import(`../../mixwidgets/support/languages/${language}/page.json`));
  return import("#mixwidgets/teaching/widgets/training_step/words.ts");
}
const [en, zh] = [await wordsIn("en"), await wordsIn("zh")];
const text = ({ headline, more }: Told) => [headline.map((piece) => piece.text).join(""), more];
const all = (name: string) => ({ weight_format: name, activation_format: name, gradient_format: name });
const narrow = { master_weights: false, float32_steps: 300, log2_loss_scale: 16 };
const adam = { optimizer: "adam", learning_rate: 0.01 };
const trainer = (part: Partial<Choice>) => trainerOf({ ...usual, ...part }, digits);

const CASES: readonly [Fate, Partial<Choice>, readonly string[], readonly string[]][] = [
  ["flushed", {}, ["This weight does not move: its gradient, 1.63e−8, became 0.", "It lies below half of float16’s least value, 2.98e−8, and so do all 32 errors that it is summed from. float32 moves the weight by −0.00107. From S = 2⁵ to 2³⁸ it moves as in float32."], ["这个权重不动：它的梯度 1.63e−8 变成了 0。", "它小于 float16 最小值的一半 2.98e−8，求和所用的 32 个误差也全都更小。float32 会让权重变化 −0.00107。S 从 2⁵ 到 2³⁸ 时，它的变化与 float32 中一样。"]],
  ["flushed", { ...all("float8_e4m3fn"), log2_loss_scale: 16, weight: [1, 2, 2] }, ["This weight does not move: its gradient × S, 5.93e−4, became 0.", "It lies below half of E4M3’s least value, 9.77e−4, as do 7 of the 32 errors that it is summed from. float32 moves the weight by −5.93e−4."], ["这个权重不动：它的梯度 × S，即 5.93e−4，变成了 0。", "它小于 E4M3 最小值的一半 9.77e−4，求和所用的 32 个误差里有 7 个也是。float32 会让权重变化 −5.93e−4。"]],
  ["flushed_on_the_way", { weight: [1, 0, 3] }, ["This weight does not move: its gradient was lost on the way back.", "float16 can hold its gradient × S, 3.13e−8, but all 32 errors that it is summed from became 0 before the sum. float32 moves the weight by −0.00205. From S = 2⁶ to 2³⁸ it moves as in float32."], ["这个权重不动：它的梯度在反向传播途中丢失。", "float16 存得下它的梯度 × S，即 3.13e−8，但求和所用的 32 个误差在求和前全都变成了 0。float32 会让权重变化 −0.00205。S 从 2⁶ 到 2³⁸ 时，它的变化与 float32 中一样。"]],
  ["flushed_on_the_way", { log2_loss_scale: 3, weight: [1, 0, 3] }, ["This weight does not move: its gradient was lost on the way back.", "float16 can hold its gradient × S, 2.5e−7, but 12 of the 32 errors that it is summed from became 0 before the sum. float32 moves the weight by −0.00205. From S = 2⁶ to 2³⁸ it moves as in float32."], ["这个权重不动：它的梯度在反向传播途中丢失。", "float16 存得下它的梯度 × S，即 2.5e−7，但求和所用的 32 个误差里有 12 个在求和前就变成了 0。float32 会让权重变化 −0.00205。S 从 2⁶ 到 2³⁸ 时，它的变化与 float32 中一样。"]],
  ["flushed_on_the_way", { log2_loss_scale: 2, weight: [2, 2, 1] }, ["This weight does not move: its gradient was lost on the way back.", "float16 can hold its gradient × S, −3.03e−8, but the 32 errors that it is summed from were rounded before, and it became 0. float32 moves the weight by 4.97e−4. From S = 2⁸ to 2³⁸ it moves as in float32."], ["这个权重不动：它的梯度在反向传播途中丢失。", "float16 存得下它的梯度 × S，即 −3.03e−8，但求和所用的 32 个误差先被舍入，它变成了 0。float32 会让权重变化 4.97e−4。S 从 2⁸ 到 2³⁸ 时，它的变化与 float32 中一样。"]],
  ["update_lost", narrow, ["This weight does not move: its update, 4.16e−4, is rounded away.", "Its gradient is within 0.3 % of float32’s. Near −1.2666, float16 values lie 9.77e−4 apart, and the update is at most half of that. Kept in float32 it would become −1.266187. A larger S does not change this."], ["这个权重不动：它的更新量 4.16e−4 被舍去。", "它的梯度与 float32 的相差 0.3 %。在 −1.2666 附近，float16 的值相隔 9.77e−4，更新量至多是它的一半。若以 float32 保存，它会变成 −1.266187。更大的 S 改变不了这一点。"]],
  ["update_lost", { ...adam, optimizer_format: "float8_e5m2", log2_loss_scale: 16, eps: 0.001 }, ["This weight does not move: its update is 0, although its gradient is not.", "In E5M2, the optimiser’s state after its gradient of −4.64e−8 is −0. float32 moves the weight by 5.96e−8."], ["这个权重不动：它的梯度不是 0，更新量却是 0。", "梯度为 −4.64e−8，此后优化器状态在 E5M2 中是 −0。float32 会让权重变化 5.96e−8。"]],
  ["coasts", { optimizer: "momentum", learning_rate: 4096, weight: [1, 1, 2] }, ["This weight moves without its gradient: that became 0, and the optimiser’s state moves it by −4.63e−4.", "The momentum of earlier gradients is 1.26e−7. float32 moves the weight by −5.09e−4. From S = 2⁴ to 2³⁷ it moves as in float32."], ["这个权重不靠梯度而动：梯度变成了 0，优化器状态让它变化 −4.63e−4。", "此前梯度的动量是 1.26e−7。float32 会让权重变化 −5.09e−4。S 从 2⁴ 到 2³⁷ 时，它的变化与 float32 中一样。"]],
  ["coasts", adam, ["This weight moves without its gradient: that became 0, and the optimiser’s state moves it by 0.00622.", "Adam’s first moment of earlier gradients is −8.81e−8. float32 moves the weight by 0.00714. From S = 2¹ to 2³⁸ it moves as in float32."], ["这个权重不靠梯度而动：梯度变成了 0，优化器状态让它变化 0.00622。", "Adam 对此前梯度的一阶矩是 −8.81e−8。float32 会让权重变化 0.00714。S 从 2¹ 到 2³⁸ 时，它的变化与 float32 中一样。"]],
  ["drawn", { ...narrow, weight_rounding: "stochastic" }, ["A draw rounds this weight: it moves by 9.77e−4.", "The update leads to −1.266186, between −1.2666 and −1.26563; it becomes −1.26563 with a probability of 43 %. On average it moves by 4.16e−4; float32 moves it by 4.15e−4."], ["这个权重随机舍入：它变化 9.77e−4。", "更新到 −1.266186，在 −1.2666 与 −1.26563 之间；它变成 −1.26563 的概率是 43 %。平均来说它变化 4.16e−4；float32 会让它变化 4.15e−4。"]],
  ["drawn", { ...narrow, weight_rounding: "stochastic", weight: [1, 1, 1] }, ["A draw rounds this weight: it moves by −0.00195.", "The update leads to 0.9465504, between 0.946289 and 0.946777; it becomes 0.946777 with a probability of 54 %. On average it moves by −0.00169; float32 moves it by −0.0017."], ["这个权重随机舍入：它变化 −0.00195。", "更新到 0.9465504，在 0.946289 与 0.946777 之间；它变成 0.946777 的概率是 54 %。平均来说它变化 −0.00169；float32 会让它变化 −0.0017。"]],
  ["wrong_way", { weight: [1, 1, 1] }, ["This weight moves the wrong way: by −0.00781; float32 moves it by 0.00122.", "Times S, all 32 errors that its gradient is summed from lie below float16’s normal numbers: each was rounded to a multiple of 5.96e−8 before the sum. From S = 2⁷ to 2³⁸ it moves as in float32."], ["这个权重走反了：它变化 −0.00781；float32 会让它变化 0.00122。", "乘以 S 后，求和所用的 32 个误差全都小于 float16 的正规数：它们在求和前各自舍入到 5.96e−8 的倍数。S 从 2⁷ 到 2³⁸ 时，它的变化与 float32 中一样。"]],
  ["wrong_way", { ...all("float8_e5m2"), log2_loss_scale: 16 }, ["This weight moves the wrong way: by 6.1e−5; float32 moves it by −0.00107.", "Its gradient is −9.31e−10, float32’s 1.63e−8."], ["这个权重走反了：它变化 6.1e−5；float32 会让它变化 −0.00107。", "它的梯度是 −9.31e−10，float32 的是 1.63e−8。"]],
  ["off", { log2_loss_scale: 2 }, ["This weight moves by −0.00293, 2.7 times as far as in float32.", "Times S, all 32 errors that its gradient is summed from lie below float16’s normal numbers: each was rounded to a multiple of 5.96e−8 before the sum. From S = 2⁵ to 2³⁸ it moves as in float32."], ["这个权重变化 −0.00293，是 float32 中的 2.7 倍。", "乘以 S 后，求和所用的 32 个误差全都小于 float16 的正规数：它们在求和前各自舍入到 5.96e−8 的倍数。S 从 2⁵ 到 2³⁸ 时，它的变化与 float32 中一样。"]],
  ["off", { ...narrow, weight: [1, 1, 1] }, ["This weight moves by −0.00146, 0.86 times as far as in float32.", "Its gradient is within 0.2 % of float32’s, but near 0.948242 float16 values lie 4.88e−4 apart."], ["这个权重变化 −0.00146，是 float32 中的 0.86 倍。", "它的梯度与 float32 的相差 0.2 %，但在 0.948242 附近，float16 的值相隔 4.88e−4。"]],
  ["as_float32", { log2_loss_scale: 16 }, ["This weight moves by −0.00107, within 0.15 % of float32.", "S raises its gradient from 1.63e−8 to 0.00107, where float16 keeps all its 11 bits. Divided by S, it has its own size again."], ["这个权重变化 −0.00107，与 float32 相差 0.15 %。", "S 把它的梯度从 1.63e−8 放大到 0.00107，float16 在那里保留全部 11 位有效数字。除以 S 后，它恢复原来的大小。"]],
  ["as_float32", { log2_loss_scale: 3 }, ["This weight moves by −9.77e−4, within 8.6 % of float32.", "By chance: at S = 2⁴ it does not."], ["这个权重变化 −9.77e−4，与 float32 相差 8.6 %。", "这是碰巧：S = 2⁴ 时就不是这样。"]],
  ["as_float32", all("bfloat16"), ["This weight moves by −0.00107, within 0.025 % of float32.", "1.63e−8 is a normal number in bfloat16: it needs no loss scale."], ["这个权重变化 −0.00107，与 float32 相差 0.025 %。", "1.63e−8 在 bfloat16 中是正规数：它不需要损失缩放。"]],
  ["as_float32", all("float32"), ["This weight moves by −0.00107, exactly as in float32.", "1.63e−8 is a normal number in float32: it needs no loss scale."], ["这个权重变化 −0.00107，与 float32 中完全一样。", "1.63e−8 在 float32 中是正规数：它不需要损失缩放。"]],
  ["as_float32", { learning_rate: 0, log2_loss_scale: 16 }, ["This weight does not move, nor does it in float32: its update is 0 in both.", ""], ["这个权重不动，在 float32 中也不动：它的更新量在两者中都是 0。", ""]],
  ["as_float32", { learning_rate: 0.001, log2_loss_scale: 16 }, ["This weight does not move, nor does it in float32: its update is rounded away in both.", ""], ["这个权重不动，在 float32 中也不动：它的更新量在两者中都被舍去。", ""]],
  ["flushed_on_the_way", { activation: "relu", layers: [8], weight: [1, 1, 4] }, ["This weight does not move: its gradient was lost on the way back.", "float16 can hold its gradient × S, 5.07e−8, but 22 of the 32 errors that it is summed from became 0 before the sum. float32 moves the weight by −0.00332. From S = 2⁵ to 2³⁸ it moves as in float32."], ["这个权重不动：它的梯度在反向传播途中丢失。", "float16 存得下它的梯度 × S，即 5.07e−8，但求和所用的 32 个误差里有 22 个在求和前就变成了 0。float32 会让权重变化 −0.00332。S 从 2⁵ 到 2³⁸ 时，它的变化与 float32 中一样。"]],
  ["as_float32", { loss_weight: 0 }, ["This weight does not move, nor does it in float32: its gradient is 0 in both.", ""], ["这个权重不动，在 float32 中也不动：它的梯度在两者中都是 0。", ""]],
  ["skipped", { log2_loss_scale: 39 }, ["This step is skipped: 7 of 22 gradients are inf or NaN.", "No weight moves: S = 2³⁹ is too large, for float16 ends at 65504. This weight’s own gradient × S, 8980, would have fitted."], ["本步被跳过：22 个梯度里有 7 个是 inf 或 NaN。", "没有权重变化：S = 2³⁹ 太大，float16 最大到 65504。这个权重自己的梯度 × S 是 8980，本来存得下。"]],
  ["skipped", { log2_loss_scale: 39, loss_scale: "dynamic", weight: [2, 1, 1] }, ["This step is skipped: 7 of 22 gradients are inf or NaN.", "No weight moves: S = 2³⁹ is too large, for float16 ends at 65504. This weight’s gradient is one of them. The next step uses S = 2³⁸."], ["本步被跳过：22 个梯度里有 7 个是 inf 或 NaN。", "没有权重变化：S = 2³⁹ 太大，float16 最大到 65504。这个权重的梯度是其中之一。下一步用 S = 2³⁸。"]],
  ["skipped", { learning_rate: 1e38, log2_loss_scale: 16, steps: 1 }, ["This step is skipped: 22 of 22 gradients are inf or NaN.", "No weight moves: the forward pass has inf or NaN already, whatever S is. This weight’s gradient is one of them."], ["本步被跳过：22 个梯度里有 22 个是 inf 或 NaN。", "没有权重变化：无论 S 是多少，前向传播中就已经有 inf 或 NaN。这个权重的梯度是其中之一。"]],
  ["not_finite", { loss_scale: "none", loss_weight: 1e9, learning_rate: 1e-9 }, ["This weight becomes NaN: its gradient is NaN.", "Without a loss scale nothing checks for that. float32 moves the weight by −0.0297."], ["这个权重变成 NaN：它的梯度是 NaN。", "没有损失缩放，就没有检查。float32 会让权重变化 −0.0297。"]],
  ["not_finite", { ...adam, optimizer_format: "float16", log2_loss_scale: 10 }, ["This weight becomes ∞, although its gradient is finite.", "In float16, √v + eps is 0 in Adam’s update: it divides by 0. float32 moves the weight by 0.0222."], ["这个权重变成 ∞，尽管它的梯度是有限的。", "在 float16 中，Adam 更新里的 √v + eps 是 0：它除以了 0。float32 会让权重变化 0.0222。"]],
  ["inf_in_both", { loss_scale: "none", loss_weight: 1e30, steps: 2 }, ["This step is not finite in float32 either.", "The weight becomes NaN. 22 of 22 gradients are inf or NaN."], ["本步在 float32 中也不是有限的。", "权重变成 NaN。22 个梯度里有 22 个是 inf 或 NaN。"]],
  ["inf_in_both", { loss_weight: 1e30, learning_rate: 1e30, float32_steps: 4 }, ["This step is not finite in float32 either.", "No weight moves. 22 of 22 gradients are inf or NaN."], ["本步在 float32 中也不是有限的。", "没有权重变化。22 个梯度里有 22 个是 inf 或 NaN。"]],
];

test("each fate has a case", () => {
  expect(new Set(CASES.map(([fate]) => fate))).toEqual(new Set(FATES));
});

test.each(CASES)("%s: %o", (fate, part, english, chinese) => {
  const choice = { ...usual, ...part };
  const [ahead, place] = [trainerOf(choice, digits), placeOf(choice)];
  const [seen, row] = [look(ahead), strip(ahead)];
  expect(fateOf(seen, place)).toBe(fate);
  expect(text(en.sentence(seen, row, place))).toEqual(english);
  expect(text(zh.sentence(seen, row, place))).toEqual(chinese);
});

test("all weights are counted, and the scale from which all move is told", () => {
  const told = (part: Partial<Choice>) => {
    const ahead = trainer(part);
    const [seen, row] = [look(ahead), strip(ahead)];
    return [...text(en.sentenceOfAll(seen, row)), ...text(zh.sentenceOfAll(seen, row))];
  };
  expect(told({})).toEqual([
    "Moving as in float32: 1 of 22 weights.",
    "The others: 3 with a gradient that became 0, 3 the wrong way, 15 off by more than a tenth. From S = 2⁸ to 2³⁸ all 22 do.",
    "变化与 float32 中一样的：22 个权重里有 1 个。",
    "其余：3 个的梯度变成了 0，3 个走反了，15 个相差超过十分之一。S 从 2⁸ 到 2³⁸ 时，全部 22 个都一样。",
  ]);
  expect(told({ log2_loss_scale: 8 })).toEqual(["All 22 weights move as in float32.", "", "全部 22 个权重的变化都与 float32 中一样。", ""]);
  expect(told({ log2_loss_scale: 40, loss_scale: "dynamic" }).slice(0, 2)).toEqual([
    "This step is skipped: 22 of 22 gradients are inf or NaN.", "No weight moves: S = 2⁴⁰ is too large, for float16 ends at 65504. The next step uses S = 2³⁹.",
  ]);
});

test.each([
  ["as_float32 off as_float32 as_float32 skipped", { from: 2, to: 3 }], ["off as_float32", { from: 1, to: 1 }], ["as_float32 off skipped", null],
  ["skipped", null], ["as_float32 skipped inf_in_both", { from: 0, to: 0 }],
])("the scales at which a weight moves as in float32: %s", (fates, expected) => {
  expect(rangeAsFloat32(fates.split(" ") as Fate[])).toEqual(expected);
});

const EVERY: Partial<Choice>[] = [
  {}, { log2_loss_scale: 39, loss_scale: "dynamic" }, { ...narrow, weight_rounding: "stochastic" }, { ...narrow, weight_rounding: "stochastic", loss_scale: "none", steps: 3 },
  { ...adam, optimizer_format: "bfloat16", log2_loss_scale: 10, steps: 2 }, { optimizer: "momentum", ...all("float8_e5m2"), accumulation: "format", loss_scale: "dynamic", growth_interval: 1 },
];

test.each(EVERY)("a look is at the step that follows, and takes nothing from it: %o", (part) => {
  const [ahead, untouched] = [trainer(part), trainer(part)];
  const seen = look(ahead);
  strip(ahead);
  const [report, other] = [ahead.step(), untouched.step()];
  expect(digest(ahead)).toBe(digest(untouched));
  expect(report).toEqual(other);
  expect(seen).toMatchObject({ step: report.step, loss: report.loss, lossScale: report.lossScale, foundInf: report.foundInf, skipped: report.skipped, nextScale: ahead.lossScale, batch: ahead.batch });
  expect(seen.next).toEqual(ahead.tensors.map(({ kept }) => kept));
  expect(seen.gradient).toEqual(ahead.tensors.map(({ gradient }) => gradient));
});

const rows = committed<Record<string, Row>>("playground.json");

test.each(Object.entries(committed<Record<string, object>>("looks.json")))("the 21st step's numbers are NumPy's: %s", (name, numbers) => {
  const ahead = new Trainer(settingsIn(rows[name]!.settings), digits);
  for (let i = 0; i < 20; i++) ahead.step();
  const seen = digests(look(ahead));
  const plain = JSON.stringify(seen, (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value));
  expect(JSON.parse(plain)).toEqual(numbers);
});

test("the strip has the fate that a look has at each scale", () => {
  const ahead = trainer({ ...narrow, weight_rounding: "stochastic" });
  const row = strip(ahead);
  for (const log2 of [0, 5, 16, 40]) {
    const fates = fatesOf(look(ahead, ahead.settings, 2 ** log2));
    expect(row.counts[log2]).toEqual(counted(fates.flat()));
    fates.forEach((some, tensor) => some.forEach((fate, index) => expect(row.of({ tensor, index })[log2]).toBe(fate)));
  }
});

test("the twin is float32's own step, and a look with other settings is that after the change", () => {
  const wide = trainerOf({ ...usual, ...adam, ...all("float32"), loss_scale: "none", steps: 4 }, digits);
  const { twin, settings: _settings, step: _step, tensors: _tensors, batch: _batch, notFinite: _count, nextScale: _next, ...own } = look(wide);
  expect(own).toEqual(twin);
  const settings = settingsOf({ ...usual, ...adam, ...narrow, optimizer_format: "float16" });
  const asked = look(wide, settings);
  wide.change(settings);
  const { tensors: _their, ...changed } = look(wide);
  expect(changed).toEqual({ ...asked, tensors: undefined });
  expect(() => look(wide, { ...settings, layers: [5] })).toThrow(RangeError);
  expect(() => look(wide, inFloat32({ ...settings, batchSize: 0 }))).toThrow(SettingsError);
});

test.each(["", ...Object.keys(playground.stories)])("without steps in float32 it is the step that a playground of the same settings takes next: %s", (story) => {
  const { story: _story, ...played } = { ...playground.usual, ...playground.stories[story] };
  const [run, seen] = [new Trainer(playground.settingsOf({ ...played, story }), digits), trainer({ ...played, float32_steps: 0, steps: 9, weight: [1, 1, 1] })];
  for (let i = 0; i < 9; i++) run.step();
  expect(digest(seen)).toBe(digest(run));
  expect(look(seen)).toEqual(look(run));
});

test("a step without masters takes the same numbers from a weight as from its arrays", () => {
  const seen = look(trainer(narrow));
  const place = placeOf(usual);
  expect(weightOf(seen, place)).toEqual(usual.weight);
  expect(weightStep(seen, place)).toMatchObject({ kept: seen.kept[0]![2], next: seen.kept[0]![2], update: seen.update[0]![2] });
  expect(seen.read[0]![2]).toBe(seen.kept[0]![2]); // a copy of the same bits
  expect(seen.twin.next[0]![2]).not.toBe(seen.kept[0]![2]);
});

test("a state is taken as a whole or not at all", () => {
  const state = (part: object) => ({ ...Object.fromEntries(TRAITS.map((name) => [name, usual[name]])), layers: "4", weight: "1-1-3", earlier_scales: "", ...part }) as Parameters<typeof accept>[0];
  expect(accept(state({}))).toEqual(usual);
  for (const part of [{ weight: "1-3-1" }, { weight: "4-1-1" }, { weight: "1-1-5" }, { weight: "0-1-1" }, { weight: "1-1-0" }, { weight: "1-1" }, { weight: "" }, { layers: "2" }]) {
    expect(accept(state(part))).toContain("weight takes three numbers");
  }
  for (const [scales, read] of [["", []], ["16-300-3-1", [16, 300, 3, 1]], ["-24-1--1-2", [-24, 1, -1, 2]]]) {
    expect(accept(state({ earlier_scales: scales }))).toEqual({ ...usual, earlier_scales: read });
  }
  for (const earlier_scales of ["16", "16-0", "41-1", "16-1000-3-1", "16---1", "-"]) {
    expect(accept(state({ earlier_scales }))).toContain("earlier_scales takes the loss scales of earlier steps");
  }
  expect(accept(state({ float32_steps: 1001 }))).toBe("float32_steps takes a whole number from 0 to 1000; got 1001. The former settings stay.");
  expect(accept(state({ task: "digits", layers: "", weight: "1-64-10" }))).toMatchObject({ weight: [1, 64, 10] });
  expect(accept(state({ all_weights: "yes" }))).toContain("all_weights takes one of");
});
