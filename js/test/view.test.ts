// @vitest-environment jsdom
// A model as signals: what a view reads, sends, measures, and leaves behind when it closes.

import { expect, test, vi } from "vitest";
import { signal } from "@preact/signals-core";
import { kept, viewOf } from "#ui/view.ts";
import { fakeModel } from "./fake_model.ts";

function open(traits: Record<string, unknown>) {
  const model = fakeModel(traits);
  return { model, view: viewOf<Record<string, any>>(model as never) };
}

test("a trait is followed until the view is closed, and sent only when it differs", () => {
  const { model, view } = open({ scale: 1 });
  const [scale, seen] = [view.trait("scale"), [] as number[]];
  view.effect(() => void seen.push(scale.value));
  model.set("scale", 2);
  view.send("scale", 2);
  view.send("scale", 3);
  view.close();
  model.set("scale", 4);
  expect([seen, model.saved, model.listening()]).toEqual([[1, 2, 3], [{ scale: 3 }], 0]);
});

test("traits that the kernel sets at once are seen at once", () => {
  const { model, view } = open({ scale: 1, format: "float16" });
  const [scale, format, seen] = [view.trait("scale"), view.trait("format"), [] as string[]];
  view.effect(() => void seen.push(`${format.value} × ${scale.value}`));
  model.receive({ format: "bfloat16", scale: 2 });
  expect(seen).toEqual(["float16 × 1", "bfloat16 × 2"]);
  view.close();
});

test("what a message changes is drawn once", () => {
  const { model, view } = open({});
  const [a, b, seen] = [signal(0), signal(0), [] as number[]];
  view.effect(() => void seen.push(a.value + b.value));
  view.onMessage(({ to }, [bytes]) => {
    a.value = to;
    b.value = bytes!.byteLength;
  });
  model.answer({ to: 5 }, [new DataView(new ArrayBuffer(2))]);
  expect(seen).toEqual([0, 7]);
  view.close();
  model.answer({ to: 6 }, [new DataView(new ArrayBuffer(2))]);
  expect(seen).toEqual([0, 7]);
});

test("a message's bytes are views of what came, in whichever form a host hands them over", () => {
  const { model, view } = open({});
  const seen: number[][] = [];
  view.onMessage((_, buffers) => seen.push(buffers.map((bytes) => bytes.getUint16(0, true))));
  const sent = Uint8Array.of(9, 1, 2, 9);
  const cut = sent.slice(1, 3);
  model.answer({}, [new DataView(sent.buffer, 1, 2), sent.subarray(1, 3), cut, cut.buffer]);
  model.answer({}, undefined);
  expect(seen).toEqual([[0x201, 0x201, 0x201, 0x201], []]);
  expect(() => model.answer({}, [sent.subarray(1, 2)])).toThrow(RangeError); // and reach no further
});

test("an effect cleans up, and so does the view", () => {
  const { view } = open({});
  const [of, told] = [signal("a"), [] as string[]];
  view.onClose(() => told.push("closed"));
  view.effect(() => {
    const name = of.value;
    return () => told.push(`end of ${name}`);
  });
  of.value = "b";
  view.close();
  of.value = "c";
  expect(told).toEqual(["end of a", "end of b", "closed"]);
});

test("all elements are measured by one observer, when their size has changed", () => {
  const observers: { notice: ResizeObserverCallback; observe: () => void; disconnect: ReturnType<typeof vi.fn> }[] = [];
  vi.stubGlobal("ResizeObserver", class {
    disconnect = vi.fn();
    constructor(readonly notice: ResizeObserverCallback) { observers.push(this); }
    observe() {}
  });
  const { view } = open({});
  const [one, other] = [document.createElement("p"), document.createElement("p")];
  const [width, height] = [view.width(one), view.measured(other, () => other.clientHeight)];
  Object.defineProperty(one, "clientWidth", { value: 7 });
  Object.defineProperty(other, "clientHeight", { value: 9 });
  expect([width.value, height.value, observers.length]).toEqual([0, 0, 1]);
  observers[0]!.notice([{ target: one }, { target: other }] as never, observers[0] as never);
  expect([width.value, height.value]).toEqual([7, 9]);
  view.close();
  expect(observers[0]!.disconnect).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});

test("a kept value stays what it was", () => {
  const number = signal(3);
  const even = kept(0, (last) => (number.value % 2 ? last : number.value));
  expect(even.value).toBe(0);
  number.value = 4;
  expect(even.value).toBe(4);
  number.value = 5;
  expect(even.value).toBe(4);
});
