// Products of matrices with the order of every sum: term after term, from the first to the last, starting at +0.

import { scratch, upper, type Rounder } from "./rounder.ts";

/** A matrix in an array: element (row, column) is at row × rowStep + column × columnStep. */
export interface Matrix {
  readonly values: Float32Array;
  readonly rowStep: number;
  readonly columnStep: number;
}

/** An array of so many columns, row by row. */
export function byRows(values: Float32Array, columns: number): Matrix {
  return { values, rowStep: columns, columnStep: 1 };
}

/** Its transpose: the same array, read by columns. */
export function transposed({ values, rowStep, columnStep }: Matrix): Matrix {
  return { values, rowStep: columnStep, columnStep: rowStep };
}

/** The row vector of so many ones, with which a product adds up columns. */
export const ones: Matrix = { values: Float32Array.of(1), rowStep: 0, columnStep: 0 };

/** out (rows × columns) = a (rows × terms) · b (terms × columns), each sum kept in float32: every product is exact in
 * float64, and what is stored in `out` is rounded to float32. */
export function multiply(out: Float32Array, a: Matrix, b: Float32Array, rows: number, terms: number, columns: number): void {
  out.fill(0, 0, rows * columns);
  for (let row = 0; row < rows; row++) {
    const to = row * columns;
    for (let term = 0; term < terms; term++) {
      const factor = a.values[row * a.rowStep + term * a.columnStep]!;
      const from = term * columns;
      for (let j = 0; j < columns; j++) out[to + j] = out[to + j]! + factor * b[from + j]!;
    }
  }
}

/** The same with each sum kept in a format: it is rounded after each term, as `round` does it, but that a zero is always +0. */
export function multiplyInFormat(
  rounder: Rounder, out: Float32Array, a: Matrix, b: Float32Array, rows: number, terms: number, columns: number,
): void {
  const { magic, max, past } = rounder;
  out.fill(0, 0, rows * columns);
  for (let row = 0; row < rows; row++) {
    const to = row * columns;
    for (let term = 0; term < terms; term++) {
      const factor = a.values[row * a.rowStep + term * a.columnStep]!;
      const from = term * columns;
      for (let j = 0; j < columns; j++) {
        const sum = out[to + j]! + factor * b[from + j]!;
        scratch[0] = sum;
        const m = magic[(upper[0]! >>> 20) & 2047]!;
        const rounded = sum + m - m;
        out[to + j] = rounded > max ? past : rounded < -max ? -past : rounded;
      }
    }
  }
}
