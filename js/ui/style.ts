// Style sheets, each added once to a page: with a sheet per widget, the browser would restyle the page for each.

/** The sheets' texts, which Python declares before the module (mixwidgets/floats/widgets/bundles.py). */
declare const styles: string[];

const KEY = Symbol.for("mixwidgets.styles");

/** Styles the document, or the shadow tree, that `el` is in or will be put in. */
export function adoptStyle(el: HTMLElement): void {
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
