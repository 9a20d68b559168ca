// Numbers and sentences of the page.

import { type Piece, pieces, t } from "#ui/messages.ts";
import { twoTo, withMinus } from "#ui/digits.ts";
import type { Block, Outcome } from "./outcome.ts";

/** At most `digits` significant digits. */
export function number(x: number, digits = 4): string {
  return withMinus(String(Number(x.toPrecision(digits))));
}

export function percent(share: number): string {
  if (share === 0) return "0 %";
  if (share < 0.0005) return "<0.1 %";
  return share < 0.1 ? `${(100 * share).toFixed(1)} %` : `${Math.round(100 * share)} %`;
}

/** A block's scale, such as "2⁻³"; digits for formats with a tensor scale. */
export function scaleText({ tensorScale }: Outcome, { unit }: Block): string {
  return tensorScale === null ? twoTo(Math.round(Math.log2(unit))) : number(unit);
}

/** A code in hex, padded to its width. */
export function hex(code: number, bits: number): string {
  return "0x" + code.toString(16).toUpperCase().padStart(Math.ceil(bits / 4), "0");
}

/** Which element sets a block's scale, the effect on the others, and whether it is clipped itself. */
export function sentences(found: Outcome, index: number): Piece[] {
  const block = found.blocks[index]!;
  const scale = scaleText(found, block);
  const named = found.blocks.length > 1;
  const args = { block: index + 1, scale };
  if (block.setter === null) return pieces(named ? "blocks.zeros_block" : "blocks.zeros", args);
  const { kind, value, result } = found.elements[block.setter]!;
  if (kind === "lost") return pieces(named ? "blocks.tiny_block" : "blocks.tiny", args); // no element sets a scale that cannot be smaller
  const others = found.elements.slice(block.start, block.start + block.size)
    .filter(({ kind }, i) => kind !== "zero" && block.start + i !== block.setter);
  const count = others.filter(({ kind }) => kind === "lost").length;
  const counted = { others: others.length, count };
  const lost = others.length === 0 ? t("blocks.alone")
    : count === 0 ? t("blocks.none_lost", counted)
    : count === 1 ? t("blocks.one_lost", counted)
    : t("blocks.some_lost", counted);
  const said = pieces(named ? "blocks.sets_block" : "blocks.sets", { ...args, element: block.setter, lost });
  if (kind !== "clipped") return said;
  const clipped = t("blocks.clipped", {
    element: block.setter, largest: number(found.largest), value: number(value), result: number(result),
  });
  return [...said, { text: ` ${clipped}`, strong: false }];
}

