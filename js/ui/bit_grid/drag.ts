// Painting by pointer: every cell that a drag crosses gets the new state of the first one.

const STRIDE = 10; // pixels between the points that are tested, less than the narrowest cell

/** A stroke of the pointer: all its `paint`s are one edit. */
export interface Stroke {
  start(): void;
  /** Flip the state of a cell. */
  paint(cell: number): void;
  /** Revert the stroke, for example because the finger scrolls. */
  cancel(): void;
}

/** Paint the cells in `element`. `cellOf`: the number of the cell that contains a node, negative if there is none. Returns a
 * test of whether a click was already handled as a stroke. */
export function paintByDrag(
  element: HTMLElement, cellOf: (node: EventTarget | null) => number, isOn: (cell: number) => boolean, { start, paint, cancel }: Stroke,
): (click: MouseEvent) => boolean {
  let stroke: { on: boolean; x: number; y: number; pointer: number; ends: AbortController } | null = null;
  let painted = false;

  const paintTo = (x: number, y: number) => {
    if (!stroke) return;
    const root = element.getRootNode() as Document | ShadowRoot;
    const steps = Math.max(1, Math.ceil(Math.hypot(x - stroke.x, y - stroke.y) / STRIDE));
    for (let i = 1; i <= steps; i += 1) {
      const at = (from: number, to: number) => from + ((to - from) * i) / steps;
      const cell = cellOf(root.elementFromPoint(at(stroke.x, x), at(stroke.y, y)));
      if (cell >= 0 && isOn(cell) !== stroke.on) paint(cell);
    }
    Object.assign(stroke, { x, y });
  };
  const end = (event: PointerEvent) => {
    if (event.pointerId !== stroke?.pointer) return;
    stroke.ends.abort();
    stroke = null;
    if (event.type === "pointercancel") cancel();
    // No click follows if it is released elsewhere or cancelled.
    if (event.type === "pointercancel" || !event.composedPath().includes(element)) painted = false;
  };
  element.addEventListener("pointerdown", (event) => {
    const cell = cellOf(event.target);
    if (cell < 0 || event.button !== 0 || stroke) return;
    const ends = new AbortController();
    stroke = { on: !isOn(cell), x: event.clientX, y: event.clientY, pointer: event.pointerId, ends };
    painted = true;
    start();
    paint(cell);
    const move = (moved: PointerEvent) => {
      if (moved.pointerId === stroke?.pointer) paintTo(moved.clientX, moved.clientY);
    };
    // On the window, because a captured pointer would take the focus from the cell under it.
    window.addEventListener("pointermove", move, { signal: ends.signal });
    window.addEventListener("pointerup", end, { signal: ends.signal, capture: true });
    window.addEventListener("pointercancel", end, { signal: ends.signal, capture: true });
  });
  return ({ detail }) => {
    // A click by key has detail 0. Safari sends no click after a stroke that changed the cell.
    const was = painted && detail > 0;
    painted = false;
    return was;
  };
}
