// Keys: those pressed in a widget are kept from the notebook's shortcuts, and a grid or a list is one stop for the Tab key,
// within which the arrow keys, Home and End move.

/** Whether a key is pressed together with Alt, Ctrl or ⌘, as a shortcut. */
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

/** Where the arrow keys lead. */
export const ARROWS: Readonly<Record<string, readonly [row: number, column: number]>> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

type Cells = readonly (readonly (HTMLElement | null)[])[];

/** `rows`: the present cells; null for a missing one. Home and End move within a row, with Ctrl or in a single column within
 * all cells. Returns a function that sets where the Tab key stops, by default at the first cell; call it when the cells have
 * changed. */
export function oneStop(element: HTMLElement, rows: () => Cells): (at?: HTMLElement | null) => void {
  const present = () => rows().flat().filter((cell) => cell !== null);
  const stop = (at?: HTMLElement | null) => present().forEach((cell, i) => (cell.tabIndex = (at ? cell === at : i === 0) ? 0 : -1));
  const cellAt = (target: EventTarget | null) => present().find((cell) => target instanceof Node && cell.contains(target));
  element.addEventListener("focusin", ({ target }) => {
    const cell = cellAt(target);
    if (cell) stop(cell);
  });
  element.addEventListener("keydown", (event) => {
    const cells = rows();
    const from = cellAt(event.target) ?? null;
    let row = cells.findIndex((line) => from && line.includes(from));
    const step = ARROWS[event.key];
    const isEnd = event.key === "End";
    if (row < 0 || event.altKey || event.metaKey || !(step ? !event.ctrlKey : isEnd || event.key === "Home")) return;
    event.preventDefault();
    if (!step) {
      const line = event.ctrlKey || cells[row]!.length === 1 ? present() : cells[row]!.filter((cell) => cell !== null);
      return line.at(isEnd ? -1 : 0)!.focus();
    }
    let column = cells[row]!.indexOf(from);
    do [row, column] = [row + step[0], column + step[1]];
    while (cells[row]?.[column] === null); // past missing cells
    cells[row]?.[column]?.focus();
  });
  return stop;
}
