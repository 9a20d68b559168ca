// Where an update leads among the values that a narrow weight can have: its two neighbours, their midpoint, and what it became.

import { s, set, setText } from "#ui/dom.ts";

const [WIDE, FLOOR] = [256, 26];
const [LEFT, RIGHT] = [26, 230];

export interface Road {
  /** The weight before and after. */
  readonly from: number;
  readonly next: number;
  /** Where the update leads before rounding, and its neighbours. */
  readonly exact: number;
  readonly low: number;
  readonly high: number;
  text(value: number): string;
}

export function roadDrawing(midpointWords: string) {
  const tick = (kind: string) => s("path", { class: kind });
  const [low, high, middle, arc] = [tick("mw-step-tick"), tick("mw-step-tick"), tick("mw-step-middle"), tick("mw-step-arc")];
  const end = s("circle", { r: 4.5, cy: FLOOR, class: "mw-step-end" });
  const label = (x: number) => s("text", { x, y: FLOOR + 18, class: "mw-num" });
  const [lowText, highText] = [label(2), label(WIDE - 2)];
  const middleText = s("text", { x: (LEFT + RIGHT) / 2, y: FLOOR + 18 }, midpointWords);
  const element = s("svg", { viewBox: `0 0 ${WIDE} ${FLOOR + 22}`, class: "mw-step-road", "aria-hidden": "true" },
    s("path", { d: `M4 ${FLOOR}H${WIDE - 4}`, class: "mw-step-axis" }), low, high, middle, arc, end, lowText, highText, middleText);
  return {
    element,
    show(road: Road): void {
      // A value of the format has no two neighbours: the line then ends at the weight before.
      const isExact = road.low === road.high;
      const ends = isExact ? [Math.min(road.from, road.exact), Math.max(road.from, road.exact)] as const : [road.low, road.high] as const;
      const span = ends[1] - ends[0] || 1;
      const at = (value: number) => LEFT + ((RIGHT - LEFT) * (value - ends[0])) / span;
      const to = at(road.exact);
      const from = Math.max(4, Math.min(WIDE - 4, at(road.from)));
      set(low, { d: `M${LEFT} ${FLOOR - 7}V${FLOOR + 7}` });
      set(high, { d: `M${RIGHT} ${FLOOR - 7}V${FLOOR + 7}` });
      set(middle, { d: isExact ? "" : `M${(LEFT + RIGHT) / 2} ${FLOOR - 12}V${FLOOR + 7}` });
      set(middleText, { visibility: isExact ? "hidden" : "visible" });
      set(arc, { d: `M${from} ${FLOOR - 4}Q${(from + to) / 2} ${FLOOR - 24} ${to} ${FLOOR - 4}` });
      set(end, { cx: to });
      setText(lowText, road.text(ends[0]));
      setText(highText, road.text(ends[1]));
    },
  };
}
