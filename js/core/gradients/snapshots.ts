// Reads gradient snapshots as written by mixwidgets/floats/widgets/snapshot_feed.py, which documents the format.

import { framesOf, type GradientSummary, readSummaries } from "./summary.ts";

export type Snapshot = ReturnType<typeof readSnapshot>;

const HEAD = 24;
const text = new TextDecoder();

/** The snapshots in these bytes, each preceded by its length as a u32. */
export const readSnapshots = (view: DataView): Snapshot[] => framesOf(view).map(readSnapshot);

function readSnapshot(view: DataView) {
  const start = HEAD + view.getUint32(20, true);
  const names: string[] = JSON.parse(text.decode(new Uint8Array(view.buffer, view.byteOffset + HEAD, start - HEAD)));
  return {
    /** 0 if the source has no steps. */
    step: view.getUint32(0, true),
    /** The loss scale of this step; NaN if unknown. */
    lossScale: view.getFloat64(4, true),
    loss: view.getFloat64(12, true),
    names,
    /** Decoded at each call, because only the bytes are kept. Throws RangeError if they are damaged. */
    summaries(): GradientSummary[] {
      const found = readSummaries(new DataView(view.buffer, view.byteOffset + start, view.byteLength - start));
      if (found.length !== names.length) throw new RangeError("names and gradients differ in number");
      return found;
    },
  };
}

/** In order of their steps; of two with the same step, the later one. */
export function byStep(snapshots: readonly Snapshot[]): Snapshot[] {
  return [...new Map(snapshots.map((one) => [one.step, one])).values()].sort((a, b) => a.step - b.step);
}

/** The snapshot nearest to a step, or the newest for 0; undefined if there is none. Takes the result of `byStep`. */
export function nearest(snapshots: readonly Snapshot[], step: number): Snapshot | undefined {
  if (step === 0) return snapshots.at(-1);
  const distance = (one: Snapshot) => Math.abs(one.step - step);
  return snapshots.reduce<Snapshot | undefined>((best, one) => (best && distance(best) <= distance(one) ? best : one), undefined);
}
