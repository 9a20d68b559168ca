// A canvas whose pixels are the screen's.

import type { ReadonlySignal } from "@preact/signals-core";
import { zoomOf } from "./pixels.ts";
import type { View } from "./view.ts";

export interface Pen {
  readonly pen: CanvasRenderingContext2D;
  /** Of the canvas, in its own pixels, which are the pen's. */
  readonly width: number;
  readonly height: number;
}

/** `begin` clears the canvas and gives a pen, null where there is none to be had; `size` changes with the canvas's size. */
export function crispCanvas(view: Pick<View<any>, "measured">, canvas: HTMLCanvasElement): { size: ReadonlySignal<number>; begin(): Pen | null } {
  const ratio = () => (globalThis.devicePixelRatio || 1) * zoomOf(canvas);
  const size = view.measured(canvas, () => canvas.clientWidth * ratio());
  const begin = (): Pen | null => {
    const [width, height, scale] = [canvas.clientWidth, canvas.clientHeight, ratio()];
    const pen = width > 0 ? canvas.getContext("2d") : null;
    if (!pen) return null;
    const [columns, rows] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== columns) canvas.width = columns; // setting one clears the canvas, and costs
    if (canvas.height !== rows) canvas.height = rows;
    pen.setTransform(columns / width, 0, 0, rows / height, 0, 0);
    pen.clearRect(0, 0, width, height);
    return { pen, width, height };
  };
  return { size, begin };
}
