// The card around every widget, and the style sheets of the page.

import { h, uniqueId } from "./dom.ts";
import { keepKeys } from "./keys.ts";
import { t } from "./messages.ts";
import { stageButton } from "./stage.ts";
import type { View } from "./view.ts";

/** The root element of a widget, of the class `kind`, in `el` until the view closes. It keeps its keys from the notebook's
 * command mode, and declares its own language. */
export function card(view: View, el: HTMLElement, kind: string, title: string): { root: HTMLElement; head: HTMLElement } {
  const id = uniqueId("title");
  const head = h("div", { class: "mw-head" }, h("h3", { id }, title));
  const root = h("section", { class: `mw mw-stack ${kind}`, lang: t("common.lang"), "aria-labelledby": id });
  root.append(h("div", { class: "mw-card-top" }, head, stageButton(view, root)));
  keepKeys(root);
  adoptStyle(el);
  el.classList.add("mw-place"); // some hosts give it no width, or a colour
  el.append(root);
  view.onClose(() => root.remove());
  return { root, head };
}

/** The sheets' texts, which Python declares before the module (mixwidgets/floats/widgets/bundles.py). */
declare const styles: string[];

const KEY = Symbol.for("mixwidgets.styles");

/** Style the document, or the shadow tree, that `el` is in or will be put in. Each sheet is added once: with one for each
 * widget, the browser would restyle the page for each. */
function adoptStyle(el: HTMLElement): void {
  if (typeof styles === "undefined") return; // under test, without a page
  const page = globalThis as { [KEY]?: Map<string, CSSStyleSheet> };
  const sheets = (page[KEY] ??= new Map()); // by their text, shared by widgets of all classes
  const tree = el.getRootNode();
  const { adoptedStyleSheets } = tree instanceof ShadowRoot ? tree : document;
  for (const style of styles) {
    let sheet = sheets.get(style);
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      sheets.set(style, sheet);
    }
    if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
  }
}
