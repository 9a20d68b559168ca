// What the kernel sends, and how the page names it. No DOM.

/** A number of a JSON trait: non-finite ones are words, unknown ones null. */
export type WireNumber = number | "nan" | "inf" | "-inf" | null;

/** A run as the table shows it. */
export interface Row {
  id: string;
  task: string;
  recipe: string;
  scaled: boolean; // whether the recipe scales the loss
  seed: number | null; // of a watched loop it is not known
  loss_weight: number; // a factor in the loss itself
  steps: number | null; // to be taken; of a watched loop they are not known
  step: number; // taken or skipped so far
  status: string;
  message: string;
  device: string;
  backend: string;
  loss: WireNumber; // the newest step's, on its training batch
  loss_scale: WireNumber; // the newest step's
  skipped: number;
  rate: number | null; // steps per second, newest steps
  metrics: Record<string, WireNumber>; // the last evaluation's, on held-out data
}

/** A run's curves: each is little-endian float32 pairs (step, value). */
export interface WireCurves {
  loss: DataView;
  scale: DataView;
  skipped: DataView;
}

export interface Point {
  readonly step: number;
  readonly value: number;
}

export interface Curves {
  loss: Point[];
  scale: Point[]; // log2, one point per change
  skipped: Point[]; // log2 of the scale that each skipped step used
}

export interface TaskChoice {
  name: string;
  title: string;
  explanation: string;
}

/** The fields of a Recipe that are told. */
export interface RecipeChoice {
  name: string;
  compute_format: string;
  loop: string;
  master_weights: boolean;
  weight_rounding: string;
  optimizer_format: string;
  fp32_ops: string[];
  operands: { forward: string; backward: string; scaling: string; gradient_rounding: string } | null;
  loss_scale: { kind: string; init_scale: number; growth_factor: number; backoff_factor: number; growth_interval: number };
}

/** The traits that kernel and page share. */
export interface State {
  task: string;
  recipe: string;
  steps: number;
  seed: number;
  _tasks: TaskChoice[];
  _recipes: RecipeChoice[];
  _rows: Row[]; // newest first
  _settled: Record<string, WireCurves>; // of runs that are over
  _live: Record<string, WireCurves>; // of runs that go on
  _shown: string[]; // ids of the runs whose curves are drawn
  _notice: string; // what in the folder could not be read
}

/** What the kernel answers to a launch or a stop; a saved page answers anything with "no_kernel". */
export interface Answer {
  kind: "done" | "refused" | "no_kernel";
  request?: string;
  message?: string;
}

export const MAX_STEPS = 10_000_000;
export const MAX_SEED = 2 ** 32 - 1;

export const isAlive = (row: Row): boolean => row.status === "queued" || row.status === "running";

/** The run that progress and Stop are about: the newest that goes on, else the newest. */
export const currentRun = (rows: readonly Row[]): Row | undefined => rows.find(isAlive) ?? rows[0];

/** Points from the wire; an absent or cut-off array gives what is whole. */
export function points(view: DataView | undefined): Point[] {
  const count = view ? Math.floor(view.byteLength / 8) : 0;
  return Array.from({ length: count }, (_, i) => ({
    step: view!.getFloat32(8 * i, true),
    value: view!.getFloat32(8 * i + 4, true),
  }));
}

/** Each run's short name: its recipe, numbered from the oldest where several share one. */
export function runNames(rows: readonly Row[]): Map<string, string> {
  const count = new Map<string, number>();
  for (const row of rows) count.set(row.recipe, (count.get(row.recipe) ?? 0) + 1);
  const seen = new Map<string, number>();
  const names = new Map<string, string>();
  for (const row of [...rows].reverse()) {
    const number = (seen.get(row.recipe) ?? 0) + 1;
    seen.set(row.recipe, number);
    const plain = spaced(row.recipe);
    names.set(row.id, count.get(row.recipe) === 1 ? plain : `${plain} #${number}`);
  }
  return names;
}

/** A name of the catalogues as words: "fp16_dynamic" → "fp16 dynamic". */
export const spaced = (name: string): string => name.replaceAll("_", " ");

/** A whole number in low … high from what was typed; null for anything else. */
export function parseWhole(text: string, low: number, high: number): number | null {
  const digits = text.trim();
  if (!/^[0-9]{1,15}$/.test(digits)) return null;
  const value = Number(digits);
  return low <= value && value <= high ? value : null;
}

/**
 * Which line style each shown run has: a run keeps its own while it is shown, and a new one takes the first
 * that is free.
 */
export function assignStyles(before: ReadonlyMap<string, number>, shown: readonly string[]): Map<string, number> {
  const after = new Map<string, number>();
  for (const id of shown) {
    const kept = before.get(id);
    if (kept !== undefined) after.set(id, kept);
  }
  const taken = new Set(after.values());
  for (const id of shown) {
    if (after.has(id)) continue;
    let style = 0;
    while (taken.has(style)) style += 1;
    taken.add(style);
    after.set(id, style);
  }
  return after;
}
