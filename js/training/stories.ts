// Presets that show one effect each. `python -m benchmarks.playground_stories` trains each on five seeds: a story is here only
// if all five show it (benchmarks/results/playground_stories.md).

import { noLossScale } from "./settings.ts";
import type { Request } from "./request.ts";
import type { Settings } from "./types.ts";

export interface Story {
  /** The float32 network. */
  readonly base: Request & Pick<Settings, "task">;
  /** What is different in the network beside it. */
  readonly chosen: Request;
  /** What to change in that one then, to see it end the other way. */
  readonly contrast: Request;
  /** Whether the chosen network learns; with the contrast it is the other way round. */
  readonly learns: boolean;
  /** After so many steps the difference is there. */
  readonly steps: number;
}

const all = (format: string): Request => ({ weightFormat: format, activationFormat: format, gradientFormat: format });
const circle = { task: "circle", layers: [8], optimizer: "adam", learningRate: 0.01 } as const;
const slow = { ...circle, learningRate: 0.001 } as const;

export const stories = {
  /** FP16's gradients are flushed to zero, until the loss is scaled. */
  loss_scale: {
    base: { ...circle, lossWeight: 2 ** -20 },
    chosen: all("float16"),
    contrast: { lossScale: { ...noLossScale, kind: "dynamic", initScale: 2 ** 16, growthInterval: 50 } },
    learns: false,
    steps: 400,
  },
  /** Updates below half an ulp leave BF16 weights where they are. */
  master_weights: {
    base: slow,
    chosen: { ...all("bfloat16"), masterWeights: false },
    contrast: { masterWeights: true },
    learns: false,
    steps: 3000,
  },
  /** The same weights move where updates are rounded stochastically. */
  stochastic_rounding: {
    base: slow,
    chosen: { ...all("bfloat16"), masterWeights: false, weightRounding: "stochastic" },
    contrast: { weightRounding: "nearest" },
    learns: true,
    steps: 3000,
  },
  /** E5M2 reaches lower than E4M3. */
  fp8_gradients: {
    base: { ...circle, lossWeight: 2 ** -6 },
    chosen: { gradientFormat: "float8_e4m3fn" },
    contrast: { gradientFormat: "float8_e5m2" },
    learns: false,
    steps: 400,
  },
  /** In FP16 an ε of 1e-8 is 0, and so is the square of a small gradient. */
  adam_epsilon: {
    base: circle,
    chosen: { optimizerFormat: "float16" },
    contrast: { eps: 1e-4 },
    learns: false,
    steps: 400,
  },
  /** FP4 gradients alone stop the training; FP4 weights and activations together do not. */
  fp4: {
    base: circle,
    chosen: { gradientFormat: "float4_e2m1fn" },
    contrast: { gradientFormat: "float32", weightFormat: "float4_e2m1fn", activationFormat: "float4_e2m1fn" },
    learns: false,
    steps: 1000,
  },
} as const satisfies Readonly<Record<string, Story>>;
