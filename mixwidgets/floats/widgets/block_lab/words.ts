// Numbers and names of the lab in words, and its sentences.

import { getBlockFormat, type BlockFormat } from "#core/blocks/catalogue.ts";
import { twoTo, withMinus } from "#ui/digits.ts";
import { listed, pieces, sentences as joined, t, type Piece } from "#ui/messages.ts";
import { lossOf, outcome, rotatedRows, type Block, type Outcome } from "./outcome.ts";
import { inFormat, is2d, type Lab, type Shown } from "./state.ts";

/** At most `digits` significant digits; −0 keeps its sign. */
export function number(x: number, digits = 4): string {
  return Object.is(x, -0) ? "−0" : withMinus(String(Number(x.toPrecision(digits))));
}

export function percent(share: number): string {
  if (share === 0) return "0 %";
  if (share < 0.0005) return "<0.1 %";
  return share < 0.9995 ? `${(100 * share).toFixed(1)} %` : `${Math.round(100 * share)} %`;
}

/** A code of so many bits, such as "0x0F". */
export function hex(code: number, bits: number): string {
  return `0x${code.toString(16).toUpperCase().padStart(Math.ceil(bits / 4), "0")}`;
}

/** A block's scale, times the tensor's: a power of two such as "2⁻³", or in digits where not every scale is one. */
export function scaleText({ format }: Outcome, { unit }: Block, digits = 4): string {
  if (format.scalesByPowersOfTwo) return twoTo(Math.round(Math.log2(unit)));
  return unit > 0.001 && unit < 100 ? unit.toPrecision(digits) : number(unit, digits);
}

/** "element 9", or in a matrix "element 9 of row 5". */
export function elementName({ values, columns }: Lab, index: number): string {
  return values.length === columns ? t("blocks.element", { element: index })
    : t("blocks.element_of", { element: index % columns, row: Math.floor(index / columns) });
}

/** "16 in a row" or "16 × 16". */
export function blockText({ block: [rows, columns] }: BlockFormat): string {
  return rows > 1 ? t("blocks.of_matrix", { rows, columns }) : t("blocks.of_row", { size: columns });
}

/** The first sentence: how many elements are lost; with the rows rotated, what that does to the chosen one. */
export function headline(shown: Shown, kin: readonly Outcome[]): Piece[] {
  const { outcome: now, rotated, row, lab: { format } } = shown;
  if (rotated) {
    const [from, to] = [now, rotated].map(({ rows }) => lossOf(rows[row]!).relative) as [number, number];
    const said = percent(from) === percent(to) ? "same" : to > from ? "worse" : "better";
    return pieces(`blocks.rotated_${said}`, { format: formatName(format), from: percent(from), to: percent(to) });
  }
  const [rows, columns] = format.block;
  const counted = { lost: now.lost, all: now.all, rows, columns };
  const said = now.lost === 0 ? pieces(is2d(format) ? "blocks.none_of_matrix" : "blocks.none_of_rows", counted)
    : pieces(is2d(format) ? "blocks.lost_of_matrix" : "blocks.lost_of_rows", counted);
  const other = kin[0];
  const then = other ? t(is2d(other.format) ? "blocks.with_matrix" : "blocks.with_rows", { other: other.lost, rows: other.format.block[0], columns: other.format.block[1] })
    : t("blocks.error_is", { error: percent(now.relative) });
  return [...said, { text: then, strong: false }];
}

/** The second: what sets the scale of the chosen element's block and whom that costs; with the rows rotated, the counts of
 * before and after, and NVFP4 and MXFP4. */
export function explanation(shown: Shown): string {
  const { outcome: now, rotated, row, lab, active } = shown;
  if (!rotated) return blockSentences(shown, now.blockAt(active));
  const [before, after] = [now, rotated].map(({ rows }) => lossOf(rows[row]!)) as [ReturnType<typeof lossOf>, ReturnType<typeof lossOf>];
  const others = ["nvfp4", "mxfp4"].filter((name) => name !== lab.format.name).map((name) => {
    const other = inFormat(lab, getBlockFormat(name)!);
    const [from, to] = [other.values, rotatedRows(lab)].map((values) =>
      percent(lossOf(outcome({ ...other, values }).rows[row]!).relative)) as [string, string];
    return t("blocks.other_rotated", { format: formatName(other.format), from, to });
  });
  return joined([t("blocks.rotated_counts", { before: before.lost, after: after.lost, all: before.all }), t("blocks.others_rotated", { others: listed(others) })]);
}

/** Which element sets a block's scale, the effect on the others, and whether it is clipped itself. */
export function blockSentences({ outcome: now, lab }: Pick<Shown, "outcome" | "lab">, block: Block): string {
  const scale = scaleText(now, block);
  if (block.setter === null) return t("blocks.zeros", { scale });
  const { kind, value, result } = now.elements[block.setter]!;
  if (kind === "lost") return t(block.scale === 0 ? "blocks.no_scale" : "blocks.tiny", { scale }); // no element sets such a scale
  const others = block.members.filter((member) => member !== block.setter && now.elements[member]!.kind !== "zero");
  const count = others.filter((member) => now.elements[member]!.kind === "lost").length;
  const lost = others.length === 0 ? t("blocks.alone")
    : t(count === 0 ? "blocks.none_lost" : count === 1 ? "blocks.one_lost" : "blocks.some_lost", { others: others.length, count });
  const { element } = now.format;
  const sets = t("blocks.sets", { element: elementName(lab, block.setter), value: number(value), scale, lost });
  if (kind === "clipped") return joined([sets, t("blocks.clipped", { largest: number(element.values.at(-1)!), result: number(result) })]);
  if (element.fractionBits === null) return sets; // a table has another threshold above 0 than below
  return joined([sets, t("blocks.least", { least: number((element.values.find((one) => one > 0)! / 2) * block.unit) })]);
}

/** "NVFP4" for nvfp4. */
const formatName = ({ name }: BlockFormat): string => name.toUpperCase().replaceAll("_", " ");
