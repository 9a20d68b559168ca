// What a loss scale does to the gradients of the last step.

import { computed } from "@preact/signals-core";
import { GradientSummary, summaryOf } from "#core/gradients/summary.ts";
import { round, rounderOf, type Rounder } from "#training/rounder.ts";
import type { WeightTensor } from "#training/types.ts";
import type { Session } from "./session.ts";

/** The last step's gradients by float32 arithmetic, before the scale, tensor by tensor and together; none before the first. */
export function gradientAnswers(session: Session) {
  return computed(() => {
    const format = session.settings.value.gradientFormat;
    const report = session.report.value;
    const arrays = report ? session.chosen.referenceGradients() : [new Float32Array()];
    const summaries = arrays.map((values) => summaryOf(values, format));
    const early = report ? lostEarly(session.chosen.tensors, arrays, rounderOf(format), report.lossScale) : 0;
    return { format, summaries, total: GradientSummary.together(summaries), early };
  });
}

/** How many gradients are stored as zero that the format could hold as float32 has them, times the scale: they were lost in the
 * backward pass, before they were stored. */
function lostEarly(tensors: readonly WeightTensor[], exact: readonly Float32Array[], rounder: Rounder, scale: number): number {
  const lost = tensors.map(({ gradient }, tensor) =>
    gradient.reduce((count, stored, i) => count + Number(stored === 0 && round(rounder, exact[tensor]![i]! * scale) !== 0), 0));
  return lost.reduce((sum, count) => sum + count, 0);
}
