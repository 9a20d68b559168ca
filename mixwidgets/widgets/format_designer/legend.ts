// How many codes each class has: the legend of the map, and what stands in its place for wider formats.

import type { FloatFormat } from "#core/formats/float_format.ts";
import { rational } from "#core/formats/rational.ts";
import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { cut } from "#ui/digits.ts";
import { CLASSES, countsOf } from "./counts.ts";
import { MAP_BITS } from "./map.ts";

export function legend(): { element: HTMLElement; show(fmt: FloatFormat): void } {
  const list = h("ul", { class: "mw-design-legend" });
  const note = h("p", { class: "mw-note" });
  const element = h("div", { class: "mw-stack-tight" }, list, note);
  const show = (fmt: FloatFormat) => {
    const counts = countsOf(fmt);
    const all = 1n << BigInt(fmt.bits);
    const found = CLASSES.filter((kind) => counts[kind] > 0n);
    list.replaceChildren(...found.map((kind) => h("li", {},
      h("span", { class: `mw-design-swatch mw-design-${kind}`, "aria-hidden": "true" }, t(`designer.letter_${kind}`)),
      t("designer.class_count", { kind: t(`designer.class_${kind}`), count: grouped(counts[kind]), share: shareOf(counts[kind], all) }))));
    note.hidden = fmt.bits <= MAP_BITS;
    note.textContent = t("designer.too_wide", { codes: grouped(all), bits: fmt.bits });
  };
  return { element, show };
}

function grouped(count: bigint): string {
  return count.toLocaleString("en-US");
}

function shareOf(part: bigint, all: bigint): string {
  const percent = (2000n * part + all) / (2n * all); // in tenths
  return percent === 0n ? t("designer.tiny") : `${cut(rational(percent, 10n), 4)} %`;
}
