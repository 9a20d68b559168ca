// Copying text.

/** Put text on the clipboard; where the page may not, select it where it is shown, and give false. */
export async function copy(text: string, shown: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(shown); // no clipboard here: an insecure page, or permission denied
    return false;
  }
}
