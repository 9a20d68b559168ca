// Powers with their exponents raised by the page: the raised characters of a monospace font do not stand together. What is copied
// or read aloud is "2^−9", which every number field takes.

import { h, textNode } from "./dom.ts";

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻";
const PLAIN = "0123456789−";
const EXPONENT = new RegExp(`([${RAISED}]+)`);

/** A text as nodes, with "2⁻⁹" as 2 and −9, which `lift` makes an element of. */
export function raised(text: string, lift: (exponent: string) => Element = (exponent) => h("sup", {}, h("span", { class: "mw-hidden" }, "^"), exponent)): (Element | Text)[] {
  return text.split(EXPONENT).flatMap((part, i) => {
    if (part === "") return [];
    return i % 2 === 0 ? textNode(part) : lift([...part].map((c) => PLAIN[RAISED.indexOf(c)]).join(""));
  });
}
