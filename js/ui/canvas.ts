// A canvas with the resolution of the screen, painted anew where its colours change.

import { type ReadonlySignal, signal } from "@preact/signals-core";
import { zoomOf } from "./pixels.ts";
import type { View } from "./view.ts";

export interface Pen {
  readonly pen: CanvasRenderingContext2D;
  /** Width of the canvas in CSS pixels, the unit of the pen. */
  readonly width: number;
  readonly height: number;
}

/** The colour of the canvas's text. It changes with the theme, and for printing, because paper is light. */
export function inkOf(view: View, canvas: HTMLCanvasElement): ReadonlySignal<string> {
  const ink = signal("");
  const read = () => (ink.value = getComputedStyle(canvas).color);
  read();
  // A page gets no event when its theme changes. So theme.css gives the canvas an invisible transition of its colour: it ends
  // when the colour has changed, or is cancelled, because JupyterLab hides the page meanwhile.
  canvas.ontransitionend = canvas.ontransitioncancel = read;
  const paper = globalThis.matchMedia?.("print");
  if (paper) paper.onchange = read;
  view.onClose(() => paper && (paper.onchange = null));
  return ink;
}

/** A function that clears the canvas and returns a pen, or null if the canvas has no width. An effect that calls it runs
 * again when the size of the canvas or its colours change. */
export function crispCanvas(view: View, canvas: HTMLCanvasElement): () => Pen | null {
  const ink = inkOf(view, canvas);
  const size = view.measured(canvas, () => ({
    width: canvas.clientWidth, height: canvas.clientHeight, scale: devicePixelRatio * zoomOf(canvas),
  }));
  return () => {
    ink.value;
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
