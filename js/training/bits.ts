// All that training has changed, as bytes: equal bits make equal bytes.

import type { Trainer } from "./types.ts";

/** The weights that are kept and the last gradients, tensor by tensor, as little-endian float32; of all NaN the same one. */
export function allBits({ tensors }: Trainer): Uint8Array<ArrayBuffer> {
  const values = tensors.flatMap(({ kept, gradient }) => [...kept, ...gradient].map((value) => (Number.isNaN(value) ? NaN : value)));
  return new Uint8Array(Float32Array.from(values).buffer);
}
