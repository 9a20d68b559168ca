import { describe, expect, it } from "vitest";
import { brief, grouped, recipe } from "#widgets/training_lab/recipe_words.ts";
import type { RecipeChoice } from "#widgets/training_lab/state.ts";

const none = { kind: "none", init_scale: 1, growth_factor: 2, backoff_factor: 0.5, growth_interval: 2000 };
const plain: RecipeChoice = {
  name: "x", compute_format: "float32", loop: "explicit", master_weights: true, weight_rounding: "nearest",
  optimizer_format: "float32", fp32_ops: ["softmax", "norm", "loss"], operands: null, loss_scale: none,
};
const half = { ...plain, compute_format: "float16" };
const operands = { forward: "float8_e4m3fn", backward: "float8_e5m2", scaling: "none", gradient_rounding: "nearest" };

describe("a recipe in words", () => {
  it("says nothing of a loss scale where there is nothing to save", () => {
    expect(recipe(plain)).toBe("Everything in FP32.");
  });

  it.each<[string, RecipeChoice, string[], string[]]>([
    ["unscaled", half, ["FP16 copies of FP32 master weights", "No loss scale."], []],
    ["static", { ...half, loss_scale: { ...none, kind: "static", init_scale: 1024 } }, ["scaled by 2¹⁰ throughout"], ["No loss"]],
    [
      "dynamic", { ...half, loss_scale: { ...none, kind: "dynamic", init_scale: 65536, growth_interval: 25 } },
      ["starts at 2¹⁶: × 0.5 after a skipped step, × 2 after 25 good steps in a row."], [],
    ],
    ["amp", { ...half, compute_format: "bfloat16", loop: "amp" }, ["torch.autocast in BF16"], ["master", "naive"]],
    ["no masters", { ...half, master_weights: false }, ["weights themselves are FP16", "nearest FP16"], ["copies"]],
    [
      "stochastic", { ...half, master_weights: false, weight_rounding: "stochastic" },
      ["up or down by chance: small updates survive"], ["nearest"],
    ],
    ["half optimiser", { ...half, master_weights: false, optimizer_format: "float16" }, ["its state are FP16 too"], ["nearest"]],
    ["naive softmax", { ...half, fp32_ops: ["norm", "loss"] }, ["computed naively in FP16"], ["Norms"]],
    ["narrow loss", { ...half, fp32_ops: ["softmax"] }, ["The loss is computed in FP16", "Norms are computed"], ["naive"]],
    ["FP8", { ...half, operands }, ["FP8 E4M3, in the backward pass gradients rounded to FP8 E5M2", "not scaled"], []],
    ["delayed", { ...half, operands: { ...operands, scaling: "delayed" } }, ["largest value of earlier steps"], []],
    ["current", { ...half, operands: { ...operands, scaling: "current" } }, ["its own largest value"], []],
    [
      "blocks",
      { ...half, operands: { forward: "mxfp4", backward: "mxfp4", scaling: "none", gradient_rounding: "stochastic" } },
      ["rounded to MXFP4.", "Gradients are rounded up or down"], ["not scaled", "in the backward"],
    ],
    ["an unknown format", { ...half, operands: { ...operands, forward: "<b>", backward: "<b>" } }, ["rounded to <b>."], []],
  ])("%s", (_, choice, said, unsaid) => {
    for (const part of said) expect(recipe(choice)).toContain(part);
    for (const part of unsaid) expect(recipe(choice)).not.toContain(part);
  });

  it.each<[string, RecipeChoice]>([
    ["Everything in FP32.", plain],
    ["FP16 copies of FP32 weights, no loss scale", half],
    ["FP16 copies of FP32 weights, naive softmax in FP16, no loss scale", { ...half, fp32_ops: ["norm", "loss"] }],
    ["FP16 copies of FP32 weights, loss × 2¹⁰", { ...half, loss_scale: { ...none, kind: "static", init_scale: 1024 } }],
    ["FP16 weights, rounded by chance, no loss scale", { ...half, master_weights: false, weight_rounding: "stochastic" }],
    ["FP16 weights and optimiser, no loss scale", { ...half, master_weights: false, optimizer_format: "float16" }],
    ["BF16 copies of FP32 weights", { ...half, compute_format: "bfloat16" }],
    ["torch.autocast in FP16, no loss scale", { ...half, loop: "amp" }],
    ["linear layers in FP8 E4M3 and FP8 E5M2, not scaled", { ...half, operands }],
    ["linear layers in MXFP4, gradients rounded by chance", { ...half, operands: { ...operands, forward: "mxfp4", backward: "mxfp4", gradient_rounding: "stochastic" } }],
  ])("in a line: %s", (line, choice) => expect(brief(choice)).toBe(line));

  it("stands under the heading by which one looks for it", () => {
    const amp = { ...half, name: "amp", loop: "amp" };
    const groups = grouped([half, amp, plain, { ...half, operands }]).map(({ heading, recipes }) => [heading, recipes.length]);
    expect(groups).toEqual([["FP32", 1], ["FP16", 1], ["FP8 and FP4 operands", 1], ["torch.amp", 1]]);
  });
});
