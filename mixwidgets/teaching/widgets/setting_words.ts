// Settings in the texts of both widgets. No DOM.

import { powerText } from "#ui/digits.ts";

/** A format's name in a sentence: "E2M1" for float4_e2m1fn, "E4M3FNUZ", "E5M7" for one's own, "bfloat16". */
export function shortName(name: string): string {
  return name.replace(/^(?:float\d+|custom)_(e\dm\d+)(.*)$/, (_, widths: string, more: string) => `${widths}${more === "fn" ? "" : more}`.toUpperCase());
}

/** A setting in a menu: "0.003", "10⁻⁵", "2⁻²⁰". */
export function settingText(value: number): string {
  for (const base of [10, 2]) {
    const exponent = Math.round(Math.log(value) / Math.log(base));
    if (value > 0 && value < 0.03 && exponent <= -4 && Math.abs(value / base ** exponent - 1) < 1e-9) return powerText(base, exponent);
  }
  return String(value);
}
