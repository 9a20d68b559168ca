// The playground's engine beside the NumPy reference, whose results tests/vectors/make_playground.py wrote, and by itself.

import { expect, test } from "vitest";
import { getFormat } from "#core/formats/catalogue.ts";
import { digest, digits } from "#training/serve.ts";
import { SettingsError, startingSettings, type Settings } from "#training/settings.ts";
import { Trainer } from "#training/trainer.ts";
import { trained, type Row } from "./playground_vectors.ts";
import { committed } from "./vectors.ts";

const float16 = getFormat("float16")!;
const bfloat16 = getFormat("bfloat16")!;
const circle = startingSettings("circle");

function after(steps: number, settings: Settings): Trainer {
  const trainer = new Trainer(settings, digits);
  for (let i = 0; i < steps; i++) trainer.step();
  return trainer;
}

test.each(Object.entries(committed<Record<string, Row>>("playground.json")))("200 steps as NumPy takes them: %s", { timeout: 60_000 }, (_, { settings, ...row }) => {
  expect(trained(settings, digits, digest)).toEqual(row);
});

test("the same settings give the same numbers, after a reset too", () => {
  const trainer = after(50, { ...circle, weightFormat: bfloat16, masterWeights: false, weightRounding: "stochastic" });
  const first = digest(trainer);
  trainer.reset();
  expect([trainer.steps, trainer.batch.length]).toEqual([0, 0]);
  for (let i = 0; i < 50; i++) trainer.step();
  expect(digest(trainer)).toBe(first);
  expect(digest(after(50, { ...trainer.settings, seed: 1 }))).not.toBe(first);
});

test("two precisions of one seed take the same batches", () => {
  const [wide, narrow] = [after(20, circle), after(20, { ...circle, activationFormat: float16, batchSize: 32 })];
  expect(narrow.batch).toEqual(wide.batch);
  expect(new Set(wide.batch).size).toBe(32);
});

test.each(["circle", "xor", "gaussians", "digits"] as const)("%s is learnt in float32", { timeout: 60_000 }, (task) => {
  const trainer = after(400, startingSettings(task));
  const { loss, accuracy } = trainer.evaluate(trainer.data.test);
  expect(accuracy).toBeGreaterThan(0.9);
  expect(loss).toBeLessThan(0.3);
});

test("a change keeps the weights, the state and the place in the data where shapes allow", () => {
  const [changed, unchanged] = [after(30, circle), after(30, circle)];
  changed.change({ ...circle, learningRate: 0.5 });
  changed.change(circle);
  unchanged.step();
  changed.step();
  expect(digest(changed)).toBe(digest(unchanged));

  const before = changed.tensors.map(({ kept }) => kept.slice());
  changed.change({ ...circle, layers: [8, 4] });
  expect(changed.tensors.map(({ shape }) => shape)).toEqual([[2, 8], [1, 8], [8, 4], [1, 4], [4, 2], [1, 2]]);
  expect(changed.tensors.slice(0, 2).map(({ kept }) => kept)).toEqual(before.slice(0, 2));
  expect(changed.steps).toBe(31);
  expect(changed.step().loss).toBeGreaterThan(0);

  changed.change({ ...changed.settings, masterWeights: false, weightFormat: bfloat16 });
  for (const { kept } of changed.tensors) expect([...kept].every((x) => (bitsOf(x) & 0xffff) === 0)).toBe(true);
  changed.change({ ...changed.settings, seed: 5 });
  expect(changed.steps).toBe(0);
});

function bitsOf(x: number): number {
  return new Uint32Array(Float32Array.of(x).buffer)[0]!;
}

test("settings that cannot be trained with are refused by name, and change nothing", () => {
  const trainer = after(5, circle);
  const wrong: [Partial<Settings>, string][] = [
    [{ layers: [0] }, "layers"],
    [{ layers: [1, 1, 1, 1] }, "layers"],
    [{ weightFormat: getFormat("float64")! }, "weightFormat"],
    [{ gradientFormat: getFormat("float8_e8m0fnu")! }, "gradientFormat"],
    [{ learningRate: NaN }, "learningRate"],
    [{ lossWeight: -1 }, "lossWeight"],
    [{ batchSize: 1e9 }, "batchSize"],
    [{ seed: 0.5 }, "seed"],
    [{ task: "moons" as "circle" }, "task"],
    [{ lossScale: { ...circle.lossScale, growthInterval: 0 } }, "lossScale.growthInterval"],
  ];
  const before = digest(trainer);
  for (const [part, field] of wrong) {
    for (const attempt of [() => trainer.change({ ...circle, ...part }), () => new Trainer({ ...circle, ...part })]) {
      expect(attempt).toThrow(expect.objectContaining({ constructor: SettingsError, field }));
    }
  }
  expect(trainer.settings).toBe(circle);
  expect(digest(trainer)).toBe(before);
  expect(() => new Trainer(startingSettings("digits"))).toThrow(RangeError);
});

test("reference gradients are those of float32 on the weights that the step read", () => {
  const trainer = after(30, circle);
  expect(trainer.referenceGradients()).toEqual(trainer.tensors.map(({ gradient }) => gradient));
  const scaled = after(1, { ...circle, lossWeight: 2 ** -20, lossScale: { ...circle.lossScale, kind: "static", initScale: 2 ** 20 } });
  const unscaled = scaled.referenceGradients().map((values) => values.map((value) => value * 2 ** 20));
  expect(unscaled).toEqual(scaled.tensors.map(({ gradient }) => gradient));

  const flushed = after(1, { ...circle, lossWeight: 2 ** -20, gradientFormat: float16 });
  expect(flushed.step().zeroGradients).toBeGreaterThan(10);
  expect(flushed.referenceGradients().flatMap((values) => [...values]).filter((x) => x === 0)).toEqual([]);
});

test("a decision is asked from the lower left to the upper right, in the precision of the settings", () => {
  const trainer = after(300, startingSettings("xor"));
  const [a, b, c, d] = trainer.decision(2);
  for (const same of [a, d]) expect(same).toBeLessThan(-0.5); // x y > 0 is class 0
  for (const other of [b, c]) expect(other).toBeGreaterThan(0.5);
  expect(Math.max(...trainer.decision(40))).toBeLessThanOrEqual(1);
  const sums = trainer.predict(Float32Array.of(1, 2, -1, 2));
  expect(sums[0]! + sums[1]!).toBeCloseTo(1, 6);
});

test("a weight that is set is read by the next step, rounded to its formats", () => {
  const trainer = new Trainer({ ...circle, weightFormat: bfloat16 });
  trainer.setWeight(0, 3, 1 + 2 ** -10);
  expect([trainer.tensors[0]!.kept[3], trainer.tensors[0]!.read[3]]).toEqual([1 + 2 ** -10, 1]);
});

test("a step whose gradients hold inf is skipped, and counted", () => {
  const lossScale = { ...circle.lossScale, kind: "dynamic", initScale: 2 ** 24, growthInterval: 5 } as const;
  const trainer = new Trainer({ ...circle, gradientFormat: float16, lossScale });
  const before = trainer.tensors.map(({ kept }) => kept.slice());
  expect(trainer.step()).toMatchObject({ foundInf: true, skipped: true, lossScale: 2 ** 24, unchanged: 0 });
  expect(trainer.tensors.map(({ kept }) => kept)).toEqual(before);
  expect(trainer.lossScale).toBe(2 ** 23);
  while (trainer.step().skipped);
  expect(trainer.skippedSteps).toBeGreaterThan(1);
  expect(trainer.tensors[0]!.kept).not.toEqual(before[0]);
});
