// What became of one run's gradients, step by step: shares of the four classes, one upon the other; what was not finite is open above.

import { CLASSES } from "#core/gradients/boundaries.ts";
import type { Axes, Frame } from "#ui/chart/geometry.ts";
import { plot, type Plot } from "#ui/chart/chart.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { swatch, textures } from "#ui/ruler/textures.ts";
import { integer } from "#ui/digits.ts";
import { percent } from "#ui/run_words.ts";
import { sharesPaths } from "./geometry.ts";
import { isKnown, type Shares, type ShownRun } from "./state.ts";

const HALVES = [0, 0.5, 1];
const KINDS = [...CLASSES, "not_finite"] as const;

export function sharesChart(): Omit<Plot, "draw"> & { draw: (frame: Frame, x: Axes["x"], run: ShownRun | undefined) => void } {
  const fills = textures();
  const areas = CLASSES.map((kind) => s("path", { fill: fills.fill(kind) }));
  const { draw: drawAxes, ...rest } = plot(t("lab.shares"), "", s("g", { class: "mw-areas" }, ...areas));
  const figures = KINDS.map(() => h("span", { class: "mw-num" }));
  const key = h("p", { class: "mw-row mw-key mw-shares-key" },
    ...KINDS.map((kind, i) => h("span", { class: "mw-row" }, kind === "not_finite" ? "" : swatch(kind, fills), t(`lab.class_${kind}`), figures[i])));
  rest.element.append(key, fills.element);

  const draw = (frame: Frame, x: Axes["x"], run: ShownRun | undefined) => {
    const y = (share: number) => frame.top + (1 - share) * (frame.height - frame.bottom - frame.top);
    const shares = run?.curves.shares ?? [];
    const last = shares.findLast(isKnown);
    setText(rest.note, run ? t("lab.shares_note", { name: run.name }) : "");
    const yTicks = HALVES.map((share) => ({ at: y(share), text: t("lab.percent", { share: 100 * share }) }));
    drawAxes({ frame, x, yTicks, empty: last ? "" : t("lab.no_shares"), summary: last ? words(run!, last) : t("lab.no_shares") });
    sharesPaths(x, y, shares, CLASSES.length).forEach((path, i) => set(areas[i]!, { d: path }));
    figures.forEach((figure, i) => setText(figure, last ? percent(last.of[i]!) : "–"));
  };
  return { ...rest, draw };
}

const words = ({ name }: ShownRun, { step, of }: Shares): string =>
  t("lab.shares_words", { name, step: integer(step), shares: listed(KINDS.map((kind, i) => `${percent(of[i]!)} ${t(`lab.class_${kind}`)}`)) });
