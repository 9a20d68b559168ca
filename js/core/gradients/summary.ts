// GradientSummary: the twin of mixwidgets/floats/gradients/summary.py, read from the bytes of serialization.py or made of
// values in the page.

import type { FloatFormat } from "../formats/float_format.ts";
import { BINADE, boundaries, type Place } from "./boundaries.ts";

const MAGIC = 0x5347574d; // "MWGS" as a little-endian u32
const WITH_BLOCKS = 3;
const HEAD = 32; // bytes before the cuts
const text = new TextDecoder();

/** How many values there are of each class. `finite`: of finite non-zero values, in the order of CLASSES. */
export interface Counts {
  readonly zero: number;
  readonly inf: number;
  readonly nan: number;
  readonly finite: readonly number[];
}

/** What a tensor loses in a block format: the fields of Python's BlockRecord, with null for NaN, and for an infinite error. */
interface BlockRecord {
  readonly format: string;
  readonly blocks_along: string;
  readonly flushed: number;
  readonly clipped: number;
  readonly relative_error: number | null;
  readonly block_range_p50: number | null;
  readonly block_range_p95: number | null;
  readonly block_range_max: number | null;
  readonly block_amax_min: number | null;
  readonly block_amax_p50: number | null;
  readonly block_amax_max: number | null;
}

export class GradientSummary {
  readonly zero: number;
  readonly inf: number;
  readonly nan: number;
  /** Cumulative counts: the number of finite non-zero values below each cell, row by row; last, the total. */
  readonly #below: Float64Array;
  /** For each row, a value of its binade, or 0 if none was kept. */
  readonly #samples: Float64Array;
  /** For each binade from the lowest one with values: the first row at or after it. */
  readonly #rowFrom: Uint16Array;

  /** `edges`: fractions of a binade (see `Place`), from 0 to its end; values between two edges are counted together.
   * `exponents`: of the binades with values, ascending. `blocks`: one per recorded block format. */
  constructor(
    readonly edges: readonly number[], readonly exponents: readonly number[], cells: ArrayLike<number>, samples: Float64Array,
    { zero, inf, nan }: { zero: number; inf: number; nan: number }, readonly blocks: readonly BlockRecord[] = [],
  ) {
    [this.zero, this.inf, this.nan] = [zero, inf, nan];
    this.#samples = samples;
    this.#below = new Float64Array(cells.length + 1);
    for (let i = 0; i < cells.length; i++) this.#below[i + 1] = this.#below[i]! + cells[i]!;
    const lowest = exponents[0] ?? 0;
    this.#rowFrom = new Uint16Array((exponents.at(-1) ?? lowest) - lowest + 1);
    for (let row = exponents.length - 1, at = this.#rowFrom.length - 1; at >= 0; at--) {
      if (row > 0 && exponents[row - 1]! - lowest >= at) row--;
      this.#rowFrom[at] = row;
    }
  }

  /** How many finite non-zero values there are. */
  get finite(): number {
    return this.#below.at(-1)!;
  }

  /** How many values there are. */
  get count(): number {
    return this.zero + this.inf + this.nan + this.finite;
  }

  /** How many values are in a cell: those between two edges in the binade of a row. */
  held(row: number, cell: number): number {
    const at = row * (this.edges.length - 1) + cell;
    return this.#below[at + 1]! - this.#below[at]!;
  }

  /** An original value of the binade that starts at 2^exponent; undefined if none was kept. */
  sample(exponent: number): number | undefined {
    return this.#samples[this.exponents.indexOf(exponent)] || undefined;
  }

