// Rows of little-endian float32, as Python sends curves.

/** The whole rows of so many numbers; of absent or cut-off bytes what is there. */
export function floatRows(view: DataView | undefined, size: number): number[][] {
  const count = view ? Math.floor(view.byteLength / (4 * size)) : 0;
  return Array.from({ length: count }, (_, i) => Array.from({ length: size }, (_, j) => view!.getFloat32(4 * (size * i + j), true)));
}
