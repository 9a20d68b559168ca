// The losses of each setting over its seeds: their mean as a line, from their lowest to their highest as a band.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { readFrame, rowsOf } from "#core/frame.ts";
import { chart } from "#ui/chart/chart.ts";
import { bandPath, lossAxes, lossPath, lossTicks, pointAt, type Range, within } from "#ui/chart/geometry.ts";
import { lineKey } from "#ui/chart/key.ts";
import { steps } from "#ui/chart/steps.ts";
import { set, setText } from "#ui/dom.ts";
import { inSeries, sentences, t } from "#ui/messages.ts";
import { integer } from "#ui/digits.ts";
import { axisNumber, decimal } from "#ui/run_words.ts";
import type { View } from "#ui/view.ts";
import type { Grid } from "./grid.ts";

interface Band {
  name: string;
  style: number;
  rows: (Range & { mean: number })[];
}

/** The bands of the grid's first rows: (step, mean, low, high), step by step. */
export const bandsIn = (sent: DataView): number[][][] => [...readFrame(sent).arrays.values()].map(rowsOf);

export function bandChart(view: View, { rows }: Grid, sent: ReadonlySignal<number[][][]>): HTMLElement {
  const bands = computed(() => sent.value.map((band, i): Band => ({
    name: rows[i]!.name, style: i, rows: band.map(([step, mean, low, high]) => ({ step: step!, mean: mean!, low: low!, high: high! })),
  })).filter((band) => band.rows.length > 0));
  const loss = chart(t("sweep.loss"), t("sweep.loss_note"));
  const key = lineKey();
  const all = computed(() => bands.value.reduce((most, { rows }) => Math.max(most, rows.at(-1)!.step), 0));
  const read = (step: number) => [t("chart.step_is", { step: integer(step) }), ...bands.value.map((band) => words(band, step))].join(" · ");
  const { element, part, isLog } = steps(view, all, [loss], (step) => (bands.value.length > 0 ? read(step) : ""));
  element.prepend(key.element);
  const size = view.width(element);

  view.effect(() => {
    set(element, { hidden: bands.value.length === 0 });
    const isPart = rows.length > sent.value.length;
    setText(loss.note, sentences([t("sweep.loss_note"), isPart ? t("sweep.first_settings", { count: sent.value.length }) : ""]));
    const width = Math.max(240, Math.round(size.value) || 560);
    const { named, right } = key.place(width, bands.value);
    const frame = { width, height: element.closest("[data-stage]") ? 140 : 220, left: 58, right, top: 8, bottom: 24 };
    const extremes = bands.value.flatMap(({ rows }) => [rows.map(({ step, low }) => ({ step, value: low })), rows.map(({ step, high }) => ({ step, value: high }))]);
    const axes = lossAxes(frame, extremes, part.value, isLog.value);
    loss.draw({
      frame,
      x: axes.x,
      yTicks: lossTicks(axes, isLog.value).map((at) => ({ at: axes.y(at), text: axisNumber(at) })),
      series: bands.value.map(({ name, style, rows }) => {
        const last = within(rows, part.value).findLast(({ high }) => Number.isFinite(high));
        return {
          id: name, name, style,
          path: lossPath(axes, rows.map(({ step, mean }) => ({ step, value: mean }))),
          band: bandPath(axes, rows),
          end: axes.y(last ? (Number.isFinite(last.mean) ? last.mean : last.high) : axes.y.domain()[0]!),
        };
      }),
      named,
      empty: "",
      summary: sentences([t("sweep.loss_summary"), inSeries(bands.value.map((band) => words(band, all.value)))]),
    });
  });
  return element;
}

/** "fp32: 0.31, from 0.29 to 0.33". */
function words({ name, rows }: Band, step: number): string {
  const { mean, low, high } = pointAt(rows, step)!;
  if (!Number.isFinite(mean)) return t("sweep.no_mean", { name });
  return low === high ? t("common.named", { name, what: decimal(mean) }) : t("sweep.band_at", { name, mean: decimal(mean), low: decimal(low), high: decimal(high) });
}
