// Where a pointer is in an element, in the element's own pixels: at projector size they are larger than the screen's.

/** From the element's upper left corner. */
export function pointIn(element: Element, { clientX, clientY }: MouseEvent): { x: number; y: number } {
  const { left, top } = element.getBoundingClientRect();
  const zoom = zoomOf(element);
  return { x: (clientX - left) / zoom, y: (clientY - top) / zoom };
}

/** How many of the screen's pixels one of the element's is wide; 1 before it is laid out. */
export function zoomOf(element: Element): number {
  const { width } = element.getBoundingClientRect();
  return width > 0 && element.clientWidth > 0 ? width / element.clientWidth : 1;
}
