// What the kernel says of a sweep: its grid of settings and seeds, and how each run ended.

/** What a cell can be. */
export const WORDS = ["done", "running", "waiting", "failed", "stopped"] as const;
export type Word = (typeof WORDS)[number];

/** A cell has a place, an index into the words of all cells; null where the sweep has none. */
export interface Grid {
  seeds: number[];
  rows: { name: string; cells: (number | null)[] }[];
}

/** A run that has ended. */
export interface EndedRun {
  path: string;
  status: string;
  metrics: Record<string, number>;
}

/** Why a cell failed. */
export interface Failure {
  place: number;
  name: string;
  why: string;
}
