// Frames, against the vectors that Python's are tested with.

import { describe, expect, test } from "vitest";
import { bytesOf, type NumberArray, readFrame, rowsOf, unpacked, writeFrame } from "#core/frame.ts";
import { bytes, float32, packed } from "./frames.ts";
import { committed } from "./vectors.ts";

interface Case {
  readonly head: object;
  readonly arrays: readonly (readonly [name: string, type: string, shape: readonly number[], numbers: readonly string[]])[];
  readonly bytes: string;
}

const cases = committed<Case[]>("frames.json");
const arrayOf = (type: string, numbers: readonly string[]): NumberArray["values"] => {
  const each = (kind: { from(values: number[]): NumberArray["values"] }) => kind.from(numbers.map(Number));
  switch (type) {
    case "u1": return each(Uint8Array);
    case "u2": return each(Uint16Array);
    case "u4": return each(Uint32Array);
    case "u8": return BigUint64Array.from(numbers, BigInt);
    case "f4": return each(Float32Array);
    default: return each(Float64Array);
  }
};
const sent = (hex: string, before = 0) => {
  const all = Buffer.concat([Buffer.alloc(before), Buffer.from(hex, "hex"), Buffer.alloc(3, 255)]);
  return new DataView(Uint8Array.from(all).buffer, before, hex.length / 2);
};
const hexOf = ({ buffer, byteOffset, byteLength }: DataView) => Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString("hex");

describe.each(cases)("frame $#", ({ head, arrays, bytes: hex }) => {
  const wanted = arrays.map(([name, type, shape, numbers]) => [name, { values: arrayOf(type, numbers), shape }] as const);
  test.each([0, 8, 1, 4])("is read wherever a host puts it, as after %i bytes", (before) => {
    const frame = readFrame(sent(hex, before));
    expect(frame.head).toEqual(head);
    expect([...frame.arrays]).toEqual(wanted);
  });
  test("is written as Python writes it", () => {
    expect(hexOf(writeFrame(Object.fromEntries(wanted), head))).toBe(hex);
  });
});

test("the arrays of an aligned frame are not copied", () => {
  const view = writeFrame({ a: float32([[1, 2]]) });
  expect(readFrame(view).arrays.get("a")!.values.buffer).toBe(view.buffer);
});

test("a frame in a frame, and rows", () => {
  const inner = writeFrame({ a: float32([[1, 2], [3, NaN]]) });
  const read = readFrame(bytesOf(readFrame(writeFrame({ short: bytes(Uint8Array.of(1)), frame: bytes(inner) })).arrays.get("frame")!));
  expect(rowsOf(read.arrays.get("a")!)).toEqual([[1, 2], [3, NaN]]);
  expect(rowsOf(float32([]))).toEqual([]);
});

test("summaries keep their bytes, also where one is empty", () => {
  const parts = [Uint8Array.of(1, 2, 3), new Uint8Array(), Uint8Array.of(4)];
  const read = unpacked(readFrame(writeFrame(packed(parts))));
  expect(read.map(hexOf)).toEqual(["010203", "", "04"]);
});

test("what ends too early is refused, though more bytes follow in the buffer", () => {
  const { bytes: hex } = cases.at(-1)!;
  for (let end = 0; end < hex.length / 2 - 7; end++) { // the last number has four bytes, and four that fill it up
    const whole = sent(hex);
    expect(() => readFrame(new DataView(whole.buffer, 0, end)), `cut at ${end}`).toThrow();
  }
});
