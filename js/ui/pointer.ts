// The pointer's position in an element's own pixels, which are larger than the screen's on the stage; and dragging.

import { cornerOf, zoomOf } from "./pixels.ts";

/** The pointer's position from the element's upper left corner. */
export function pointIn(element: Element, { clientX, clientY }: MouseEvent): { x: number; y: number } {
  const { left, top } = cornerOf(element);
  const zoom = zoomOf(element);
  return { x: (clientX - left) / zoom, y: (clientY - top) / zoom };
}

/** Make `element` draggable by the primary button: the pointer is captured, and `focused` gets the focus. The result of
 * `begin` is called with each move, and `end` when the pointer is released. */
export function draggable(
  element: HTMLElement | SVGElement, begin: (down: PointerEvent) => (move: PointerEvent) => void, end: () => void, focused = element,
): void {
  const on = (type: string, handle: (event: PointerEvent) => void) => element.addEventListener(type, handle as EventListener);
  let move: ((event: PointerEvent) => void) | undefined;
  on("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault(); // no selection of text
    focused.focus({ preventScroll: true });
    element.setPointerCapture(event.pointerId);
    move = begin(event);
  });
  on("pointermove", (event) => move?.(event));
  on("lostpointercapture", () => {
    if (move) end();
    move = undefined;
  });
}
