// A canvas whose pixels are the screen's.

import { zoomOf } from "./pixels.ts";
import type { View } from "./view.ts";

export interface Pen {
  readonly pen: CanvasRenderingContext2D;
  /** Of the canvas, in its own pixels, which are the pen's. */
  readonly width: number;
  readonly height: number;
}

/** A function that clears the canvas and returns a pen, or null where there is none. An effect that calls it runs again
 * when the canvas's size has changed. */
export function crispCanvas(view: Pick<View<any>, "measured">, canvas: HTMLCanvasElement): () => Pen | null {
  const size = view.measured(canvas, () => ({
    width: canvas.clientWidth, height: canvas.clientHeight, scale: (globalThis.devicePixelRatio || 1) * zoomOf(canvas),
  }));
  return () => {
    const { width, height, scale } = size.value;
    const pen = width > 0 ? canvas.getContext("2d") : null;
    if (!pen) return null;
    const [columns, rows] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== columns) canvas.width = columns; // setting one clears the canvas, and costs
    if (canvas.height !== rows) canvas.height = rows;
    pen.setTransform(columns / width, 0, 0, rows / height, 0, 0);
    pen.clearRect(0, 0, width, height);
    return { pen, width, height };
  };
}
