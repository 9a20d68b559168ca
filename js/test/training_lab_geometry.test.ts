import { describe, expect, it } from "vitest";
import { lossAxes, lossPath, spread, wholePart, wholeTicks } from "#ui/chart/geometry.ts";
import { axisNumber, decimal } from "#ui/run_words.ts";
import { accept, readSeeds, readSteps, seedsText } from "#mixwidgets/runs/widgets/training_lab/choice.ts";
import { reach, scaleAxes, scalePath, skipMarks } from "#mixwidgets/runs/widgets/training_lab/charts.ts";
import { sharesPaths } from "#mixwidgets/runs/widgets/training_lab/strips.ts";
import { assignStyles, merged, runAtHand, runNames } from "#mixwidgets/runs/widgets/training_lab/lab.ts";
import { curvesIn, type Row } from "#mixwidgets/runs/widgets/training_lab/state.ts";
import { fieldName, fieldValue, titlesOf } from "#mixwidgets/runs/widgets/training_lab/words.ts";
import * as words from "#mixwidgets/runs/widgets/training_lab/words.ts";
import { writeFrame } from "#core/frame.ts";
import { bytes, float32 } from "./frames.ts";
import { FIGURES, row as some } from "./training_lab_model.ts";

const frame = { width: 120, height: 100, left: 10, right: 10, top: 0, bottom: 0 };

const row = (changes: Partial<Row> = {}): Row => some({ id: "a", skipped: 3, rate: 141.4, metrics: {}, ...changes });

describe("curves", () => {
  const loss = [[1, 2.5], [2, NaN], [3, -Infinity]];
  const sent = writeFrame({ loss: float32(loss), scale: float32([]), skipped: float32([]), shares: float32([[3, 0.25, 0.5, 0, 0, 0.25]]) });
  it("are read run by run, NaN and infinity included", () => {
    const read = curvesIn(writeFrame({ 2: bytes(sent), 1: bytes(sent) }));
    expect([...read.keys()].sort()).toEqual(["1", "2"]);
    expect(read.get("1")).toEqual({
      loss: [{ step: 1, value: 2.5 }, { step: 2, value: NaN }, { step: 3, value: -Infinity }], scale: [], skipped: [],
      shares: [{ step: 3, of: [0.25, 0.5, 0, 0, 0.25] }],
    });
  });
});

describe("paths", () => {
  const axes = lossAxes(frame, [[{ step: 0, value: 4 }]], wholePart(10)); // 10 px a step, 25 px a unit
  it("joins finite losses and leaves a gap at one that is not", () => {
    const curve = [[0, 4], [1, 2], [2, NaN], [3, 0], [4, 1]].map(([step, value]) => ({ step: step!, value: value! }));
    expect(lossPath(axes, curve)).toBe("M10,0L20,50M40,100L50,75");
  });
  it("draws nothing for a run without a finite loss", () => {
    expect(lossPath(axes, [{ step: 1, value: NaN }])).toBe("");
    expect(lossPath(axes, [])).toBe("");
  });
  it("holds a loss scale until it changes, and the last up to the newest step", () => {
    const stairs = scalePath(axes, [{ step: 1, value: 4 }, { step: 3, value: 2 }], 8);
    expect(stairs).toBe("M20,0L40,0L40,50L90,50");
  });
  it("breaks the stairs where the scale fell to zero", () => {
    const stairs = scalePath(axes, [{ step: 1, value: 4 }, { step: 2, value: -Infinity }, { step: 4, value: 2 }], 5);
    expect(stairs).toBe("M20,0L30,0M50,50L60,50");
  });
  it("marks each skipped step once, and lets one mark stand for those that it covers", () => {
    const skips = [0, 0.1, 0.2, 5].map((step) => ({ step, value: 2 }));
    expect(skipMarks(axes, skips, 8).match(/M/g)).toHaveLength(2);
    expect(skipMarks(axes, [{ step: 1, value: -Infinity }], 8)).toBe("");
  });
  it("keeps the marks inside the chart and the axis at whole powers of two", () => {
    const scale = scaleAxes(frame, [[{ step: 1, value: 16 }, { step: 2, value: 17 }]], wholePart(10));
    expect(scale.y(17)).toBeGreaterThan(9);
    expect(wholeTicks(scale.y, 4)).toEqual([16, 17, 18]);
  });
  it("has axes for no curve at all", () => {
    expect(lossAxes(frame, [], wholePart(0)).y.domain()).toEqual([0, 1]);
    expect(scaleAxes(frame, [], wholePart(0)).x.domain()).toEqual([0, 1]);
  });
});

