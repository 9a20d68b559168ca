// Rows of little-endian float32, the form in which Python sends curves.

/** The complete rows of `size` numbers; none if there are no bytes. */
export function floatRows(view: DataView | undefined, size: number): number[][] {
  const count = view ? Math.floor(view.byteLength / (4 * size)) : 0;
  return Array.from({ length: count }, (_, i) => Array.from({ length: size }, (_, j) => view!.getFloat32(4 * (size * i + j), true)));
}
