// The Hadamard transform with random signs. The twin of mixwidgets/floats/formats/hadamard.py, which says what it is, where it
// comes from, and when it is exact.

export const SIZE = 16;

/** `random_signs(0)` in Python. */
export const SIGNS: readonly number[] = [1, 1, 1, -1, -1, -1, -1, -1, -1, 1, 1, 1, 1, 1, 1, 1];

/** The matrix D H / √size, row by row; without signs it is symmetric, and its own inverse. */
export function hadamard(size = SIZE, signs: readonly number[] = new Array<number>(size).fill(1)): number[][] {
  let matrix = [[1]];
  while (matrix.length < size) {
    matrix = [...matrix.map((row) => [...row, ...row]), ...matrix.map((row) => [...row, ...row.map((value) => -value)])];
  }
  return matrix.map((row, index) => row.map((value) => (signs[index]! * value) / Math.sqrt(size)));
}

/** Values whose blocks are multiplied by the matrix; a short last block stays as it is. */
export function rotated(values: ArrayLike<number>, matrix: readonly (readonly number[])[]): Float64Array {
  const size = matrix.length;
  const result = Float64Array.from(values);
  for (let start = 0; start + size <= values.length; start += size) {
    for (let column = 0; column < size; column++) {
      result[start + column] = matrix.reduce((sum, row, index) => sum + values[start + index]! * row[column]!, 0);
    }
  }
  return result;
}
