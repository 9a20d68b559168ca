// Trains and draws in the page's frames, within a budget, so that the page stays responsive.

import { type ReadonlySignal, signal } from "@preact/signals-core";
import type { View } from "#ui/view.ts";

const FRAME_MS = 1000 / 60;
const BUDGET_MS = 8; // of a frame's time, on average
const CARRIED = 2; // frames whose steps are made up for after a slow frame

const SEEN = 0.6; // of `seen` must be in view

/** While `playing` is true and `seen` is in view, call `drawn` in each frame, and then `step` as often as `rate` (steps a second)
 * asks and the budget allows. If the frame began with budget left there is at least one step, because on a slow machine drawing
 * alone exceeds the budget. The frame after a click, a key or a move of a drag in `root` calls neither, so that the page answers
 * at once. */
export function frameLoop(
  view: View, root: Element, seen: Element, playing: ReadonlySignal<boolean>, rate: ReadonlySignal<number>,
  step: () => void, drawn: () => void,
): void {
  const isSeen = signal(true);
  const isAwake = signal(!document.hidden);
  let isAnswering = false; // whether the reader clicked, typed or moved something since the last frame
  for (const type of ["click", "pointerdown", "keydown", "input"]) root.addEventListener(type, () => (isAnswering = true));
  root.addEventListener("pointermove", (event) => (isAnswering ||= (event as PointerEvent).buttons > 0));
  const wake = () => (isAwake.value = !document.hidden);
  document.addEventListener("visibilitychange", wake);
  const observer = globalThis.IntersectionObserver && new IntersectionObserver((entries) => (isSeen.value = entries.at(-1)!.intersectionRatio >= SEEN), { threshold: SEEN });
  observer?.observe(seen);
  view.onClose(() => {
    document.removeEventListener("visibilitychange", wake);
    observer?.disconnect();
  });

  view.effect(() => {
    if (!playing.value || !isSeen.value || !isAwake.value) return;
    const perSecond = rate.value;
    let last = performance.now();
    let due = 0;
    let left = 0; // ms of the budget; after a frame that took longer it is below 0, and the next ones are left to the page
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

/** A signal that follows another some frames later, so that drawings that take long are in different frames. */
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