describe("shares", () => {
  const y = (share: number) => 100 * (1 - share);
  const x = lossAxes(frame, [], wholePart(10)).x; // 10 px a step
  it("lie one upon the other, and leave open what was not finite", () => {
    const paths = sharesPaths(x, y, [{ step: 0, of: [0.5, 0.25] }, { step: 4, of: [0.25, 0.25] }], 2);
    expect(paths).toEqual(["M10,50L50,75L50,100L10,100Z", "M10,25L50,50L50,75L10,50Z"]);
  });
  it("leave a gap where they are not known, and draw a step alone as a bar", () => {
    const nothing = { step: 2, of: [NaN, NaN] };
    const paths = sharesPaths(x, y, [{ step: 0, of: [1, 0] }, nothing, { step: 4, of: [1, 0] }], 2);
    expect(paths[0]).toBe("M10,0L14,0L14,100L10,100ZM50,0L54,0L54,100L50,100Z");
    expect(sharesPaths(x, y, [nothing], 2)).toEqual(["", ""]);
  });
});

describe("reach", () => {
  it.each([
    [300, 10, true, 300], [300, 120, false, 120], [1_000_000, 5, true, 1000], [1_000_000, 1024, true, 2048],
    [1500, 1400, true, 1500], [10_000_000, 9_999_999, true, 10_000_000],
  ])("of %d steps at step %d (going on: %s) is %d", (steps, step, isGoingOn, expected) => {
    expect(reach(steps, step, isGoingOn)).toBe(expected);
  });
});

describe("spread", () => {
  it("keeps labels apart, in order and inside", () => {
    const placed = spread([50, 51, 50, 99], 10, 0, 100);
    const sorted = [...placed].sort((a, b) => a - b);
    sorted.slice(1).forEach((at, i) => expect(at - sorted[i]!).toBeGreaterThanOrEqual(10));
    expect(Math.max(...placed)).toBeLessThanOrEqual(100);
    expect(placed[3]).toBe(Math.max(...placed));
  });
  it("leaves labels alone that are apart already", () => expect(spread([80, 10], 10, 0, 100)).toEqual([80, 10]));
});

describe("order, names and styles", () => {
  it("puts the newest first and believes what is told of a run that goes on", () => {
    const rows = merged([row({ id: "b", status: "completed" }), row({ id: "a" })], [row({ id: "c" }), row({ id: "b", status: "running" })]);
    expect(rows.map(({ id, status }) => `${id} ${status}`)).toEqual(["c running", "b running", "a running"]);
  });
  it.each([
    [["completed", "running", "running"], [], 1], [["queued 2", "queued 1", "completed"], [], 1], [["completed", "stopped"], [], -1],
    [["queued 2", "queued 1", "running"], ["0"], 0], [["completed", "running"], ["0"], 1], [["running", "running"], ["1", "0"], 0],
    [["completed", "stopped", "completed"], ["2", "1"], 1], [["running", "queued 2", "queued 1"], ["1", "2"], 2], [["running", "completed", "running"], ["1", "2"], 2],
  ])("of %j with %j selected has at hand no. %d", (states, selected, expected) => {
    const rows = states.map((state, i) => row({ id: String(i), status: state.split(" ")[0]!, position: Number(state.split(" ")[1]) || null }));
    expect(runAtHand(rows, selected)).toBe(rows[expected]);
  });
  it("numbers runs of one recipe from the oldest", () => {
    const rows = [row({ id: "c" }), row({ id: "b", recipe: "fp32" }), row({ id: "a" })]; // newest first
    expect(Object.fromEntries(runNames(rows))).toEqual({ a: "fp16 dynamic #1", b: "fp32", c: "fp16 dynamic #2" });
  });
  it("lets a shown run keep its style and gives a new one the first that is free", () => {
    const first = assignStyles(new Map(), ["a", "b", "c"]);
    expect([...first]).toEqual([["a", 0], ["b", 1], ["c", 2]]);
    expect(Object.fromEntries(assignStyles(first, ["c", "b", "d"]))).toEqual({ c: 2, b: 1, d: 0 });
  });
});

