// What the stations show of all weights: shares instead of values. No DOM.

import { counted, FATES, type Fate } from "#training/fate.ts";
import type { Look } from "#training/look.ts";
import { keptFormat } from "#training/settings.ts";
import { t } from "#ui/messages.ts";
import { percent } from "#ui/ruler/words.ts";
import { brief, notFiniteText, scaleText } from "./names.ts";
import type { Shares } from "./strip.ts";
import { countZones, type Counts, type Zone, zoneOf, zoneWords } from "./zones.ts";

/** The fates that some weights have, in the order of FATES. */
export const sharesOf = (counts: Readonly<Record<Fate, number>>): Shares => FATES.filter((fate) => counts[fate] > 0).map((fate) => [fate, counts[fate]] as const);

export type AllWeights = ReturnType<typeof allWeights>;

interface Bar {
  readonly words: string;
  readonly counts: Counts;
}

export function allWeights(look: Look, fates: readonly (readonly Fate[])[]) {
  const { settings, twin, pass } = look;
  const all = fates.reduce((sum, { length }) => sum + length, 0);
  const weights = look.tensors.reduce((sum, { kind, shape }) => sum + (kind === "weight" ? shape[0] * shape[1] : 0), 0);
  const { activationFormat, gradientFormat } = settings;
  const bar = (key: "outputs" | "hidden" | "gradients" | "activations", pairs: readonly (readonly [Float32Array, Float32Array])[], format = gradientFormat): Bar => {
    const zones: Zone[] = pairs.flatMap(([own, truth]) => Array.from(own, (value, i) => zoneOf(format, value, truth[i]!)));
    const counts = countZones(zones);
    return { words: t(`step.ui.bar_${key}`, { count: zones.length, zones: zoneWords(counts) }), counts };
  };
  const paired = (of: (side: typeof twin) => readonly Float32Array[]) => of(look).map((own, i) => [own, of(twin)[i]!] as const);
  const rounding = look.read.reduce((most, values, tensor) => values.reduce((largest, value, i) => {
    const kept = look.kept[tensor]![i]!;
    return kept === 0 || !Number.isFinite(value) ? largest : Math.max(largest, Math.abs((value - kept) / kept));
  }, most), 0);
  const hidden = pass.errors.length > 1;
  const log2 = Math.log2(look.lossScale);
  const scale = Number.isInteger(log2) ? scaleText(log2) : brief(look.lossScale);
  return {
    all,
    kept: [t("step.ui.magnitudes", span(look.kept)), t("step.ui.weights_biases", { weights, biases: all - weights })],
    copy: rounding === 0 ? t("step.ui.same_bits") : t("step.ui.all_rounded", { all, most: percent(rounding) }),
    activations: hidden ? bar("activations", paired(({ pass: { values } }) => values.slice(1, -1)), activationFormat) : null,
    backward: [
      bar("outputs", paired(({ pass: { errors } }) => errors.slice(-1))),
      ...(hidden ? [bar("hidden", paired(({ pass: { errors } }) => errors.slice(0, -1)))] : []),
      bar("gradients", paired(({ gradient }) => gradient)),
    ],
    check: look.skipped
      ? [notFiniteText(look), t("step.ui.gate"), look.nextScale === look.lossScale ? "" : t("step.ui.next_scale", { scale, next: scaleText(Math.log2(look.nextScale)) })]
      : [t(look.notFinite ? "step.ui.unchecked" : "step.ui.all_finite", { all, count: look.notFinite }), t("step.ui.divided_by", { scale }), t("step.ui.twin_span", span(twin.unscaled))],
    shares: sharesOf(counted(fates.flat())),
    format: keptFormat(settings),
  };
}

/** The smallest and the largest magnitude that are not 0. */
function span(arrays: readonly Float32Array[]): { low: string; high: string } {
  let [low, high] = [Infinity, 0];
  for (const values of arrays) {
    for (const value of values) {
      const size = Math.abs(value);
      if (size > 0 && size < low) low = size;
      if (size > high) high = size;
    }
  }
  return { low: brief(low), high: brief(high) };
}
