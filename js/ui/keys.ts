// Keeps keys pressed in a widget from the notebook's shortcuts, and tells these from its own.

/** Whether a key is pressed with one that makes it a shortcut. */
export const hasModifier = ({ altKey, ctrlKey, metaKey }: KeyboardEvent): boolean => altKey || ctrlKey || metaKey;

const SUPPRESS = "data-lm-suppress-shortcuts";

/** Keep keys pressed inside `root` from the notebook, whose command mode uses the arrows, x and dd. Keys with Ctrl or ⌘ pass,
 * so that one can still save. */
export function keepKeys(root: HTMLElement): void {
  // JupyterLab listens in the bubbling phase. Notebook 7 listens in the capturing phase, and ignores events whose target
  // has this attribute. The keydown of Ctrl itself removes it before that of the key pressed with it.
  const keep = ({ target }: Event, keeps: boolean) => (target as Element).toggleAttribute(SUPPRESS, keeps);
  root.addEventListener("focusin", (event) => keep(event, true));
  root.addEventListener("keyup", (event) => keep(event, !event.ctrlKey && !event.metaKey));
  root.addEventListener("keydown", (event) => {
    const keeps = !event.ctrlKey && !event.metaKey;
    keep(event, keeps);
    if (keeps) event.stopPropagation();
  });
}
