// Keys pressed in a widget are the widget's, not the notebook's.

const SUPPRESS = "data-lm-suppress-shortcuts";

/**
 * Keep the keys pressed inside `root` from the shortcuts of the notebook around it, whose command mode would take
 * the arrows, x and dd. Those with Ctrl or ⌘ pass: one can still save.
 */
export function keepKeys(root: HTMLElement): void {
  // JupyterLab listens as the event leaves the widget. Notebook 7 listens before it gets here; there the attribute
  // helps, on the focused element itself, since that is what the shortcuts match. Ctrl's own keydown takes it away
  // before the key that it is pressed with comes.
  const keep = ({ target }: Event, keeps: boolean) => (target as Element).toggleAttribute(SUPPRESS, keeps);
  root.addEventListener("focusin", (event) => keep(event, true));
  root.addEventListener("keyup", (event) => keep(event, !event.ctrlKey && !event.metaKey));
  root.addEventListener("keydown", (event) => {
    const keeps = !event.ctrlKey && !event.metaKey;
    keep(event, keeps);
    if (keeps) event.stopPropagation();
  });
}
