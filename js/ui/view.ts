// An anywidget model as signals, for one view of it: all that it subscribes to, observes and runs ends with the view.

import type { AnyModel } from "@anywidget/types";
import { batch, computed, effect, type ReadonlySignal, signal } from "@preact/signals-core";
import { observePixels } from "./pixels.ts";

export interface View<State extends Record<string, any>> {
  readonly model: AnyModel<State>;
  /** The trait's value. The signal does not tell of an equal one. */
  trait<K extends keyof State & string>(name: K): ReadonlySignal<State[K]>;
  /** Send a trait to the kernel, unless it has this value. */
  send<K extends keyof State & string>(name: K, value: State[K]): void;
  /** Call `hear` with each message from the kernel and its buffers; what it changes is drawn at once. */
  onMessage(hear: (message: any, buffers: DataView[]) => void): void;
  /** Run now, and whenever a signal that it has read changes; what it returns is called before it runs again. */
  effect(run: () => void | (() => void)): void;
  /** What `measure` says, anew at each change of the element's size on the screen: the only time when measuring is
   * free, since the page is laid out then. An element has one measure. */
  measured(element: Element, measure: () => number): ReadonlySignal<number>;
  /** An element's width in its own pixels. */
  width(element: Element): ReadonlySignal<number>;
  onClose(end: () => void): void;
  close(): void;
}

export function viewOf<State extends Record<string, any>>(model: AnyModel<State>): View<State> {
  const ends: (() => void)[] = [];
  const refreshes: (() => void)[] = [];
  const measures = new Map<Element, () => void>();
  let observer: ResizeObserver | undefined;

  function listen(event: string, hear: (...args: any[]) => void): void {
    model.on(event, hear);
    ends.push(() => model.off(event, hear));
  }

  function measured(element: Element, measure: () => number): ReadonlySignal<number> {
    observer ??= new ResizeObserver((entries) => batch(() => entries.forEach(({ target }) => measures.get(target)?.())));
    const size = signal(measure());
    measures.set(element, () => (size.value = measure()));
    observePixels(observer, element);
    return size;
  }

  return {
    model,
    trait(name) {
      const value = signal(model.get(name));
      refreshes.push(() => (value.value = model.get(name)));
      // The kernel sets several traits at once, of which the model tells one by one: what follows from them is drawn once.
      listen(`change:${name}`, () => batch(() => refreshes.forEach((refresh) => refresh())));
      return value;
    },
    send(name, value) {
      if (model.get(name) === value) return;
      model.set(name, value);
      model.save_changes();
    },
    onMessage: (hear) => listen("msg:custom", (message, buffers: Bytes[] = []) => batch(() => hear(message, buffers.map(viewed)))),
    effect: (run) => void ends.push(effect(run)),
    measured,
    width: (element) => measured(element, () => element.clientWidth),
    onClose: (end) => void ends.push(end),
    close() {
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

/** A computed value that may stay what it was: `derive` gets its last value, `first` at first. */
export function kept<T>(first: T, derive: (last: T) => T): ReadonlySignal<T> {
  let last = first;
  return computed(() => (last = derive(last)));
}

/** Whether a part of the page that unfolds is open. */
export function openness(details: HTMLDetailsElement): ReadonlySignal<boolean> {
  const isOpen = signal(details.open);
  details.addEventListener("toggle", () => (isOpen.value = details.open));
  return isOpen;
}
