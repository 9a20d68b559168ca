// A code's bits in one small line: digits where there is room for them, else cells that are filled for 1. Where the code before
// is known, the bits that differ are underlined.

import type { FloatFormat } from "#core/formats/float_format.ts";
import { h, set, setText } from "#ui/dom.ts";
import { spokenBits } from "#ui/ruler/bits_panel.ts";

const WITH_DIGITS = 16; // bits, at most
const LETTERS = { sign: "S", exponent: "E", fraction: "F" } as const;

export function bitsRow() {
  const element = h("p", { class: "mw-step-bits", role: "img" });
  let shown: FloatFormat | undefined;
  let cells: HTMLElement[] = []; // from the highest bit

  function build(format: FloatFormat): void {
    const widths = { sign: 1, exponent: format.exponentBits, fraction: format.fractionBits };
    cells = [];
    const fields = (["sign", "exponent", "fraction"] as const).filter((name) => widths[name] > 0).map((name) => {
      const own = Array.from({ length: widths[name] }, () => h("i"));
      cells.push(...own);
      return h("span", { class: `mw-bit-${name}` }, h("b", {}, LETTERS[name]), ...own);
    });
    element.replaceChildren(...fields);
    set(element, { "data-wide": format.bits > WITH_DIGITS });
    shown = format;
  }

  return {
    element,
    show(format: FloatFormat, code: bigint, before: bigint = code): void {
      if (format !== shown) build(format);
      set(element, { "aria-label": spokenBits(format, code) });
      const last = cells.length - 1;
      cells.forEach((cell, i) => {
        const place = BigInt(last - i);
        const isOn = ((code >> place) & 1n) === 1n;
        set(cell, { "data-on": isOn, "data-changed": (((code ^ before) >> place) & 1n) === 1n });
        if (format.bits <= WITH_DIGITS) setText(cell, isOn ? "1" : "0");
      });
    },
  };
}
