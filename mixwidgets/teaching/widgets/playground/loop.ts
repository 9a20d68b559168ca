// Training and drawing in the time that frames leave.

import { type ReadonlySignal, signal } from "@preact/signals-core";
import type { View } from "#ui/view.ts";

const FRAME_MS = 1000 / 60;
const BUDGET_MS = 8; // of so much time, on average
const CARRIED = 2; // frames' worth of steps that are made up for after a slow one

/** Whether motion is unwelcome, or there is no one to ask. */
export const isStill = (): boolean => globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? true;

/** While `playing` and `root` is in sight: in each frame call `drawn`, then `step` as often as `rate` (steps a second) asks and the
 * rest of the budget allows; at least once if the frame began with time left, because on a slow machine drawing alone exceeds the
 * budget. The frame after a click or a key does neither. */
export function frameLoop(
  view: View, root: Element, playing: ReadonlySignal<boolean>, rate: ReadonlySignal<number>,
  step: () => void, drawn: () => void,
): void {
  const isSeen = signal(true);
  const isAwake = signal(!document.hidden);
  let isAnswering = false; // something was clicked, typed or moved since the last frame: the next one has other things to draw
  for (const type of ["click", "pointerdown", "keydown", "input"]) root.addEventListener(type, () => (isAnswering = true));
  const wake = () => (isAwake.value = !document.hidden);
  document.addEventListener("visibilitychange", wake);
  const observer = globalThis.IntersectionObserver && new IntersectionObserver((entries) => (isSeen.value = entries.at(-1)!.isIntersecting));
  observer?.observe(root);
  view.onClose(() => {
    document.removeEventListener("visibilitychange", wake);
    observer?.disconnect();
  });

  view.effect(() => {
    if (!playing.value || !isSeen.value || !isAwake.value) return;
    const perSecond = rate.value;
    let last = performance.now();
    let due = 0;
    let left = 0; // ms; below 0 after what took longer than a frame's share: the next frames are the page's own
    let request = requestAnimationFrame(function frame(now) {
      due = Math.min(due + (perSecond * (now - last)) / 1000, Math.max(1, (CARRIED * perSecond) / 60));
      left = Math.min(left + (BUDGET_MS * (now - last)) / FRAME_MS, BUDGET_MS);
      last = now;
      const end = performance.now() + left;
      let isFirst = left > 0;
      if (!isAnswering) drawn();
      for (; !isAnswering && (isFirst || performance.now() < end) && due >= 1 && playing.peek(); due -= 1) {
        isFirst = false;
        step();
      }
      left = end - performance.now();
      isAnswering = false;
      if (playing.peek()) request = requestAnimationFrame(frame);
    });
    return () => cancelAnimationFrame(request);
  });
}

/** A signal that follows another some frames later: what takes long to draw has a frame of its own. */
export function later<T>(view: View, of: ReadonlySignal<T>, frames: number): ReadonlySignal<T> {
  const value = signal(of.peek());
  let left = 0;
  let request = 0;
  const wait = (): void => {
    request = requestAnimationFrame(() => {
      left -= 1;
      if (left > 0) wait();
      else value.value = of.peek();
    });
  };
  view.effect(() => {
    if (of.value === value.peek() || left > 0) return;
    left = frames;
    wait();
  });
  view.onClose(() => cancelAnimationFrame(request));
  return value;
}
