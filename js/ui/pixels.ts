// Conversion between an element's own pixels and the screen's, which are smaller on the stage.

/** The size of an element's pixel in screen pixels; 1 before it is laid out. */
export function zoomOf(element: Element): number {
  const { width } = element.getBoundingClientRect();
  return (width > 0 && element.clientWidth > 0 ? width / element.clientWidth : 1) * untoldZoom(element);
}

/** An element's upper left corner in the coordinates of pointer events. */
export function cornerOf(element: Element): { left: number; top: number } {
  const { left, top } = element.getBoundingClientRect();
  const zoom = untoldZoom(element);
  return { left: (left + scrollX) * zoom - scrollX, top: (top + scrollY) * zoom - scrollY };
}

/** The factor from `getBoundingClientRect` to screen pixels: 1, except in Safari, which returns the position in the page
 * without `zoom`, minus the scroll offset. Browsers that follow the standard
 * (https://drafts.csswg.org/css-viewport/#zoom-property) have currentCSSZoom. */
function untoldZoom(element: Element): number {
  let zoom = 1;
  if (element.currentCSSZoom !== undefined) return zoom;
  for (let one: Element | null = element; one; one = one.parentElement) zoom *= Number(getComputedStyle(one).zoom) || 1;
  return zoom;
}

/** Observe an element's size in device pixels, which also changes with the zoom and from screen to screen; in CSS pixels
 * in Safari, which supports no others. */
export function observePixels(observer: ResizeObserver, element: Element): void {
  try {
    observer.observe(element, { box: "device-pixel-content-box" });
  } catch {
    observer.observe(element);
  }
}
