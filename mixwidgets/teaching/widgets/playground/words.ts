// Texts of the playground: names and numbers. No DOM.

import type { WeightTensor } from "#training/trainer.ts";
import { integer, withMinus } from "#ui/digits.ts";
import { t } from "#ui/messages.ts";
import { number, share } from "#ui/ruler/words.ts";

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

/** A weight in six digits: "0.0344089", "−1.2e−7". */
export const weightText = (value: number): string => withMinus(String(Number(value.toPrecision(6))));
