// An element's own pixels and the screen's: at projector size one is two of them.

/** How many of the screen's pixels one of the element's is wide; 1 before it is laid out. */
export function zoomOf(element: Element): number {
  const { width } = element.getBoundingClientRect();
  return width > 0 && element.clientWidth > 0 ? width / element.clientWidth : 1;
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
