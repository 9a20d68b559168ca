// Texts of the playground: names, numbers, and the sentence on what the precision costs. No DOM.

import type { StepReport, Trainer, WeightTensor } from "#training/trainer.ts";
import { integer, superscript, withMinus } from "#ui/digits.ts";
import { type Piece, pieces, t } from "#ui/messages.ts";
import { number, powerOfAny, share } from "#ui/ruler/words.ts";
import type { GradientAnswers } from "./session.ts";

export function tensorName({ layer, kind }: Pick<WeightTensor, "layer" | "kind">): string {
  return t(`play.tensor_${kind}`, { layer: layer + 1 });
}

/** A loss in four digits: "0.0123", "1.2e−5", "NaN". */
export function lossText(loss: number): string {
  if (!Number.isFinite(loss)) return number(loss);
  return loss !== 0 && Math.abs(loss) < 1e-3 ? withMinus(loss.toExponential(1)) : loss.toFixed(4);
}

const FEW = 1000; // so many gradients are counted one by one

/** How many of `all`: a count where they are few, else a share. */
export function countText(count: number, all: number): string {
  if (all === 0) return "–";
  return all < FEW ? integer(count) : share(count, all);
}

/** A setting in a menu: "0.003", "10⁻⁵", "2⁻²⁰". */
export function settingText(value: number): string {
  for (const base of [10, 2]) {
    const exponent = Math.round(Math.log(value) / Math.log(base));
    if (value > 0 && value < 0.03 && exponent <= -4 && Math.abs(value / base ** exponent - 1) < 1e-9) return `${base}${superscript(exponent)}`;
  }
  return String(value);
}

/** A weight in six digits: "0.0344089", "−1.2e−7". */
export const weightText = (value: number): string => withMinus(String(Number(value.toPrecision(6))));

/** What the precision costs in the last step, in one sentence. `isChanged`: whether the settings have changed since. */
export function verdict({ settings, weightCount }: Trainer, report: StepReport | undefined, isChanged: boolean, { reached, early: lost }: GradientAnswers): Piece[] {
  if (!report) return pieces("play.verdict_start");
  if (isChanged) return pieces("play.verdict_changed");
  const { kind } = settings.lossScale;
  const args = { step: integer(report.step), all: integer(weightCount), format: settings.gradientFormat.name };
  if (report.skipped) return pieces(kind === "dynamic" ? "play.verdict_skipped_lower" : "play.verdict_skipped", { ...args, scale: powerOfAny(report.lossScale) });
  if (!Number.isFinite(report.loss)) return pieces("play.verdict_diverged", args);
  if (report.foundInf) return pieces("play.verdict_not_finite", args);
  const early = lost.finite;
  const small = reached.counts(settings.gradientFormat, Math.log2(report.lossScale)).finite[0]!; // as the ruler counts
  if (report.unchanged > small + early) {
    const isDrawn = !settings.masterWeights && settings.weightRounding === "stochastic";
    return pieces(isDrawn ? "play.verdict_unchanged_drawn" : "play.verdict_unchanged", { ...args, count: integer(report.unchanged) });
  }
  if (early === 0) return small > 0 ? pieces("play.verdict_small", { ...args, count: integer(small) }) : pieces("play.verdict_nothing", args);
  return small > 0 ? pieces("play.verdict_small_and_early", { ...args, count: integer(small), early: integer(early) }) : pieces("play.verdict_early", { ...args, count: integer(early) });
}
