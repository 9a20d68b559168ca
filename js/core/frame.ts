// A frame: named arrays in one run of bytes, as mixwidgets/floats/widgets/frame.py states it. A number's bytes are in the
// order of this machine's typed arrays, which is little-endian wherever browsers run.

const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, u8: BigUint64Array, f4: Float32Array, f8: Float64Array };
const ALIGNMENT = 8;
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/** Numbers of one type, row by row; `shape` has one or two sizes. */
export interface NumberArray {
  readonly values: InstanceType<(typeof TYPES)[keyof typeof TYPES]>;
  readonly shape: readonly number[];
}

export interface Frame {
  /** The small values that came with the arrays. */
  readonly head: Readonly<Record<string, any>>;
  readonly arrays: ReadonlyMap<string, NumberArray>;
}

type Described = [name: string, type: keyof typeof TYPES, shape: number[]];

/** The frame in these bytes. Its arrays share their memory. Throws RangeError or SyntaxError for other bytes. */
export function readFrame(view: DataView): Frame {
  if (view.byteOffset % ALIGNMENT !== 0) { // of a host that hands out a part of a message: typed arrays have to be aligned
    return readFrame(new DataView(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength)));
  }
  let at = 4;
  /** Where the next bytes start in the buffer; `at` goes on to their end. */
  const next = (size: number): number => {
    if (size > view.byteLength - at) throw new RangeError("a frame of arrays ends too early");
    return view.byteOffset + (at += size) - size;
  };
  const length = view.getUint32(0, true);
  const { arrays: described, ...head } = JSON.parse(decoder.decode(new Uint8Array(view.buffer, next(length), length)));
  const arrays = (described as Described[]).map(([name, type, shape]) => {
    const count = shape.reduce((all, size) => all * size, 1);
    const size = count * TYPES[type].BYTES_PER_ELEMENT;
    const values = new TYPES[type](view.buffer as ArrayBuffer, next(size), count);
    at = filled(at);
    return [name, { values, shape }] as const;
  });
  return { head, arrays: new Map(arrays) };
}

export function writeFrame(arrays: Readonly<Record<string, NumberArray>>, head: object = {}): DataView {
  const typeOf = (values: NumberArray["values"]) => Object.entries(TYPES).find(([, type]) => values instanceof type)![0];
  const described = Object.entries(arrays).map(([name, { values, shape }]) => [name, typeOf(values), shape]);
  const text = encoder.encode(JSON.stringify({ arrays: described, ...head }));
  const parts = Object.values(arrays).map(({ values }) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  const start = filled(4 + text.length);
  const bytes = new Uint8Array(parts.reduce((all, { length }) => all + filled(length), start)).fill(0x20, 4, start);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, start - 4, true);
  bytes.set(text, 4);
  let at = start;
  for (const part of parts) {
    bytes.set(part, at);
    at += filled(part.length);
  }
  return view;
}

/** The rows of an array of two sizes. */
export function rowsOf({ values, shape: [count, size] }: NumberArray): number[][] {
  return Array.from({ length: count! }, (_, i) => Array.from({ length: size! }, (_, j) => Number(values[size! * i + j])));
}

/** An array's bytes. */
export const bytesOf = ({ values }: NumberArray): DataView => new DataView(values.buffer, values.byteOffset, values.byteLength);

/** The summaries' bytes in a frame's arrays "sizes" and "summaries". */
export function unpacked({ arrays }: Frame): DataView[] {
  const all = bytesOf(arrays.get("summaries")!);
  let at = all.byteOffset;
  return Array.from(arrays.get("sizes")!.values, Number).map((size) => new DataView(all.buffer, (at += size) - size, size));
}

/** A size in bytes, filled up to a multiple of 8. */
const filled = (size: number): number => Math.ceil(size / ALIGNMENT) * ALIGNMENT;
