// Arrays for the frames that a kernel would send.

import type { NumberArray } from "#core/frame.ts";

/** Rows of one length. */
export const float32 = (rows: readonly (readonly number[])[]): NumberArray => ({ values: Float32Array.from(rows.flat()), shape: [rows.length, rows[0]?.length ?? 2] });

export const float64 = (rows: readonly (readonly number[])[], width = rows[0]!.length): NumberArray => ({ values: Float64Array.from(rows.flat()), shape: [rows.length, width] });

/** Bytes, such as another frame's. */
export const bytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView): NumberArray => ({ values: new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength), shape: [byteLength] });

/** The summaries of a frame, by their bytes, as Python's `packed`. */
export function packed(summaries: readonly Uint8Array[]): Record<"sizes" | "summaries", NumberArray> {
  const sizes = Uint32Array.from(summaries, ({ length }) => length);
  return { sizes: { values: sizes, shape: [sizes.length] }, summaries: bytes(Uint8Array.from(summaries.flatMap((one) => [...one]))) };
}
