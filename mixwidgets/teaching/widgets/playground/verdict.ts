// One sentence: what the precision costs in the step that was just made.

import { type Piece, pieces } from "#ui/messages.ts";
import { integer } from "#ui/digits.ts";
import { powerOfAny } from "#ui/ruler/words.ts";
import type { Trainer } from "#training/trainer.ts";
import type { StepReport } from "#training/types.ts";
import type { Page } from "./parts.ts";

/** `isChanged`: whether the settings have changed since the step. */
export function verdict({ settings, weightCount }: Trainer, report: StepReport | undefined, isChanged: boolean, { total, early }: Page["answers"]["value"]): Piece[] {
  if (!report) return pieces("play.verdict_start");
  if (isChanged) return pieces("play.verdict_changed");
  const { kind } = settings.lossScale;
  const args = { step: integer(report.step), all: integer(weightCount), format: settings.gradientFormat.name };
  if (report.skipped) return pieces(kind === "dynamic" ? "play.verdict_skipped_lower" : "play.verdict_skipped", { ...args, scale: powerOfAny(report.lossScale) });
  if (!Number.isFinite(report.loss)) return pieces("play.verdict_diverged", args);
  if (report.foundInf) return pieces("play.verdict_not_finite", args);
  const small = total.counts(settings.gradientFormat, Math.log2(report.lossScale)).finite[0]!; // as the ruler counts
  if (report.unchanged > small + early) {
    const isDrawn = !settings.masterWeights && settings.weightRounding === "stochastic";
    return pieces(isDrawn ? "play.verdict_unchanged_drawn" : "play.verdict_unchanged", { ...args, count: integer(report.unchanged) });
  }
  if (early === 0) return small > 0 ? pieces("play.verdict_small", { ...args, count: integer(small) }) : pieces("play.verdict_nothing", args);
  return small > 0 ? pieces("play.verdict_small_and_early", { ...args, count: integer(small), early: integer(early) }) : pieces("play.verdict_early", { ...args, count: integer(early) });
}
