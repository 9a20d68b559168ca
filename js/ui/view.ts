// An anywidget model as signals, for one view. All subscriptions, observers and effects end with the view.

import type { AnyModel } from "@anywidget/types";
import { batch, computed, effect, type ReadonlySignal, signal, type Signal, untracked } from "@preact/signals-core";
import { observePixels } from "./pixels.ts";

/** The view of a widget with the traits `State`; a part that reads no trait takes a `View` of any widget. */
export type View<State extends Record<string, any> = any> = ReturnType<typeof viewOf<State>>;

export function viewOf<State extends Record<string, any>>(model: AnyModel<State>) {
  const ends: (() => void)[] = [];
  const traits = new Map<string, Signal<any>>();
  const measures = new Map<Element, () => void>();
  let observer: ResizeObserver | undefined;

  function listen(event: string, handle: (...args: any[]) => void): void {
    model.on(event, handle);
    ends.push(() => model.off(event, handle));
  }

  /** Run now, and again when a signal that it read changes. A returned function is called before the next run. */
  function run(effectBody: () => void | (() => void)): void {
    ends.push(effect(effectBody));
  }

  /** The result of `measure`, updated when the element's size on the screen changes. The layout is known then, so that
   * measuring is cheap. An element can have only one measure. */
  function measured<T>(element: Element, measure: () => T): ReadonlySignal<T> {
    observer ??= new ResizeObserver((entries) => batch(() => entries.forEach(({ target }) => measures.get(target)?.())));
    const size = signal(measure());
    measures.set(element, () => (size.value = measure()));
    observePixels(observer, element);
    return size;
  }

  return {
    model,
    /** The trait's value. Setting an equal value is not a change. */
    trait<K extends keyof State & string>(name: K): ReadonlySignal<State[K]> {
      const held = traits.get(name);
      if (held) return held;
      const value = signal(model.get(name));
      traits.set(name, value);
      // The kernel sets several traits at once, but the model reports them one by one: read them all in one update.
      listen(`change:${name}`, () => batch(() => traits.forEach((held, trait) => (held.value = model.get(trait as K)))));
      return value;
    },
    /** Set several traits in one update. The kernel gets them with `model.save_changes()`. */
    set: (changes: Partial<State>) => batch(() => Object.entries(changes).forEach(([name, value]) => model.set(name, value))),
    /** Send a trait to the kernel, unless it has this value. */
    send<K extends keyof State & string>(name: K, value: State[K]): void {
      if (model.get(name) === value) return;
      model.set(name, value);
      model.save_changes();
    },
    /** Call `handle` with each message from the kernel and its buffers. All its changes are one update. */
    onMessage: (handle: (message: any, buffers: DataView[]) => void) => listen("msg:custom", (message, buffers: Bytes[] = []) => batch(() => handle(message, buffers.map(viewed)))),
    /** Run when a saved page's address has set traits, such as a link to a preset. */
    onAddress: (handle: () => void) => listen("addressed", handle),
    effect: run,
    /** Run at each change of a signal, not at first. */
    onChange<T>(of: ReadonlySignal<T>, act: (value: T) => void): void {
      let isFirst = true;
      run(() => {
        const { value } = of;
        if (!isFirst) untracked(() => act(value));
        isFirst = false;
      });
    },
    measured,
    /** An element's width in its own pixels. */
    width: (element: Element) => measured(element, () => element.clientWidth),
    onClose: (end: () => void) => void ends.push(end),
    close(): void {
      for (const end of ends.splice(0).reverse()) end();
      observer?.disconnect();
    },
  };
}

/** A message's bytes: DataView in most hosts, Uint8Array in Colab. */
type Bytes = ArrayBuffer | ArrayBufferView<ArrayBuffer>;

function viewed(bytes: Bytes): DataView {
  return ArrayBuffer.isView(bytes) ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new DataView(bytes);
}

/** A computed value that depends on its last one: `derive` gets the last value, at first `first`. */
export function kept<T>(first: T, derive: (last: T) => T): ReadonlySignal<T> {
  let last = first;
  return computed(() => (last = derive(last)));
}

/** Keep in --kept the greatest height that an element had at this width and with this `key`, so that what stands below it moves
 * once at most, and no room is kept for what was never there. */
export function keepHeight(view: View, element: HTMLElement, key: ReadonlySignal<unknown>): void {
  const size = view.measured(element, () => ({ width: element.clientWidth, height: Math.ceil(parseFloat(getComputedStyle(element).height)) || 0 }));
  let last: { key: unknown; width: number } | undefined;
  let height = 0;
  view.effect(() => {
    const now = { key: key.value, width: size.value.width };
    const isSame = last?.key === now.key && last?.width === now.width;
    last = now;
    height = isSame ? Math.max(height, size.value.height) : 0;
    element.style.setProperty("--kept", `${height}px`);
  });
}

/** Whether a disclosure is open. */
export function openState(details: HTMLDetailsElement): ReadonlySignal<boolean> {
  const isOpen = signal(details.open);
  details.addEventListener("toggle", () => (isOpen.value = details.open));
  return isOpen;
}

/** Whether the reader prefers reduced motion; also true where this cannot be asked. */
export const isStill = (): boolean => globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? true;
