// Gradient snapshots, as mixwidgets/floats/widgets/snapshot_feed.py sends them.

import { readFrame, rowsOf, unpacked } from "../frame.ts";
import { summaryFromBytes } from "./serialization.ts";
import { GradientSummary } from "./summary.ts";

/** Of what the gradients are: of weights, or of the outputs of linear layers (dy). */
export const KINDS = ["weights", "outputs"] as const;
export type Kind = (typeof KINDS)[number];

/** Gradients by name. */
interface Named {
  readonly names: readonly string[];
  /** Decoded at each call, because only the bytes are kept. Throws RangeError if they are damaged. */
  summaries(): GradientSummary[];
}

export interface Snapshot {
  /** 0 if the source has no steps. */
  readonly step: number;
  /** The loss scale of this step; NaN if unknown. */
  readonly lossScale: number;
  readonly loss: number;
  readonly weights: Named;
  /** Without names where dy was not recorded. */
  readonly outputs: Named;
}

/** The snapshots of a frame. */
export function readSnapshots(view: DataView): Snapshot[] {
  const frame = readFrame(view);
  const parts = unpacked(frame);
  return rowsOf(frame.arrays.get("snapshots")!).map(([step, lossScale, loss], i) => {
    const named = (names: string[]): Named => {
      const own = parts.splice(0, names.length);
      return { names, summaries: () => own.map(summaryFromBytes) };
    };
    return { step: step!, lossScale: lossScale!, loss: loss!, weights: named(frame.head.names[i]), outputs: named(frame.head.outputs[i]) };
  });
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