describe("steps", () => {
  it.each([
    ["1", 1], [" 300 ", 300], ["10000000", 10_000_000], ["007", 7], ["1e3", 1000], ["1_000", 1000], ["2^10", 1024], ["2¹⁰", 1024], ["1.5e2", 150], ["600/2", 300], ["10*(20+5)", 250], ["1,000", 1000], ["１２", 12], ["0x1p8", 256],
  ])("are read from %j", (text, value) => expect(readSteps(text)).toEqual({ value }));
  it.each(["", "0", "abc", "-1", "−1", "1.5", "1e12", "2^-1", "10000001", "10000000.5", "0.99999999999999999999", "12 steps", "٣", "1,5", "0x10", "nan", "inf", "9".repeat(5000), "‮1", "<img onerror=alert(1)>"])(
    "are not read from no. %#", (text) => expect(readSteps(text)).toHaveProperty("problem"),
  );
});

describe("seeds", () => {
  it.each([
    ["0", [0]], ["0-4", [0, 1, 2, 3, 4]], [" 0, 3,7 ", [0, 3, 7]], ["5–6", [5, 6]], ["7, 0-2, 4", [7, 0, 1, 2, 4]], ["4294967295", [4294967295]], ["3-3", [3]], ["0-2^2", [0, 1, 2, 3, 4]], ["1_000", [1000]],
  ])("are read from %j", (text, seeds) => expect(readSeeds(text)).toEqual({ value: seeds }));
  it.each([
    ["", "got nothing"], ["a", "got “a”"], ["0,,1", "got nothing"], ["-1", "got “-1”"], ["1-2-3", "got “1-2-3”"], ["1.5", "got"], ["٣", "got"],
    ["4294967296", "got"], ["4-0", "such as 0-4; got “4-0”"], ["0-99, 200", "at most 100"], ["0-4294967295", "at most 100"], ["<b>", "got “<b>”"], ["9".repeat(5000), "…”"],
  ])("are not %j", (text, said) => expect(readSeeds(text)).toEqual({ problem: expect.stringContaining(said) }));
  it.each([[[0]], [[0, 1]], [[0, 1, 2, 5, 9, 10, 11]], [[3, 1, 2]]])("%j come back from their text", (seeds) => {
    expect(readSeeds(seedsText(seeds))).toEqual({ value: seeds });
  });
  it("three in a row are a range", () => expect(seedsText([0, 1, 2, 5, 6])).toBe("0-2, 5, 6"));
});

describe("an address", () => {
  const settings = [{ name: "loss_weight", title: "loss weight", about: "", default: 1, low: 5e-324, high: null },
    { name: "optimizer", title: "optimiser", about: "", default: "adam", choices: { adam: "adam", sgd: "sgd" } },
    { name: "size", title: "size", about: "", default: 1, whole: true, low: 1, high: 64 }];
  const known = { tasks: [{ name: "digits_cnn", title: "", explanation: "", steps: 300, settings }], recipes: ["fp32", "bf16"], devices: ["auto", "cpu"] };
  const wanted = { task: "digits_cnn", recipe: "fp32", steps: 30, seed: "7", device: "auto" };
  it("may ask for one recipe and seed, or for several", () => {
    expect(accept(wanted, known)).toEqual({ ...wanted, changes: "", seed: 7, settings: "" });
    expect(accept({ ...wanted, recipe: "bf16,fp32", seed: "0,3,4" }, known)).toEqual({ ...wanted, recipe: ["bf16", "fp32"], changes: "", seed: [0, 3, 4], settings: "" });
  });
  it.each(["loss_weight=1e-05, size=2", "optimizer=sgd", "loss_weight=5e-324"])("may ask for the settings %j", (text) =>
    expect(accept({ ...wanted, settings: text }, known)).toMatchObject({ settings: text }));
  it.each<[string, unknown]>([
    ["task", "x"], ["task", "__proto__"], ["recipe", ""], ["recipe", "fp32,fp32"], ["recipe", "fp32,<b>"], ["steps", 0], ["steps", 1e12], ["seed", "-1"],
    ["seed", ""], ["seed", "0-4294967295"], ["device", "cuda:99"], ["device", undefined],
    ["settings", "eps=1"], ["settings", "loss_weight"], ["settings", "loss_weight=0"], ["settings", "loss_weight=1, loss_weight=1"], ["settings", "size=1.5"],
    ["settings", "size=65"], ["settings", "optimizer=<b>"], ["settings", "__proto__=1"], ["settings", "loss_weight=nan"], ["settings", "loss_weight=0x3c00"],
  ])("may not ask for the %s %j", (name, value) => expect(accept({ ...wanted, [name]: value }, known)).toBeNull());
});

