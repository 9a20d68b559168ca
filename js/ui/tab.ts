// What a browser keeps of its pages: a tab until it is closed, or every tab. Nothing where a page may keep nothing.

type Where = "sessionStorage" | "localStorage";

export function kept(key: string, where: Where = "sessionStorage"): string {
  try {
    return window[where].getItem(key) ?? "";
  } catch {
    return "";
  }
}

/** Keep a text; "" keeps none. */
export function keep(key: string, text: string, where: Where = "sessionStorage"): void {
  try {
    if (text) window[where].setItem(key, text);
    else window[where].removeItem(key);
  } catch {
    // The page has what it shows, and forgets it.
  }
}
