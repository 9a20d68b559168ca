// Texts kept by the browser: for a tab until it is closed, or for all tabs. Without storage, nothing is kept.

type Where = "sessionStorage" | "localStorage";

export function kept(key: string, where: Where = "sessionStorage"): string {
  try {
    return window[where].getItem(key) ?? "";
  } catch {
    return "";
  }
}

/** Keep a text; "" removes it. */
export function keep(key: string, text: string, where: Where = "sessionStorage"): void {
  try {
    if (text) window[where].setItem(key, text);
    else window[where].removeItem(key);
  } catch {
    // The browser allows no storage.
  }
}
