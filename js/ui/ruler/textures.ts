// The fills of the four classes. Lost values have a texture too, so that colour is not the only sign.

import { type Class, CLASSES } from "#core/gradients/boundaries.ts";
import { s, uniqueId } from "#ui/dom.ts";

export type Textures = ReturnType<typeof textures>;

const LINES: Partial<Record<Class, string>> = {
  flushed: "M-1 1L1 -1M0 6L6 0M5 7L7 5",
  overflow: "M0 0L6 6M6 0L0 6",
};

/** `element`: an invisible one with the patterns, which must be in the page. */
export function textures() {
  const ids = Object.fromEntries(CLASSES.map((kind) => [kind, uniqueId(kind)])) as Record<Class, string>;
  const patterns = CLASSES.map((kind) =>
    s("pattern", { id: ids[kind], width: 6, height: 6, patternUnits: "userSpaceOnUse" },
      s("rect", { width: 6, height: 6, class: `mw-fill-${kind}` }),
      LINES[kind] ? s("path", { d: LINES[kind], class: "mw-hatch" }) : null,
    ));
  const element = s("svg", { width: 0, height: 0, class: "mw-textures", "aria-hidden": "true" }, s("defs", {}, ...patterns));
  return { element, fill: (kind: Class) => `url(#${ids[kind]})` };
}

/** A small square with the fill of a class, for a legend. */
export function swatch(kind: Class, from: Textures): SVGSVGElement {
  return s("svg", { width: 12, height: 12, class: "mw-swatch", "aria-hidden": "true" },
    s("rect", { width: 12, height: 12, rx: 2, fill: from.fill(kind) }));
}
