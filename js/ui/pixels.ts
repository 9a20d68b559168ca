// An element's own pixels and the screen's: on the stage one is several of them.

/** How many of the screen's pixels one of the element's is wide; 1 before it is laid out. */
export function zoomOf(element: Element): number {
  const { width } = element.getBoundingClientRect();
  return (width > 0 && element.clientWidth > 0 ? width / element.clientWidth : 1) * untoldZoom(element);
}

/** Where an element's upper left corner is, in the screen's pixels, as a pointer's place is told. */
export function cornerOf(element: Element): { left: number; top: number } {
  const { left, top } = element.getBoundingClientRect();
  const zoom = untoldZoom(element);
  return { left: (left + scrollX) * zoom - scrollX, top: (top + scrollY) * zoom - scrollY };
}

/** How many of the screen's pixels is one in which an element's bounding rectangle is told: 1, but in Safari, where it
 * is the element's place in the page without its `zoom`, less how far the page is scrolled. Who follows the standard
 * (https://drafts.csswg.org/css-viewport/#zoom-property) has currentCSSZoom. */
function untoldZoom(element: Element): number {
  let zoom = 1;
  if (element.currentCSSZoom !== undefined) return zoom;
  for (let one: Element | null = element; one; one = one.parentElement) zoom *= Number(getComputedStyle(one).zoom) || 1;
  return zoom;
}

/** Observe an element's size on the screen, which also changes with the zoom, or on the way to another screen; in its
 * own pixels where a browser knows no others, as Safari. */
export function observePixels(observer: ResizeObserver, element: Element): void {
  try {
    observer.observe(element, { box: "device-pixel-content-box" });
  } catch {
    observer.observe(element);
  }
}