  /** How many finite non-zero values are below a place, which must be at an edge. */
  below({ exponent, fraction }: Place): number {
    const width = this.edges.length - 1;
    const at = exponent - (this.exponents[0] ?? 0);
    if (at < 0 || this.exponents.length === 0) return 0;
    if (at >= this.#rowFrom.length) return this.finite;
    const row = this.#rowFrom[at]!;
    if (this.exponents[row] !== exponent) return this.#below[row * width]!;
    const edge = this.edges.indexOf(fraction);
    if (edge < 0) throw new RangeError(`this summary keeps no count at fraction ${fraction}`);
    return this.#below[row * width + edge]!;
  }

  /** The exact counts for the values times 2^log2LossScale, rounded to `format`, ties to even. */
  counts(format: FloatFormat, log2LossScale: number): Counts {
    let below = 0;
    const finite = boundaries(format).map(({ exponent, fraction }) => {
      const next = this.below({ exponent: exponent - log2LossScale, fraction });
      const count = next - below;
      below = next;
      return count;
    });
    return { zero: this.zero, inf: this.inf, nan: this.nan, finite: [...finite, this.finite - below] };
  }

  /** The summary of the values of several summaries, which must have the same edges. Earlier samples are preferred. */
  static together(parts: readonly GradientSummary[]): GradientSummary {
    const edges = parts[0]?.edges ?? [0, BINADE];
    const alike = (other: readonly number[]) => other.length === edges.length && other.every((edge, i) => edge === edges[i]);
    if (!parts.every((part) => alike(part.edges))) throw new RangeError("these summaries differ in kind");
    const width = edges.length - 1;
    const exponents = [...new Set(parts.flatMap((part) => part.exponents))].sort((a, b) => a - b);
    const row = new Map(exponents.map((exponent, index) => [exponent, index] as const));
    const cells = new Float64Array(exponents.length * width);
    const samples = new Float64Array(exponents.length);
    const apart = { zero: 0, inf: 0, nan: 0 };
    for (const part of parts) {
      for (const name of ["zero", "inf", "nan"] as const) apart[name] += part[name];
      part.exponents.forEach((exponent, from) => {
        const to = row.get(exponent)!;
        samples[to] ||= part.#samples[from]!;
        for (let cell = 0; cell < width; cell++) {
          cells[to * width + cell]! += part.held(from, cell);
        }
      });
    }
    return new GradientSummary(edges, exponents, cells, samples, apart);
  }

  /** Reads what Python's `to_bytes` wrote. Throws RangeError for anything else. */
  static fromBytes(view: DataView): GradientSummary {
    const end = view.byteLength - 4;
    if (end < HEAD || view.getUint32(0, true) !== MAGIC) throw new RangeError("these bytes are not a gradient summary");
    const version = view.getUint8(4);
    if (version < 1 || version > WITH_BLOCKS) throw new RangeError(`a gradient summary of version ${version} came`);
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
    const blocks = version === WITH_BLOCKS ? JSON.parse(text.decode(new Uint8Array(view.buffer, view.byteOffset + at, end - at))) : [];
    return new GradientSummary([0, ...cuts, BINADE], exponents, cells, samples, apart, blocks);
  }
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

const FLOAT32_LOWEST = -149; // the exponent of float32's smallest subnormal
const FLOAT32_BINADES = 277; // from there to the exponent 127

/** A summary of float32 values, as Python makes one: exact for one format at every power-of-two scale. */
export function summaryOf(values: Float32Array, format: FloatFormat): GradientSummary {
  const edges = [...new Set([0, ...boundaries(format).map(({ fraction }) => fraction), BINADE])].sort((a, b) => a - b);
  const width = edges.length - 1;
  const counts = new Float64Array(FLOAT32_BINADES * width);
  const samples = new Float64Array(FLOAT32_BINADES); // a value of each binade, or 0
  const apart = { zero: 0, inf: 0, nan: 0 };
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < values.length; i++) {
    const magnitude = bits[i]! & 0x7fffffff;
    if (magnitude === 0) apart.zero++;
    else if (magnitude > 0x7f800000) apart.nan++;
    else if (magnitude === 0x7f800000) apart.inf++;
    else {
      const shift = magnitude < 0x800000 ? Math.clz32(magnitude) - 8 : 0; // normalises a subnormal
      const binade = Math.max(magnitude >>> 23, 1) - shift - 127 - FLOAT32_LOWEST;
      const fraction = ((magnitude << shift) & 0x7fffff) * 2 ** 29;
      let cell = width - 1;
      while (fraction < edges[cell]!) cell--;
      counts[binade * width + cell]!++;
      samples[binade] ||= values[i]!;
    }
  }
  const rows = [...samples.keys()].filter((binade) => samples[binade] !== 0);
  const cells = rows.flatMap((binade) => [...counts.subarray(binade * width, (binade + 1) * width)]);
  return new GradientSummary(edges, rows.map((binade) => binade + FLOAT32_LOWEST), cells, Float64Array.from(rows, (binade) => samples[binade]!), apart);
}
