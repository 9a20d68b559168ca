// GradientSummary: the twin of mixwidgets/floats/gradients/summary.py, read from bytes (serialization.ts) or made of values in the
// page.

import type { FloatFormat } from "../formats/float_format.ts";
import { BINADE, boundaries, type Place } from "./boundaries.ts";

/** How many values there are of each class. `finite`: of finite non-zero values, in the order of CLASSES. */
export interface Counts {
  readonly zero: number;
  readonly inf: number;
  readonly nan: number;
  readonly finite: readonly number[];
}

/** Multiples of 2^least with at most `precision` significant bits: the values of a float format. */
interface Grid {
  readonly precision: number;
  readonly least: number;
}

export const FLOAT64: Grid = { precision: 53, least: -1074 };
const FLOAT32: Grid = { precision: 24, least: -149 };

/** What a tensor loses in a block format: the fields of Python's BlockRecord, with null for NaN, and for an infinite error. */
export interface BlockRecord {
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
   * `exponents`: of the binades with values, ascending. `blocks`: one per recorded block format. `grid`: of the values. */
  constructor(
    readonly edges: readonly number[], readonly exponents: readonly number[], cells: ArrayLike<number>, samples: Float64Array,
    { zero, inf, nan }: { zero: number; inf: number; nan: number }, readonly grid: Grid,
    readonly blocks: readonly BlockRecord[] = [],
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
    const grid = parts.length === 0 ? FLOAT64 : {
      precision: Math.max(...parts.map((part) => part.grid.precision)),
      least: Math.min(...parts.map((part) => part.grid.least)),
    };
    return new GradientSummary(edges, exponents, cells, samples, apart, grid);
  }
}

const FLOAT32_LOWEST = FLOAT32.least;
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
  const kept = Float64Array.from(rows, (binade) => samples[binade]!);
  return new GradientSummary(edges, rows.map((binade) => binade + FLOAT32_LOWEST), cells, kept, apart, FLOAT32);
}
