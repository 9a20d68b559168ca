// Copying text.

/** Copy a text. If the page may not use the clipboard, select the text in `shown` and return false. */
export async function copy(text: string, shown: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(shown); // an insecure page, or permission denied
    return false;
  }
}
