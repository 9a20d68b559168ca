// The pointer's position in an element's own pixels (see pixels.ts), and dragging.

import { cornerOf, zoomOf } from "./pixels.ts";

/** The pointer's position from the element's upper left corner. */
export function pointIn(element: Element, { clientX, clientY }: MouseEvent): { x: number; y: number } {
  const { left, top } = cornerOf(element);
  const zoom = zoomOf(element);
  return { x: (clientX - left) / zoom, y: (clientY - top) / zoom };
}

interface Drag {
  move(event: PointerEvent): void;
  /** Undo what the moves changed. */
  back(): void;
}

/** Make `element` draggable by the primary button: the pointer is captured, and `focused` gets the focus. `end` is called when
 * the pointer is released. A second finger, or a gesture that the browser takes, ends the drag after `back`. */
export function draggable(
  element: HTMLElement | SVGElement, begin: (down: PointerEvent) => Drag, end: () => void, focused = element,
): void {
  const on = (type: string, handle: (event: PointerEvent) => void) => element.addEventListener(type, handle as EventListener);
  let drag: Drag | undefined;
  const finish = (isGivenUp: boolean) => {
    window.removeEventListener("pointerdown", yieldTo, true);
    if (isGivenUp) drag?.back();
    if (drag) end();
    drag = undefined;
  };
  const yieldTo = ({ isPrimary }: PointerEvent) => {
    if (!isPrimary) finish(true);
  };
  on("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    event.preventDefault(); // no selection of text
    focused.focus({ preventScroll: true });
    focused.toggleAttribute("data-pointed", true);
    element.setPointerCapture(event.pointerId);
    drag = begin(event);
    window.addEventListener("pointerdown", yieldTo, true);
  });
  // Browsers outline an element that a script focuses. Focused by the pointer, it has no outline until a key is pressed.
  for (const type of ["keydown", "blur"]) focused.addEventListener(type, () => focused.removeAttribute("data-pointed"));
  on("pointermove", (event) => drag?.move(event));
  on("pointercancel", () => finish(true));
  on("lostpointercapture", () => finish(false));
}
