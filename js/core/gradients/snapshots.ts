// Gradient snapshots by step: reads what mixwidgets/widgets/snapshot_feed.py writes, which states the form.

import { framesOf, type GradientSummary, readSummaries } from "./summary.ts";

export interface Snapshot {
  /** 0 where the source has no steps. */
  readonly step: number;
  /** What the loss of this step was multiplied by; NaN where that is not known. */
  readonly lossScale: number;
  readonly loss: number;
  readonly names: readonly string[];
  /** Read anew at each call: of many snapshots only the bytes are kept. Throws RangeError for damaged ones. */
  summaries(): GradientSummary[];
}

const HEAD = 24;
const text = new TextDecoder();

/** Snapshots one after the other, each after its length as a u32. */
export const readSnapshots = (view: DataView): Snapshot[] => framesOf(view).map(readSnapshot);

function readSnapshot(view: DataView): Snapshot {
  const start = HEAD + view.getUint32(20, true);
  const names: string[] = JSON.parse(text.decode(new Uint8Array(view.buffer, view.byteOffset + HEAD, start - HEAD)));
  return {
    step: view.getUint32(0, true),
    lossScale: view.getFloat64(4, true),
    loss: view.getFloat64(12, true),
    names,
    summaries() {
      const found = readSummaries(new DataView(view.buffer, view.byteOffset + start, view.byteLength - start));
      if (found.length !== names.length) throw new RangeError("names and gradients differ in number");
      return found;
    },
  };
}

/** Ascending by step; of two with the same step the later one. */
export function byStep(snapshots: readonly Snapshot[]): Snapshot[] {
  return [...new Map(snapshots.map((one) => [one.step, one])).values()].sort((a, b) => a.step - b.step);
}

/** The snapshot nearest to a step, the newest for 0; undefined where there is none. `snapshots` ascend by step. */
export function nearest(snapshots: readonly Snapshot[], step: number): Snapshot | undefined {
  if (step === 0) return snapshots.at(-1);
  const distance = (one: Snapshot) => Math.abs(one.step - step);
  return snapshots.reduce<Snapshot | undefined>((best, one) => (best && distance(best) <= distance(one) ? best : one), undefined);
}