describe("a comparison in words", () => {
  it.each([
    ["recipe.loss_scale.kind", "loss scale: kind"], ["seed", "seed"], ["task_options.loss_weight", "loss weight"],
    ["gradients.flushed", "gradients: flushed"], ["toString", "toString"],
  ])("names %j %j", (field, name) => expect(fieldName(field, new Map())).toBe(name));
  it.each([
    ["recipe.compute_format", "计算格式"], ["recipe.loss_scale.kind", "损失缩放: 方式"], ["task_options.size", "规模"], ["size", "规模"], ["task", "task"],
  ])("names the setting %j %j, as the forms do in their language", (field, name) => {
    const yesOrNo = { about: "", needs: {}, default: true, is_yes_or_no: true };
    const form = [
      { name: "compute_format", group: "配方", title: "计算格式", ...yesOrNo },
      { name: "loss_scale.kind", group: "损失缩放", title: "方式", ...yesOrNo },
    ];
    const settings = [{ name: "size", title: "规模", about: "", default: 1, whole: true, low: 1, high: 64 }];
    const titles = titlesOf(form, [{ name: "digits_cnn", title: "", explanation: "", steps: 300, settings }]);
    expect(fieldName(field, titles)).toBe(name);
  });
  it.each([
    ["gradients.flushed", 0.25, "25.0 %", "share"], ["gradients.flushed", 1e-6, "< 0.1 %", "share"], ["metrics.loss", 0.1, "0.100"], ["loss", "inf", "∞", "loss"], ["loss", null, "–", "loss"],
    ["memory.predicted", 3_700_000, "3.7 MB", "B"], ["status", "out_of_memory", "out of memory"], ["status", "toString", "toString"], ["steps_done", 1200, "1,200", "count"], ["flops_per_second", 5.25e12, "5.3 TFLOP/s", "FLOP/s"],
    ["recipe.master_weights", true, "yes"], ["recipe.master_weights", false, "no"], ["recipe.loss_scale.init_scale", 1024, "2¹⁰"], ["learning_rate", 0.001, "0.001"], ["recipe", "fp32", "fp32"],
  ] as [string, string | number | boolean | null, string, string?][])("tells %s %j as %j", (field, value, text, unit) =>
    expect(fieldValue(field, value, new Map(), unit)).toBe(text));
  it("tells the choices of a recipe in the words of its form, and how a run computes in the page's", () => {
    const choices = { name: "loss_scale.kind", group: "损失缩放", title: "方式", about: "", needs: {}, default: "none", choices: { none: "无", dynamic: "动态" } };
    const told = (field: string, value: string) => fieldValue(field, value, titlesOf([choices], []));
    expect([told("recipe.loss_scale.kind", "dynamic"), told("recipe.loss_scale.kind", "toString"), told("task", "none")]).toEqual(["动态", "toString", "none"]);
    expect(told("backend", "native float16 products (avx512_fp16)")).toBe("native float16 products, avx512_fp16");
  });
});

