// What a format makes of numbers on the way back: the zones of its range, and how many lie in each. No DOM but the bars.

import type { FloatFormat } from "#core/formats/float_format.ts";
import { h, set } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";

/** "zero": 0 in float32 too. */
export const ZONES = ["zero", "flushed", "subnormal", "normal", "overflow"] as const;
export type Zone = (typeof ZONES)[number];

/** The zone of a stored value; `truth`: what float32 has in its place. */
export function zoneOf(format: FloatFormat, stored: number, truth: number): Zone {
  if (!Number.isFinite(stored)) return "overflow";
  if (stored === 0) return truth === 0 ? "zero" : "flushed";
  return Math.abs(stored) < 2 ** format.emin ? "subnormal" : "normal";
}

export type Counts = Readonly<Record<Zone, number>>;

export function countZones(zones: readonly Zone[]): Counts {
  const counts = { zero: 0, flushed: 0, subnormal: 0, normal: 0, overflow: 0 };
  for (const zone of zones) counts[zone]++;
  return counts;
}

/** "all subnormal", "15 are 0, 17 subnormal". */
export function zoneWords(counts: Counts): string {
  const all = ZONES.reduce((sum, zone) => sum + counts[zone], 0);
  const only = ZONES.find((zone) => counts[zone] === all);
  if (only) return t(`step.ui.all_${only}`);
  return listed(ZONES.filter((zone) => counts[zone] > 0 && zone !== "normal").map((zone) => t(`step.ui.some_${zone}`, { count: counts[zone] })));
}

/** Show a small square for each zone of a list, in place. */
export function fillSquares(element: HTMLElement, zones: readonly Zone[]): void {
  zones.forEach((zone, i) => set(element.children[i] ?? element.appendChild(h("i")), { class: `mw-step-zone-${zone}` }));
  while (element.children.length > zones.length) element.lastElementChild!.remove();
}

/** Show a bar of the zones' shares, in place. */
export function fillBar(element: HTMLElement, counts: Counts): void {
  ZONES.forEach((zone, i) => {
    const part = (element.children[i] ?? element.appendChild(h("i"))) as HTMLElement;
    set(part, { class: `mw-step-zone-${zone}`, hidden: counts[zone] === 0 });
    part.style.flexGrow = String(counts[zone]);
  });
}
