// Texts of the playground: names and numbers. No DOM.

import type { WeightTensor } from "#training/trainer.ts";
import { integer, powerText, withMinus } from "#ui/digits.ts";
import { t } from "#ui/messages.ts";
import { number, share } from "#ui/ruler/words.ts";

export function tensorName({ layer, kind }: Pick<WeightTensor, "layer" | "kind">): string {
  return t(`play.tensor_${kind}`, { layer: layer + 1 });
}

/** A format's name in a sentence: "E2M1" for float4_e2m1fn, "E4M3FNUZ", "E5M7" for one's own, "bfloat16". */
export function shortName(name: string): string {
  return name.replace(/^(?:float\d+|custom)_(e\dm\d+)(.*)$/, (_, widths: string, more: string) => `${widths}${more === "fn" ? "" : more}`.toUpperCase());
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
    if (value > 0 && value < 0.03 && exponent <= -4 && Math.abs(value / base ** exponent - 1) < 1e-9) return powerText(base, exponent);
  }
  return String(value);
}

/** A weight in six digits: "0.0344089", "−1.2e−7". */
export const weightText = (value: number): string => withMinus(String(Number(value.toPrecision(6))));