describe("words", () => {
  it("tells the place in line", () => {
    expect([1, 2, 3, 4, 11, 12, 21, 102].map(words.ordinal)).toEqual(["1st", "2nd", "3rd", "4th", "11th", "12th", "21st", "102nd"]);
    expect(words.status(row({ status: "queued", position: 3 }))).toBe("queued (3rd)");
    expect(words.status(row({ status: "queued" }))).toBe("starting");
  });
  it("tells the memory by kind, a kind that it does not know too", () => {
    expect(words.memory(row({ memory: { weights: 150_000, master: 0, activations: 2_400_000, other: 7 } }))).toBe(
      "memory of a step 2.6 MB: weights 150 kB, activations 2.4 MB, other 7 B",
    );
    expect([words.memory(row()), words.memory(row({ memory: {} }))]).toEqual(["", ""]);
  });
  it("tells the work of a step, how fast it goes and what slows it", () => {
    const found = { flops: 17_349_120, unaligned: 3_193_344, largest_unaligned: "32 × 128, 128 × 76", peak: 0 };
    const told = (changes: Partial<Row>) => words.work(row({ work: found, rate: 1000, ...changes }));
    expect(told({})).toBe("work of a step 17.3 MFLOP, 17.3 GFLOP/s");
    expect(told({ rate: null })).toBe("work of a step 17.3 MFLOP");
    expect(told({ work: { ...found, peak: 4e14 } })).toBe(
      "work of a step 17.3 MFLOP, 17.3 GFLOP/s, < 0.1 % of the 400 TFLOP/s that a large product reaches here, " +
        "18.4 % of the work in products whose sizes are no multiples of 8 (32 × 128, 128 × 76), which tensor cores compute more slowly",
    );
    expect(told({ work: { ...found, flops: 0, unaligned: 0 } })).toBe("");
    expect([told({ work: null }), told({ work: { ...found, unaligned: 0, peak: 4e14 }, rate: 2e7 })]).toEqual([
      "", "work of a step 17.3 MFLOP, 347 TFLOP/s, 86.7 % of the 400 TFLOP/s that a large product reaches here",
    ]);
  });
  it.each([[0, "0 B"], [999, "999 B"], [1000, "1.0 kB"], [99_949, "99.9 kB"], [150_000, "150 kB"], [139e9, "139 GB"], [5e15, "5.0 PB"], [5e18, "5,000 PB"]])(
    "tells %d bytes as %j", (size, text) => expect(words.bytes(size)).toBe(text),
  );
  it("says where a run is", () => {
    expect(words.progress(row())).toBe("step 213 of 300 · 141 steps/s · 0.6 s left");
    expect(words.progress(row({ rate: 2.04, steps: 10_000, step: 400 }))).toBe("step 400 of 10,000 · 2.0 steps/s · 1 h 18 min left");
    expect(words.progress(row({ batch_size: 32 }))).toBe("step 213 of 300 · 141 steps/s · 4,525 examples/s · 0.6 s left");
    expect(words.progress(row({ rate: null, batch_size: 32 }))).toBe("step 213 of 300");
    expect(words.progress(row({ status: "stopped" }))).toBe("step 213 of 300 · stopped");
    // Of a watched loop nobody knows how many steps there will be.
    expect(words.progress(row({ steps: null }))).toBe("step 213 · 141 steps/s");
    expect(words.progress(row({ steps: null, status: "completed" }))).toBe("step 213 · completed");
    expect(words.spoken(row({ steps: null }), "mine")).toBe("mine: running");
  });
  it("says what the newest step was", () => {
    expect(words.newest(row(), FIGURES)).toBe("loss 0.250 · loss scale 2¹⁵ · 3 steps skipped");
    expect(words.newest(row({ skipped: 1, loss: "nan", loss_scale: 1000 }), FIGURES)).toBe("loss NaN · loss scale 1000 · 1 step skipped");
    expect(words.newest(row({ scaled: false }), FIGURES)).toBe("loss 0.250");
  });
  it("says a figure that it has no words for by its name, and one that a run did not record not at all", () => {
    const figures = [...FIGURES, { name: "tokens_per_second", unit: "token/s", scaled: false }];
    expect(words.newest(row({ scaled: false, tokens_per_second: 12_300 }), figures)).toBe("loss 0.250 · tokens per second 12.3 ktoken/s");
    expect([words.newest(row({ scaled: false, tokens_per_second: null }), figures), words.newest(row({ scaled: false }), figures)])
      .toEqual(["loss 0.250", "loss 0.250"]);
  });
  it.each([[0.05, "0.1 s"], [9.94, "9.9 s"], [9.96, "10 s"], [59.6, "1 min 0 s"], [200, "3 min 20 s"], [7500, "2 h 5 min"]])(
    "gives %d s as %j", (seconds, text) => expect(words.duration(seconds)).toBe(text),
  );
  it.each([[0.125, "2⁻³"], [1, "2⁰"], [65536, "2¹⁶"]])("writes the loss scale %d", (value, text) => expect(words.scale(value)).toBe(text));
  it.each([[0, "0.000"], [2.30258, "2.303"], [12.345, "12.35"], [1.5e-5, "1.50e−5"], ["inf", "∞"], [null, "–"]] as const)(
    "writes the loss %j as %j", (value, text) => expect(decimal(value)).toBe(text),
  );
  it.each([[0, "0"], [0.1 + 0.2, "0.3"], [2.5e-5, "2.5e−5"], [-1.5, "−1.5"], [200_000, "2e5"], [1e-3, "0.001"]])(
    "labels an axis at %d with %j", (value, text) => expect(axisNumber(value)).toBe(text),
  );
});
