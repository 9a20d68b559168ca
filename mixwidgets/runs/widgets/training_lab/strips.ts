// What became of the gradients of several runs, a strip each, on the charts' step axis: stacked shares of all gradients.

import { CLASSES } from "#core/gradients/boundaries.ts";
import { colourClass, plot, type Plot } from "#ui/chart/chart.ts";
import { areaPath, type Axes, type Frame, spans } from "#ui/chart/geometry.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { integer } from "#ui/digits.ts";
import { listed, sentences, t } from "#ui/messages.ts";
import { swatch, textures } from "#ui/ruler/textures.ts";
import { percent } from "#ui/run_words.ts";
import { isKnown, type Shares } from "./state.ts";

const DRAWN = ["zero", ...CLASSES] as const; // what is left open at the top was not finite
const KINDS = [...DRAWN, "not_finite"] as const;
const [HEIGHT, GAP, NAME] = [26, 8, 15]; // px; a name stands beside its strip or, without room, above it

/** A strip's run. */
export interface Strip {
  readonly name: string;
  readonly style: number;
  readonly shares: readonly Shares[];
}

export function stripsChart(): Omit<Plot, "draw"> & { draw: (frame: Omit<Frame, "height">, x: Axes["x"], strips: readonly Strip[], named: boolean) => void } {
  const fills = textures();
  const [areas, names] = [s("g", { class: "mw-areas" }), s("g")];
  const { draw: drawAxes, ...rest } = plot(t("lab.shares"), "", areas, names);
  const key = h("p", { class: "mw-row mw-key mw-shares-key" }, ...KINDS.map((kind) => h("span", { class: "mw-row" },
    kind === "not_finite" || kind === "zero" ? h("span", { class: `mw-swatch mw-swatch-${kind}` }) : swatch(kind, fills), t(`lab.class_${kind}`))));
  rest.element.append(key, fills.element);

  const draw = (frame: Omit<Frame, "height">, x: Axes["x"], strips: readonly Strip[], named: boolean) => {
    const above = named ? 0 : NAME;
    const tall = above + HEIGHT + GAP;
    const height = frame.top + Math.max(1, strips.length) * tall + frame.bottom;
    setText(rest.note, t("lab.shares_note"));
    const summary = sentences(strips.map(words));
    drawAxes({ frame: { ...frame, height }, x, yTicks: [], empty: strips.length > 0 ? "" : t("lab.no_shares"), summary: summary || t("lab.no_shares") });
    areas.replaceChildren(...strips.flatMap(({ shares }, i) => {
      const top = frame.top + i * tall + above;
      const paths = sharesPaths(x, (share) => top + (1 - share) * HEIGHT, shares, DRAWN.length);
      return paths.map((d, kind) => s("path", kind === 0 ? { d, class: "mw-zero" } : { d, fill: fills.fill(CLASSES[kind - 1]!) }));
    }));
    names.replaceChildren(...strips.map(({ name, style }, i) => {
      const top = frame.top + i * tall + above;
      const at = named ? { x: frame.width - frame.right + 10, y: top + HEIGHT / 2 + 4 } : { x: frame.left + 4, y: top - 4 };
      return s("text", { class: `mw-label ${colourClass(style)}`, ...at }, name);
    }));
    set(key, { hidden: strips.length === 0 });
  };
  return { ...rest, draw };
}

/** "Gradients of fp16 at step 200: 98.1 % 0, …". */
function words({ name, shares }: Strip): string {
  const last = shares.findLast(isKnown);
  return last ? t("lab.shares_words", { name, step: integer(last.step), shares: sharesSaid(last) }) : "";
}

/** "0 98.1 %, subnormal 1.9 %": those that there are. */
export const sharesSaid = ({ of }: Shares): string =>
  listed(KINDS.flatMap((kind, i) => (of[i]! > 0 ? [`${t(`lab.class_${kind}`)} ${percent(of[i]!)}`] : [])));

/** Stacked areas, one for each class, as closed paths. What they leave open at the top was not finite; steps whose shares are
 * unknown leave a gap. */
export function sharesPaths(x: Axes["x"], y: (share: number) => number, shares: readonly Shares[], classes: number): string[] {
  const drawn = spans(shares, isKnown);
  return Array.from({ length: classes }, (_, kind) => drawn.map((span) => area(x, y, span, kind)).join(""));
}

const BAR = 4; // px; a step alone

function area(x: Axes["x"], y: (share: number) => number, span: readonly Shares[], kind: number): string {
  const sum = (shares: Shares, classes: number) => shares.of.slice(0, classes).reduce((all, share) => all + share, 0);
  const corners = span.map((shares) => ({ at: x(shares.step), low: y(sum(shares, kind)), high: y(sum(shares, kind + 1)) }));
  if (corners.length === 1) corners.push({ ...corners[0]!, at: corners[0]!.at + BAR });
  return areaPath(corners);
}
