// Numbers in the page's texts.

import { CLASSES } from "#core/gradients/boundaries.ts";
import { integer, twoTo, withMinus } from "#ui/digits.ts";
import { listed, t } from "#ui/messages.ts";

const few = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const rough = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });
const small = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });

/** A share in percent. "0 %" and "100 %" are exact; near them, it is "<0.1 %" or ">99.9 %". */
export function share(count: number, all: number): string {
  if (count === 0 || all === 0) return "0 %";
  if (count === all) return "100 %";
  const percent = (100 * count) / all;
  if (percent < 0.05) return "<0.1 %";
  return percent >= 99.95 ? ">99.9 %" : `${percent.toFixed(1)} %`;
}

/** "92.5 % flushed to zero, 7.5 % normal, …": of `all`, counts in the order of CLASSES. */
export function shares(counts: ArrayLike<number>, all: number): string {
  return listed(CLASSES.map((kind, i) => `${share(counts[i]!, all)} ${t(`ruler.zone_${kind}`)}`));
}

/** 2^log2 as a number: "32768", "0.00390625", "5.96046e-8". */
export function powerOfTwo(log2: number): string {
  const value = 2 ** log2;
  return log2 >= -10 ? String(value) : value.toExponential(4);
}

/** The slider's value for a screen reader. */
export function spokenScale(log2: number): string {
  const value = log2 < -10 ? small.format(2 ** log2) : powerOfTwo(log2);
  return t("ruler.scale", { log2, value });
}

/** A measured number in four significant digits. */
export function number(value: number): string {
  return Number.isFinite(value) ? few.format(value) : withMinus(String(value).replace("Infinity", "∞"));
}

/** An estimate in percent: two significant digits. */
export function percent(ratio: number): string {
  return Number.isFinite(ratio) ? `${rough.format(100 * ratio)} %` : "∞";
}

/** A loss scale: "2¹⁶", or digits if it is not a power of two. */
export function powerOfAny(scale: number): string {
  const log2 = Math.log2(scale);
  return Number.isInteger(log2) ? twoTo(log2) : number(scale);
}

/** A drawn binade in words: "2⁻²⁰ to 2⁻¹⁹: 1,234 of the gradients (12.3 %), subnormal". `table` comes from `binned`. */
export function cellWords(table: Float64Array, column: number, { low, bins }: { low: number; bins: number }, finite: number): string {
  const counts = table.subarray(column * CLASSES.length, (column + 1) * CLASSES.length);
  const count = counts.reduce((sum, part) => sum + part, 0);
  const kinds = CLASSES.filter((_, kind) => counts[kind]! > 0).map((kind) => t(`ruler.zone_${kind}`));
  const [from, to] = [twoTo(low + column), twoTo(low + column + 1)];
  const place = column === 0 ? t("ruler.below", { to }) : column === bins - 1 ? t("ruler.above", { from }) : t("ruler.between", { from, to });
  if (count === 0) return t("ruler.cell_empty", { place });
  return t("ruler.cell", { place, count: integer(count), share: share(count, finite), kinds: listed(kinds) });
}
