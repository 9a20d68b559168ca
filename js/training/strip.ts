// What a step does at each loss scale, from the same weights.

import { counted, type Fate, fatesOf } from "./fate.ts";
import { looks, type Place } from "./look.ts";
import type { Settings } from "./settings.ts";
import type { Trainer } from "./trainer.ts";

/** What becomes of the weights at the scales 2^0 … 2^HIGHEST. */
export interface Strip {
  /** Of one weight, scale by scale. */
  of(place: Place): Fate[];
  /** How many weights have each fate, scale by scale. */
  readonly counts: readonly Readonly<Record<Fate, number>>[];
}

/** log2 of a strip's last scale. */
export const HIGHEST = 40;

/** The fates of all weights at each scale, of the step that `look` shows. The scales share their draws and the forward pass. */
export function strip(trainer: Trainer, settings: Settings = trainer.settings): Strip {
  const { at } = looks(trainer, settings);
  const starts: number[] = [];
  let all = 0;
  for (const { kept } of trainer.tensors) {
    starts.push(all);
    all += kept.length;
  }
  const fates = Array.from({ length: HIGHEST + 1 }, (_, log2) => fatesOf(at(2 ** log2)).flat());
  return { counts: fates.map(counted), of: ({ tensor, index }) => fates.map((all) => all[starts[tensor]! + index]!) };
}
