// What became of a weight in a step, from the numbers of a look. No DOM.

import type { Look, Place } from "./look.ts";
import { round, rounderOf, spacing } from "./rounder.ts";
import { keptFormat } from "./settings.ts";
import { roundsByDraws } from "./update.ts";

/** The fates of a weight; each excludes those before it. */
export const FATES = [
  /** The step is left out because a gradient, not always this one, is inf or NaN. */
  "skipped",
  /** float32's step is not finite either: the format is not to blame. */
  "inf_in_both",
  /** The new weight is inf or NaN, and nothing skipped the step. */
  "not_finite",
  /** Its gradient became 0, but the weight still moves, by the optimiser's state. */
  "coasts",
  /** It does not move, since its gradient, times the loss scale, is too small for the format. */
  "flushed",
  /** It does not move: its gradient, times the loss scale, would have fitted, but what it is summed from became 0. */
  "flushed_on_the_way",
  /** How its update is rounded was drawn. */
  "drawn",
  /** It does not move, although its gradient is not 0. */
  "update_lost",
  /** It moves away from where float32 moves it. */
  "wrong_way",
  /** It moves as in float32, within a tenth. */
  "as_float32",
  /** It moves in the right direction, by more than a tenth too far or not far enough. */
  "off",
] as const;
export type Fate = (typeof FATES)[number];

/** By how much of float32's a movement may differ to be called the same. */
export const ALIKE = 0.1;

export function fateOf(look: Look, { tensor, index }: Place): Fate {
  const { settings, twin } = look;
  const kept = look.kept[tensor]![index]!;
  const [next, other] = [look.next[tensor]![index]!, twin.next[tensor]![index]!];
  const [gradient, truth] = [look.unscaled[tensor]![index]!, twin.unscaled[tensor]![index]!];
  if (look.skipped) return twin.foundInf ? "inf_in_both" : "skipped";
  if (!Number.isFinite(next)) return Number.isFinite(other) ? "not_finite" : "inf_in_both";
  const [moved, wanted] = [next - kept, other - kept];
  if (gradient === 0 && truth !== 0) {
    if (moved !== 0) return "coasts";
    if (look.update[tensor]![index] === 0) return fits(look, truth) ? "flushed_on_the_way" : "flushed";
  }
  if (roundsByDraws(settings)) {
    const { low, high } = landing(look, { tensor, index });
    if (low !== high) return "drawn";
  }
  if (moved === 0 && wanted !== 0) return "update_lost";
  if (moved * wanted < 0) return "wrong_way";
  return Math.abs(moved - wanted) <= ALIKE * Math.abs(wanted) ? "as_float32" : "off";
}

/** Where an update leads, and its neighbours among the values that can be kept; both are `exact` if that is one of them. */
export interface Landing {
  readonly exact: number;
  readonly low: number;
  readonly high: number;
}

export function landing({ settings, kept, update }: Look, { tensor, index }: Place): Landing {
  const exact = kept[tensor]![index]! - update[tensor]![index]!;
  const ulp = spacing(rounderOf(keptFormat(settings)), exact);
  return { exact, low: Math.floor(exact / ulp) * ulp, high: Math.ceil(exact / ulp) * ulp };
}

/** The fates of all weights, tensor by tensor. */
export const fatesOf = (look: Look): Fate[][] =>
  look.kept.map((values, tensor) => Array.from(values, (_, index) => fateOf(look, { tensor, index })));

/** How many weights have each fate. */
export function counted(fates: Iterable<Fate>): Record<Fate, number> {
  const counts = Object.fromEntries(FATES.map((fate) => [fate, 0])) as Record<Fate, number>;
  for (const fate of fates) counts[fate]++;
  return counts;
}

/** log2 of the first and the last of some loss scales. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** From which scale on a weight moves as in float32, by its fates at 2^0, 2^1, …: those up to the last scale with a step; null if
 * it does not. */
export function rangeAsFloat32(fates: readonly Fate[]): Range | null {
  const to = fates.findLastIndex((fate) => !isStop(fate));
  const from = fates.slice(0, to + 1).findLastIndex((fate) => fate !== "as_float32") + 1;
  return from <= to ? { from, to } : null;
}

/** Whether there is no finite step. */
export const isStop = (fate: Fate): boolean => fate === "skipped" || fate === "inf_in_both" || fate === "not_finite";

/** Whether a gradient times the loss scale does not round to 0. */
const fits = ({ settings, lossScale }: Look, gradient: number): boolean => round(rounderOf(settings.gradientFormat), gradient * lossScale) !== 0;
