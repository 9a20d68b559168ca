// An element's own pixels and those of the screen, which differ on the stage, because it is zoomed.

/** The size of an element's pixel in screen pixels; 1 before it is laid out. */
export function zoomOf(element: Element): number {
  const { width } = element.getBoundingClientRect();
  return (width > 0 && element.clientWidth > 0 ? width / element.clientWidth : 1) * unreportedZoom(element);
}

/** An element's upper left corner in the coordinates of pointer events. */
export function cornerOf(element: Element): { left: number; top: number } {
  const { left, top } = element.getBoundingClientRect();
  const zoom = unreportedZoom(element);
  return { left: (left + scrollX) * zoom - scrollX, top: (top + scrollY) * zoom - scrollY };
}

/** The factor from `getBoundingClientRect` to screen pixels. It is 1 in browsers that follow the standard
 * (https://drafts.csswg.org/css-viewport/#zoom-property); they have currentCSSZoom. Safari leaves `zoom` out: it returns the
 * unzoomed position in the page, minus the scroll offset. */
function unreportedZoom(element: Element): number {
  let zoom = 1;
  if (element.currentCSSZoom !== undefined) return zoom;
  for (let at: Element | null = element; at; at = at.parentElement) zoom *= Number(getComputedStyle(at).zoom) || 1;
  return zoom;
}

/** Observe an element's size in device pixels, which also changes with the browser's zoom and between screens. Safari can
 * observe CSS pixels only. */
export function observePixels(observer: ResizeObserver, element: Element): void {
  try {
    observer.observe(element, { box: "device-pixel-content-box" });
  } catch {
    observer.observe(element);
  }
}
