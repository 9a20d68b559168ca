// An anywidget model as signals, for one view of it: all that it subscribes to, observes and runs ends with the view.

import type { AnyModel } from "@anywidget/types";
import { batch, computed, effect, type ReadonlySignal, signal, type Signal, untracked } from "@preact/signals-core";
import { observePixels } from "./pixels.ts";

export interface View<State extends Record<string, any>> {
  readonly model: AnyModel<State>;
  /** The trait's value. An equal one is no change. */
  trait<K extends keyof State & string>(name: K): ReadonlySignal<State[K]>;
  /** Set traits, of which what follows is drawn once; the kernel is told by `model.save_changes()`. */
  set(changes: Partial<State>): void;
  /** Send a trait to the kernel, unless it has this value. */
  send<K extends keyof State & string>(name: K, value: State[K]): void;
  /** Call `handle` with each message from the kernel and its buffers; what it changes is drawn at once. */
  onMessage(handle: (message: any, buffers: DataView[]) => void): void;
  /** Run now, and whenever a signal that it has read changes; what it returns is called before it runs again. */
  effect(run: () => void | (() => void)): void;
  /** Run at each change of a signal. */
  onChange<T>(of: ReadonlySignal<T>, run: (value: T) => void): void;
  /** What `measure` returns, updated when the element's size on the screen changes: the page is laid out then, so that
   * measuring costs nothing. An element has one measure. */
  measured<T>(element: Element, measure: () => T): ReadonlySignal<T>;
  /** An element's width in its own pixels. */
  width(element: Element): ReadonlySignal<number>;
  onClose(end: () => void): void;
  close(): void;
}

/** Of any view: what a part needs that only draws. */
export type Effects = Pick<View<Record<string, any>>, "effect">;

export function viewOf<State extends Record<string, any>>(model: AnyModel<State>): View<State> {
  const ends: (() => void)[] = [];
  const traits = new Map<string, Signal<any>>();
  const measures = new Map<Element, () => void>();
  let observer: ResizeObserver | undefined;

  function listen(event: string, handle: (...args: any[]) => void): void {
    model.on(event, handle);
    ends.push(() => model.off(event, handle));
  }

  function run(effectBody: () => void | (() => void)): void {
    ends.push(effect(effectBody));
  }

  function measured<T>(element: Element, measure: () => T): ReadonlySignal<T> {
    observer ??= new ResizeObserver((entries) => batch(() => entries.forEach(({ target }) => measures.get(target)?.())));
    const size = signal(measure());
    measures.set(element, () => (size.value = measure()));
    observePixels(observer, element);
    return size;
  }

  return {
    model,
    trait<K extends keyof State & string>(name: K) {
      const held = traits.get(name) as Signal<State[K]> | undefined;
      if (held) return held;
      const value = signal(model.get(name));
      traits.set(name, value);
      // The kernel sets several traits at once, of which the model tells one by one: what follows from them is drawn once.
      listen(`change:${name}`, () => batch(() => traits.forEach((one, other) => (one.value = model.get(other as K)))));
      return value;
    },
    set: (changes) => batch(() => Object.entries(changes).forEach(([name, value]) => model.set(name, value))),
    send(name, value) {
      if (model.get(name) === value) return;
      model.set(name, value);
      model.save_changes();
    },
    onMessage: (handle) => listen("msg:custom", (message, buffers: Bytes[] = []) => batch(() => handle(message, buffers.map(viewed)))),
    effect: run,
    onChange(of, act) {
      let isFirst = true;
      run(() => {
        const { value } = of;
        if (!isFirst) untracked(() => act(value));
        isFirst = false;
      });
    },
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

/** Whether a disclosure is open. */
export function openState(details: HTMLDetailsElement): ReadonlySignal<boolean> {
  const isOpen = signal(details.open);
  details.addEventListener("toggle", () => (isOpen.value = details.open));
  return isOpen;
}
