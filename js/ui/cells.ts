// Keys of a grid or a list: it is one stop for the Tab key, and the arrow keys, Home and End move within.

/** Where the arrow keys lead. */
export const ARROWS: Readonly<Record<string, readonly [row: number, column: number]>> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

type Cells = readonly (readonly (HTMLElement | null)[])[];

/** `rows`: the present cells; null for a missing one. Home and End move within a row, with Ctrl or in a single column within
 * all cells. Returns a function that sets where the Tab key stops, by default at the first cell; call it when the cells have
 * changed. */
export function oneStop(element: HTMLElement, rows: () => Cells): (at?: HTMLElement | null) => void {
  const present = () => rows().flat().filter((one) => one !== null);
  const stop = (at?: HTMLElement | null) => present().forEach((one, i) => (one.tabIndex = (at ? one === at : i === 0) ? 0 : -1));
  const cellAt = (target: EventTarget | null) => present().find((one) => target instanceof Node && one.contains(target));
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
      const line = event.ctrlKey || cells[row]!.length === 1 ? present() : cells[row]!.filter((one) => one !== null);
      return line.at(isEnd ? -1 : 0)!.focus();
    }
    let column = cells[row]!.indexOf(from);
    do [row, column] = [row + step[0], column + step[1]];
    while (cells[row]?.[column] === null); // past missing cells
    cells[row]?.[column]?.focus();
  });
  return stop;
}
