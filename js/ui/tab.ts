// What a tab of the browser keeps of its pages until it is closed: nothing where a page may keep nothing.

export function kept(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

/** Keep a text; "" keeps none. */
export function keep(key: string, text: string): void {
  try {
    if (text) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
  } catch {
    // The page has what it shows, and forgets it.
  }
}
