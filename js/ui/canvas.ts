// A canvas with the resolution of the screen.

import { zoomOf } from "./pixels.ts";
import type { View } from "./view.ts";

export interface Pen {
  readonly pen: CanvasRenderingContext2D;
  /** Width of the canvas in CSS pixels, the unit of the pen. */
  readonly width: number;
  readonly height: number;
}

/** A function that clears the canvas and returns a pen, or null if the canvas has no width. An effect that calls it runs
 * again when the size of the canvas changes. */
export function crispCanvas(view: Pick<View<any>, "measured">, canvas: HTMLCanvasElement): () => Pen | null {
  const size = view.measured(canvas, () => ({
    width: canvas.clientWidth, height: canvas.clientHeight, scale: (globalThis.devicePixelRatio || 1) * zoomOf(canvas),
  }));
  return () => {
    const { width, height, scale } = size.value;
    const pen = width > 0 ? canvas.getContext("2d") : null;
    if (!pen) return null;
    const [columns, rows] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== columns) canvas.width = columns; // setting the width is slow, even to the same value
    if (canvas.height !== rows) canvas.height = rows;
    pen.setTransform(columns / width, 0, 0, rows / height, 0, 0);
    pen.clearRect(0, 0, width, height);
    return { pen, width, height };
  };
}
