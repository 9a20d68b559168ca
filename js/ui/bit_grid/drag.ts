// Painting by pointer: the state that the first cell gets is given to every cell that the drag crosses.

const STRIDE = 10; // pixels between the points that are looked at, less than the narrowest cell

interface Painter {
  /** The index of the cell that holds this node; negative for none. */
  cellOf(node: EventTarget | null): number;
  isOn(cell: number): boolean;
  /** A stroke begins; what `paint` does until the next `start` is one edit. */
  start(): void;
  /** Turn the state of a cell around. */
  paint(cell: number): void;
  /** The pointer was taken away, as by a finger that turns out to scroll. */
  cancel(): void;
}

/** Paint the cells in `element`. Gives a test of whether a click has been dealt with by the stroke before it. */
export function paintByDrag(element: HTMLElement, painter: Painter): { swallows(click: MouseEvent): boolean } {
  let stroke: { on: boolean; x: number; y: number; pointer: number; ends: AbortController } | null = null;
  let painted = false;

  const paintTo = (x: number, y: number) => {
    if (!stroke) return;
    const root = element.getRootNode() as Document | ShadowRoot;
    const steps = Math.max(1, Math.ceil(Math.hypot(x - stroke.x, y - stroke.y) / STRIDE));
    for (let i = 1; i <= steps; i += 1) {
      const at = (from: number, to: number) => from + ((to - from) * i) / steps;
      const cell = painter.cellOf(root.elementFromPoint(at(stroke.x, x), at(stroke.y, y)));
      if (cell >= 0 && painter.isOn(cell) !== stroke.on) painter.paint(cell);
    }
    Object.assign(stroke, { x, y });
  };
  const end = (event: PointerEvent) => {
    if (event.pointerId !== stroke?.pointer) return;
    stroke.ends.abort();
    stroke = null;
    if (event.type === "pointercancel") painter.cancel();
    // Released elsewhere, or cancelled, no click follows in here.
    if (event.type === "pointercancel" || !event.composedPath().includes(element)) painted = false;
  };
  element.addEventListener("pointerdown", (event) => {
    const cell = painter.cellOf(event.target);
    if (cell < 0 || event.button !== 0 || stroke) return;
    const ends = new AbortController();
    stroke = { on: !painter.isOn(cell), x: event.clientX, y: event.clientY, pointer: event.pointerId, ends };
    painted = true;
    painter.start();
    painter.paint(cell);
    const move = (moved: PointerEvent) => {
      if (moved.pointerId === stroke?.pointer) paintTo(moved.clientX, moved.clientY);
    };
    // On the window: a capture would take the focus from the cell under the pointer.
    window.addEventListener("pointermove", move, { signal: ends.signal });
    window.addEventListener("pointerup", end, { signal: ends.signal, capture: true });
    window.addEventListener("pointercancel", end, { signal: ends.signal, capture: true });
  });
  return {
    swallows: ({ detail }) => {
      // A key's click has detail 0. Safari sends none after a stroke that changed the cell: the next may be a key's.
      const was = painted && detail > 0;
      painted = false;
      return was;
    },
  };
}
