// Pointers: where one is in an element, in the element's own pixels (on the stage they are larger than the screen's), and drags.

import { cornerOf, zoomOf } from "./pixels.ts";

/** From the element's upper left corner. */
export function pointIn(element: Element, { clientX, clientY }: MouseEvent): { x: number; y: number } {
  const { left, top } = cornerOf(element);
  const zoom = zoomOf(element);
  return { x: (clientX - left) / zoom, y: (clientY - top) / zoom };
}

/** Let the primary button drag `element`: the pointer is captured, and `focused` gets the focus. `begin` returns what each
 * move calls; `end` is called when the pointer is released. */
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
