// Wheel, drag and keys on the number line.

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
const LINE = 16; // pixels of a line, where a wheel counts in lines
const KEY_PAN = 48;
const KEY_ZOOM = 2;

/** Listen on `element`, which has the focus for keys. */
export function navigate(element: HTMLElement, { zoom, pan, fit, step }: Actions): void {
  let wheeled = 0;
  element.addEventListener("wheel", (event) => {
    event.preventDefault();
    const scale = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      pan(event.deltaX * scale);
      return;
    }
    wheeled += event.deltaY * scale;
    const steps = Math.trunc(wheeled / NOTCH);
    if (steps) zoom(steps, pointIn(element, event).x);
    wheeled -= steps * NOTCH;
  }, { passive: false });

  let held: number | undefined; // where the pointer was
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    held = event.clientX;
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    if (held === undefined || event.clientX === held) return;
    pan((held - event.clientX) / zoomOf(element));
    held = event.clientX;
  });
  const release = () => {
    held = undefined;
  };
  element.addEventListener("pointerup", release);
  element.addEventListener("pointercancel", release);

  element.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
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
