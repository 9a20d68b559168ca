// Cells in rows and columns, some of them missing: one stop for the Tab key, and the arrow keys move within.

const STEPS: Readonly<Record<string, readonly [row: number, column: number]>> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** `start` is where the Tab key first stops; left out: the first cell. */
export function oneStop(element: HTMLElement, rows: readonly (readonly (HTMLElement | null)[])[], start?: HTMLElement | null): void {
  const all = rows.flat().filter((one) => one !== null);
  const stop = (at: EventTarget | null | undefined) => all.forEach((one) => (one.tabIndex = one === at ? 0 : -1));
  stop(start ?? all[0]);
  element.addEventListener("focusin", ({ target }) => stop(target));
  element.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    let row = rows.findIndex((cells) => cells.includes(event.target as HTMLElement));
    let column = rows[row]?.indexOf(event.target as HTMLElement) ?? -1;
    do [row, column] = [row + step[0], column + step[1]];
    while (rows[row]?.[column] === null); // past those that are missing
    rows[row]?.[column]?.focus();
  });
}
