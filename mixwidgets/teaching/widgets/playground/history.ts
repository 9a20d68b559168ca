// What a run has been, in bounded memory: a row for each step, later one for two, four … of them.

import { writeFrame } from "#core/frame.ts";

export const MOST_ROWS = 2048; // even; the same in widget.py

export interface Row {
  readonly step: number;
  /** The losses of both networks on the step's batch, or their means. */
  readonly reference: number;
  readonly loss: number;
  readonly lossScale: number;
  /** Steps skipped among those of the row. */
  readonly skipped: number;
}

export class History {
  /** Steps that a row stands for. */
  stride = 1;
  rows: Row[] = [];
  #pending: Row[] = [];

  add(row: Row): void {
    this.#pending.push(row);
    if (this.#pending.length < this.stride) return;
    this.rows.push(joined(this.#pending));
    this.#pending = [];
    if (this.rows.length < MOST_ROWS) return;
    this.rows = Array.from({ length: MOST_ROWS / 2 }, (_, i) => joined(this.rows.slice(2 * i, 2 * i + 2)));
    this.stride *= 2;
  }

  clear(): void {
    [this.rows, this.#pending, this.stride] = [[], [], 1];
  }

  /** A frame: "rows", float64 in the order of Row's fields. */
  toFrame(): DataView {
    const values = Float64Array.from(this.rows.flatMap(({ step, reference, loss, lossScale, skipped }) => [step, reference, loss, lossScale, skipped]));
    return writeFrame({ rows: { values, shape: [this.rows.length, 5] } });
  }
}

function joined(rows: readonly Row[]): Row {
  const sum = (of: (row: Row) => number) => rows.reduce((all, row) => all + of(row), 0);
  const { step, lossScale } = rows.at(-1)!;
  const mean = (of: (row: Row) => number) => sum(of) / rows.length;
  return { step, lossScale, reference: mean((row) => row.reference), loss: mean((row) => row.loss), skipped: sum((row) => row.skipped) };
}
