// Drag, pinch, keys and Ctrl + wheel on the number line.

import { hasModifier } from "#ui/keys.ts";
import { zoomOf } from "#ui/pixels.ts";
import { pointIn } from "#ui/pointer.ts";

interface Actions {
  /** Zoom by quarters of a doubling, out where positive, around a pixel; the middle if none is given. */
  zoom(steps: number, pixel?: number): void;
  pan(pixels: number): void;
  fit(): void;
  /** To the next value of the format. */
  step(direction: 1 | -1): void;
}

const NOTCH = 40; // pixels of wheel that zoom by a quarter
const PINCH = 4; // steps of zoom a doubling of the fingers' distance
const LINE = 16; // pixels of a line, where a wheel counts in lines
const KEY_PAN = 48;
const KEY_ZOOM = 2;

/** Listen on `element`, which has the focus for keys. A wheel alone scrolls the page. */
export function navigate(element: HTMLElement, { zoom, pan, fit, step }: Actions): void {
  let notches = 0; // that are not zoomed by yet
  const zoomBy = (more: number, event: MouseEvent) => {
    notches += more;
    const steps = Math.trunc(notches);
    if (steps) zoom(steps, pointIn(element, event).x);
    notches -= steps;
  };
  element.addEventListener("wheel", (event) => {
    const scale = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE;
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!event.ctrlKey && !event.metaKey && !isSideways) return;
    event.preventDefault();
    if (isSideways) pan(event.deltaX * scale);
    else zoomBy((event.deltaY * scale) / NOTCH, event);
  }, { passive: false });

  const held = new Map<number, PointerEvent>(); // one pans, two zoom
  const spread = () => {
    const [one, other] = [...held.values()];
    return one && other ? Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) : 0;
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    held.set(event.pointerId, event);
    if (held.size > 1 || !event.defaultPrevented) held.forEach((_, id) => element.setPointerCapture(id)); // one on the dot drags it
  });
  element.addEventListener("pointermove", (event) => {
    const last = held.get(event.pointerId);
    if (!last) return;
    const before = spread();
    held.set(event.pointerId, event);
    if (before) zoomBy(PINCH * Math.log2(before / Math.max(spread(), 1)), event);
    else if (event.target === element && event.clientX !== last.clientX) pan((last.clientX - event.clientX) / zoomOf(element));
  });
  for (const end of ["pointerup", "pointercancel"] as const) element.addEventListener(end, ({ pointerId }) => held.delete(pointerId));

  element.addEventListener("keydown", (event) => {
    if (event.target !== element || hasModifier(event)) return;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => pan(-KEY_PAN),
      ArrowRight: () => pan(KEY_PAN),
      ArrowUp: () => step(1),
      ArrowDown: () => step(-1),
      "+": () => zoom(-KEY_ZOOM),
      "=": () => zoom(-KEY_ZOOM), // + without Shift
      "-": () => zoom(KEY_ZOOM),
      Home: fit,
      "0": fit,
    };
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!action) return;
    event.preventDefault();
    action();
  });
}
