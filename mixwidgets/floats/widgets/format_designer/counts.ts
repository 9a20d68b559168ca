// How many codes a format has of each class, and the legend that shows it.

import type { ReadonlySignal } from "@preact/signals-core";
import type { FloatClass } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { rational } from "#core/formats/rational.ts";
import { cut, integer } from "#ui/digits.ts";
import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { View } from "#ui/view.ts";
import type { Design } from "./design.ts";

export const CLASSES: readonly FloatClass[] = ["zero", "subnormal", "normal", "infinity", "nan"];

/** The number of codes of each class; they add up to 2^bits. */
export function countsOf(fmt: FloatFormat): Record<FloatClass, bigint> {
  const signs = fmt.signed ? 2n : 1n;
  const finite = fmt.maxCode + 1n; // magnitude codes
  const below = fmt.smallestNormalCode < finite ? fmt.smallestNormalCode : finite; // zero and the subnormals
  const zero = fmt.hasZero ? (fmt.hasNegativeZero ? 2n : 1n) : 0n;
  const subnormal = fmt.hasZero ? signs * (below - 1n) : 0n;
  const normal = signs * (finite - below);
  const infinity = fmt.infCode === null ? 0n : signs;
  return { zero, subnormal, normal, infinity, nan: (1n << BigInt(fmt.bits)) - zero - subnormal - normal - infinity };
}

/** The number of different finite values; +0 and −0 are one value. */
export function finiteValues(fmt: FloatFormat): bigint {
  const { zero, subnormal, normal } = countsOf(fmt);
  return subnormal + normal + (zero > 0n ? 1n : 0n);
}

export function legend(view: View<Design>, fmt: ReadonlySignal<FloatFormat>): HTMLElement {
  const list = h("ul", { class: "mw-design-legend" });
  view.effect(() => {
    const counts = countsOf(fmt.value);
    const all = 1n << BigInt(fmt.value.bits);
    const found = CLASSES.filter((kind) => counts[kind] > 0n);
    list.replaceChildren(...found.map((kind) => h("li", {},
      h("span", { class: `mw-design-swatch mw-design-${kind}`, "aria-hidden": "true" }, t(`designer.letter_${kind}`)),
      t("designer.class_count", { kind: t(`designer.class_${kind}`), count: integer(counts[kind]), share: shareOf(counts[kind], all) }))));
  });
  return list;
}

function shareOf(part: bigint, all: bigint): string {
  const percent = (2000n * part + all) / (2n * all); // in tenths
  return percent === 0n ? t("designer.tiny") : `${cut(rational(percent, 10n), 4)} %`;
}
