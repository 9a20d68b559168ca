// Where a pointer is in an element, in the element's own pixels: on the stage they are larger than the screen's.

import { cornerOf, zoomOf } from "./pixels.ts";

/** From the element's upper left corner. */
export function pointIn(element: Element, { clientX, clientY }: MouseEvent): { x: number; y: number } {
  const { left, top } = cornerOf(element);
  const zoom = zoomOf(element);
  return { x: (clientX - left) / zoom, y: (clientY - top) / zoom };
}
