// Reads a gradient summary from its bytes: the twin of mixwidgets/floats/gradients/serialization.py. Apart from the summary,
// because the playground, which makes its own, reads none.

import { BINADE } from "./boundaries.ts";
import { FLOAT64, GradientSummary } from "./summary.ts";

const MAGIC = 0x5347574d; // "MWGS" as a little-endian u32
const VERSION = 4;
const WITH_BLOCKS = 3; // and without a grid
const HEAD = 32; // bytes before the cuts
const text = new TextDecoder();

/** Reads what Python's `to_bytes` wrote. Throws RangeError for anything else. */
export function summaryFromBytes(view: DataView): GradientSummary {
  const end = view.byteLength - 4;
  if (end < HEAD || view.getUint32(0, true) !== MAGIC) throw new RangeError("these bytes are not a gradient summary");
  const version = view.getUint8(4);
  if (version < 1 || version > VERSION) throw new RangeError(`a gradient summary of version ${version} came`);
  if (view.getUint32(end, true) !== crc32(view, end)) throw new RangeError("this gradient summary is damaged");
  const [width, rows] = [view.getUint8(5) + 1, view.getUint16(6, true)];
  const u64 = (at: number) => Number(view.getBigUint64(at, true));
  let at = HEAD;
  const cuts = Array.from({ length: width - 1 }, (_, i) => u64(at + 8 * i));
  at += 8 * cuts.length;
  const exponents = Array.from({ length: rows }, (_, i) => view.getInt16(at + 2 * i, true));
  at += 2 * rows;
  const cells = new Float64Array(rows * width);
  for (let cell = 0; cell < cells.length; cell++) {
    let [byte, unit] = [view.getUint8(at++), 1];
    let count = byte & 0x7f;
    while (byte >= 0x80) {
      byte = view.getUint8(at++);
      count += (byte & 0x7f) * (unit *= 128);
    }
    cells[cell] = count;
  }
  const samples = new Float64Array(rows);
  for (let row = 0; version > 1 && row < rows; row++) {
    let byte = view.getUint8(at++);
    const [isThere, sign] = [byte & 0x40, byte & 0x20 ? -1 : 1];
    let [significand, unit] = [1 + (byte & 0x1f) / 32, 1 / 32];
    while (byte >= 0x80) {
      byte = view.getUint8(at++);
      significand += (byte & 0x7f) * (unit /= 128);
    }
    if (isThere) samples[row] = sign * significand * 2 ** exponents[row]!;
  }
  const apart = { zero: u64(8), inf: u64(16), nan: u64(24) };
  let grid = FLOAT64;
  if (version > WITH_BLOCKS) {
    grid = { precision: view.getUint8(at), least: view.getInt16(at + 1, true) };
    at += 3;
  }
  const hasBlocks = version >= WITH_BLOCKS && at < end;
  const blocks = hasBlocks ? JSON.parse(text.decode(new Uint8Array(view.buffer, view.byteOffset + at, end - at))) : [];
  return new GradientSummary([0, ...cuts, BINADE], exponents, cells, samples, apart, grid, blocks);
}

const CRC_OF_BYTE = Uint32Array.from({ length: 256 }, (_, crc) => {
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  return crc;
});

/** CRC-32 of the first `end` bytes (ISO 3309; zlib's). */
function crc32(view: DataView, end: number): number {
  let crc = ~0;
  for (let at = 0; at < end; at++) crc = CRC_OF_BYTE[(crc ^ view.getUint8(at)) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}
