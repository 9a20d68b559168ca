// One sentence: what the precision costs in the step that was just made.

import type { GradientSummary } from "#core/gradients/summary.ts";
import { pieces } from "#ui/messages.ts";
import { integer, powerOfAny } from "#ui/ruler/words.ts";
import type { StepReport, Trainer } from "#training/types.ts";

/** `total`: the step's gradients in float32, before the scale. */
export function verdict({ settings, weightCount }: Trainer, report: StepReport | undefined, total: GradientSummary): ReturnType<typeof pieces> {
  if (!report) return pieces("play.verdict_start");
  const { kind } = settings.lossScale;
  const args = { step: integer(report.step), all: integer(weightCount), format: settings.gradientFormat.name };
  if (report.skipped) return pieces(kind === "dynamic" ? "play.verdict_skipped_lower" : "play.verdict_skipped", { ...args, scale: powerOfAny(report.lossScale) });
  if (!Number.isFinite(report.loss)) return pieces("play.verdict_diverged", args);
  if (report.foundInf) return pieces("play.verdict_not_finite", args);
  const flushed = Math.max(0, report.zeroGradients - total.zero);
  if (report.unchanged > flushed) {
    const isDrawn = !settings.masterWeights && settings.weightRounding === "stochastic";
    return pieces(isDrawn ? "play.verdict_unchanged_drawn" : "play.verdict_unchanged", { ...args, count: integer(report.unchanged) });
  }
  return flushed > 0 ? pieces("play.verdict_flushed", { ...args, count: integer(flushed) }) : pieces("play.verdict_nothing", args);
}
