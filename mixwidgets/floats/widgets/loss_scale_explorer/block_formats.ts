// What block formats lose of the tensors shown. It does not follow from the counts: it is told if it was recorded.

import type { GradientSummary } from "#core/gradients/summary.ts";
import { withMinus } from "#ui/digits.ts";
import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { percent, share } from "#ui/ruler/words.ts";
import { formatRow, formatTable } from "./format_table.ts";
import type { Explored } from "./state.ts";

const tenths = (value: number) => withMinus(value.toFixed(1));
const COLUMNS = ["flushed", "clipped", "error", "range", "amax"] as const;

export function blockFormats({ view, all, answers }: Explored): HTMLElement {
  const { table, body } = formatTable(t("explorer.blocks"), COLUMNS.map((column) => t(`explorer.blocks_${column}`)));
  const element = h("section", { class: "mw-stack-tight" },
    h("h4", {}, t("explorer.blocks")), table, h("p", { class: "mw-note" }, t("explorer.blocks_note")));

  view.effect(() => {
    const formats = new Set(all.value.summaries.flatMap(({ blocks }) => blocks.map(({ format }) => format)));
    element.hidden = formats.size === 0;
    body.replaceChildren(...[...formats].map((format) => row(format, answers.value.summaries)));
  });
  return element;
}

function row(format: string, shown: readonly GradientSummary[]): HTMLElement {
  const records = shown.map(({ blocks }) => blocks.find((one) => one.format === format));
  if (!records.every((one) => one !== undefined)) return formatRow(format, [t("explorer.blocks_unknown")], { colspan: COLUMNS.length });
  const all = shown.reduce((sum, { finite }) => sum + finite, 0);
  const total = (field: "flushed" | "clipped") => share(records.reduce((sum, one) => sum + one[field], 0), all);
  const one = records.length === 1 ? records[0] : undefined;
  const span = (low: number | null | undefined, high: number | null | undefined) =>
    low == null || high == null ? "–" : `${tenths(low)} … ${tenths(high)}`;
  const log2 = (amax: number | null | undefined) => amax && Math.log2(amax);
  const cells = [
    total("flushed"), total("clipped"), one ? percent(one.relative_error) : "–",
    span(one?.block_range_p50, one?.block_range_max), span(log2(one?.block_amax_min), log2(one?.block_amax_max)),
  ];
  const said = one?.blocks_along ? t("explorer.blocks_row", { format, axes: one.blocks_along }) : format;
  return formatRow(said, cells);
}
