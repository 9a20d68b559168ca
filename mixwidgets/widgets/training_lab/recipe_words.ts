// What a recipe does, in sentences made from its fields. No DOM.

import { listed, sentences, t } from "#ui/messages.ts";
import type { RecipeChoice } from "./state.ts";
import { count, scale } from "./words.ts";

const SHORT: Record<string, string> = {
  float32: "FP32",
  float16: "FP16",
  bfloat16: "BF16",
  float8_e4m3fn: "FP8 E4M3",
  float8_e5m2: "FP8 E5M2",
  mxfp8_e4m3: "MXFP8",
  mxfp4: "MXFP4",
  nvfp4: "NVFP4",
};

const short = (format: string): string => SHORT[format] ?? format;

/** The recipes under the headings by which one looks for them, each group in the catalogue's order. */
export function grouped(recipes: readonly RecipeChoice[]): { heading: string; recipes: RecipeChoice[] }[] {
  const groups = new Map(GROUPS.map((key) => [key, [] as RecipeChoice[]]));
  for (const choice of recipes) groups.get(groupOf(choice))!.push(choice);
  return [...groups].filter(([, some]) => some.length > 0).map(([key, some]) => ({ heading: t(key), recipes: some }));
}

const GROUPS = ["lab.group_float32", "lab.group_float16", "lab.group_bfloat16", "lab.group_operands", "lab.group_amp"] as const;

function groupOf({ loop, operands, compute_format }: RecipeChoice): (typeof GROUPS)[number] {
  if (loop === "amp") return "lab.group_amp";
  if (operands) return "lab.group_operands";
  return compute_format === "float16" ? "lab.group_float16" : compute_format === "bfloat16" ? "lab.group_bfloat16" : "lab.group_float32";
}

/** Each departure from plain FP32 training is a sentence. */
export function recipe(choice: RecipeChoice): string {
  return sentences([...numbers(choice), ...operands(choice), scaling(choice), ...departures(choice)]);
}

/** The same in a line, beside others of its group. */
export function brief(choice: RecipeChoice): string {
  const format = short(choice.compute_format);
  const { operands: rounded, loss_scale, loop } = choice;
  if (choice.compute_format === "float32") return t("lab.recipe_fp32");
  if (rounded) {
    const [forward, backward] = [short(rounded.forward), short(rounded.backward)];
    const formats = forward === backward ? t("lab.brief_operands", { forward }) : t("lab.brief_operands_two", { forward, backward });
    const scaled = rounded.scaling === "current" ? t("lab.brief_current") : rounded.scaling === "delayed" ? t("lab.brief_delayed")
      : rounded.forward.startsWith("float") ? t("lab.brief_not_scaled") : "";
    return listed([formats, scaled, rounded.gradient_rounding === "stochastic" ? t("lab.brief_operands_stochastic") : ""]);
  }
  const stored =
    loop === "amp" ? t("lab.brief_amp", { format })
    : choice.master_weights ? t("lab.brief_masters", { format })
    : choice.optimizer_format === choice.compute_format ? t("lab.brief_half_optimizer", { format })
    : t(choice.weight_rounding === "stochastic" ? "lab.brief_stochastic" : "lab.brief_nearest", { format });
  const scaling =
    loss_scale.kind === "dynamic" ? t("lab.brief_dynamic")
    : loss_scale.kind === "static" ? t("lab.brief_static", { scale: scale(loss_scale.init_scale) })
    : choice.compute_format === "float16" ? t("lab.brief_unscaled") : ""; // BF16 has FP32's range and needs none
  return listed([stored, choice.fp32_ops.includes("softmax") ? "" : t("lab.brief_naive_softmax", { format }), scaling]);
}

function numbers(choice: RecipeChoice): string[] {
  const format = short(choice.compute_format);
  if (choice.compute_format === "float32") return [t("lab.recipe_fp32")];
  if (choice.loop === "amp") return [t("lab.recipe_amp", { format })];
  if (choice.master_weights) return [t("lab.recipe_half", { format })];
  const own = choice.optimizer_format === choice.compute_format;
  return [
    t("lab.recipe_no_masters", { format }),
    own ? t("lab.recipe_half_optimizer", { format })
    : choice.weight_rounding === "stochastic" ? t("lab.recipe_stochastic", { format })
    : t("lab.recipe_nearest", { format }),
  ];
}

function operands({ operands }: RecipeChoice): string[] {
  if (!operands) return [];
  const forward = short(operands.forward);
  const backward = short(operands.backward);
  const scaled =
    operands.scaling === "current" ? t("lab.recipe_scaled_current")
    : operands.scaling === "delayed" ? t("lab.recipe_scaled_delayed")
    : operands.forward.startsWith("float") ? t("lab.recipe_scaled_none")
    : "";
  return [
    forward === backward ? t("lab.recipe_operands", { forward }) : t("lab.recipe_operands_two", { forward, backward }),
    scaled,
    operands.gradient_rounding === "stochastic" ? t("lab.recipe_operands_stochastic") : "",
  ];
}

function scaling({ compute_format, loss_scale }: RecipeChoice): string {
  const { kind, init_scale, growth_factor, backoff_factor, growth_interval } = loss_scale;
  if (kind === "static") return t("lab.recipe_static", { scale: scale(init_scale) });
  if (kind === "none") return compute_format === "float32" ? "" : t("lab.recipe_unscaled");
  return t("lab.recipe_dynamic", {
    scale: scale(init_scale),
    backoff: String(backoff_factor),
    growth: String(growth_factor),
    interval: count(growth_interval),
  });
}

/** What the paper's recipe has and this one does not. */
function departures(choice: RecipeChoice): string[] {
  if (choice.compute_format === "float32" || choice.loop === "amp") return [];
  const format = short(choice.compute_format);
  const has = (op: string) => choice.fp32_ops.includes(op);
  return [
    has("softmax") ? "" : t("lab.recipe_naive_softmax", { format }),
    has("norm") ? "" : t("lab.recipe_narrow_norm", { format }),
    has("loss") ? "" : t("lab.recipe_narrow_loss", { format }),
  ];
}
