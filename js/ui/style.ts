// Style sheets, each once in a page: a sheet for each instance would have the browser style the page anew for each.

/** The sheets' texts, which Python declares before the module (mixwidgets/widgets/bundles.py). */
declare const styles: string[];

const KEY = Symbol.for("mixwidgets.styles");

/** The page's sheets by their text. Widgets of several classes find the sheet that they share here. */
function sheets(): Map<string, CSSStyleSheet> {
  const page = globalThis as { [KEY]?: Map<string, CSSStyleSheet> };
  return (page[KEY] ??= new Map());
}

/** Styles the document, or the shadow tree, that `el` is in or will be put in. */
export function adoptStyle(el: HTMLElement): void {
  if (typeof styles === "undefined") return; // under test, without a page
  const tree = el.getRootNode();
  const { adoptedStyleSheets } = tree instanceof ShadowRoot ? tree : document;
  for (const style of styles) {
    let sheet = sheets().get(style);
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      sheets().set(style, sheet);
    }
    if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
  }
}
