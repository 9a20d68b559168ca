// What the kernel sends. No DOM.

import { bytesOf, readFrame, rowsOf } from "#core/frame.ts";
import type { Point } from "#ui/chart/geometry.ts";
import type { WireNumber } from "#ui/run_words.ts";

/** As Python has it: one value stands alone, several are a list. */
export type OneOrMore<T> = T | T[];

/** A run as the table shows it. */
export interface Row {
  id: string;
  task: string;
  recipe: string; // its name; of several phases "fp16_dynamic → bf16 (200)"
  changes: Change[];
  scaled: boolean; // whether the recipe scales the loss
  seed: number | null; // of a watched loop it is not known
  loss_weight: number; // a factor in the loss itself
  batch_size: number | null; // of a watched loop it is not known
  steps: number | null; // to be taken; of a watched loop they are not known
  settings: string | null; // as those of a launch; of a watched loop and of one's own task null
  step: number; // taken or skipped so far
  status: string;
  position: number | null; // in the queue, 1 is next; null for one that does not wait
  message: string;
  device: string;
  device_name: string; // a GPU's, with its memory
  backend: string;
  loss: WireNumber; // the newest step's, on its training batch
  loss_scale: WireNumber; // the newest step's
  skipped: number;
  rate: number | null; // steps per second, newest steps
  metrics: Record<string, WireNumber>; // the last evaluation's, on held-out data
  memory: Record<string, number> | null; // bytes by kind that a step takes
  work: WireWork | null; // of a step
  flushed: number | null; // share of the newest snapshot's non-zero gradients, in 0 … 1
  gradients: boolean; // whether there is a snapshot to open
  name?: string; // as its user calls it
  note?: string;
  star?: boolean;
  [figure: string]: unknown; // others of `_figures`
}

/** A recipe that a run changes to in its course. */
export interface Change {
  step: number; // how many steps come before it
  recipe: string;
}

/** A figure of the line about the newest step; its words are "lab.newest_<name>". */
export interface NewestFigure {
  name: string; // in a row
  unit: string; // as `inUnit` writes it
  scaled: boolean; // whether only a run that scales its loss has it
}

/** The floating-point operations of a step's products; the peak is a large product's rate, 0 if it was not measured. */
export interface WireWork {
  flops: number;
  unaligned: number;
  largest_unaligned: string;
  peak: number;
}

/** A sentence about some of the shown runs (Python's `verdict`). */
export interface Finding {
  runs: string[]; // ids
  loses: boolean; // whether they do worse than the reference
  head: string;
  why: string;
  figures: string;
}

/** What became of the gradients at a step: those that are 0, then in the order of `CLASSES`, then those that were inf or NaN: shares
 * that add up to 1. */
export interface Shares {
  readonly step: number;
  readonly of: readonly number[];
}

/** Whether they are known: a share that the counts do not decide, or one of a step without gradients, is NaN. */
export const isKnown = ({ of }: Shares): boolean => of.every(Number.isFinite);

export interface Curves {
  loss: Point[];
  scale: Point[]; // log2, one point per change
  skipped: Point[]; // log2 of the scale that each skipped step used
  shares: Shares[];
}

export interface TaskChoice {
  name: string;
  title: string;
  explanation: string;
  steps: number; // by default
  settings: Setting[];
}

/** A setting of a task: a choice, or a number in low … high (null: without a limit). */
export interface Setting {
  name: string;
  title: string;
  about: string;
  default: number | string;
  choices?: Readonly<Record<string, string>>; // their words
  whole?: boolean;
  low?: number;
  high?: number | null;
}

/** Runs in which a difference between recipes shows, and what to watch. */
export interface ScenarioChoice {
  title: string;
  question: string; // of the stage; "" for none
  watch: string;
  choice: { task: string; recipe: string[]; steps: number; settings: string };
}

export interface DeviceChoice {
  name: string;
  about: string; // a GPU's name and memory, as far as known
}

/** A recipe in the page's language. */
export interface RecipeChoice {
  name: string;
  heading: string; // what it stands under
  brief: string; // in a line
  description: string; // in sentences
  values: RecipeValues; // those of the form
  is_own: boolean;
}

/** A recipe's fields by path, such as "loss_scale.kind". */
export type RecipeValues = Record<string, string | number | boolean | null>;

/** A field of the form in which a recipe is edited: a choice, yes or no, names, or a number (null: none, where that may be). */
export interface RecipeField {
  name: string;
  group: string; // what it stands under
  title: string;
  about: string;
  needs: Readonly<Record<string, readonly (string | boolean)[]>>; // values of others with one of which it has an effect
  default: string | number | boolean | null;
  choices?: Readonly<Record<string, string>>; // their words
  is_yes_or_no?: boolean;
  is_text?: boolean; // names with commas between them
  whole?: boolean;
  low?: number;
  high?: number;
  optional?: boolean;
}

/** What tells some runs apart, field by field; a value for each run. */
export interface Comparison {
  runs: string[];
  rows: { field: string; kind: "setting" | "result"; values: (string | number | boolean | null)[]; unit: string }[];
}

/** What the next launch runs: one or several recipes and seeds, and settings. */
export interface Choice {
  task: string;
  recipe: OneOrMore<string>;
  changes: string; // of the recipe in mid-run: "200: bf16"
  steps: number;
  seed: OneOrMore<number>;
  device: string;
  settings: string;
}

/** The traits that kernel and page share. */
export interface State extends Choice {
  _tasks: TaskChoice[];
  _scenarios: ScenarioChoice[];
  _recipes: RecipeChoice[];
  _recipe_form: RecipeField[];
  _devices: DeviceChoice[];
  _figures: NewestFigure[];
  _rows: Row[]; // of runs that are over
  _live_rows: Row[]; // of runs that go on or wait
  _settled: DataView; // a frame: by id the curves, a frame each, of runs that are over, as far as they are shown
  _live: DataView; // of runs that go on
  _shown: string[]; // ids of the runs that are selected: their curves are drawn
  _comparison: Comparison | Record<string, never>;
  _explorer: string | null; // a reference to the LossScaleExplorer that is open
  _runs_dir: string; // the folder, as Python was given it
  _explorer_run: string; // the id of the run that it shows
  _code: { run?: string; text?: string }; // the Python that launches a run again
  _verdict: Finding[]; // the worst first
  _notice: string; // what in the folder could not be read
}

export const isAlive = (row: Row): boolean => row.status === "queued" || row.status === "running";

/** Whether the lab can end a run: a watched loop is its owner's. */
export const canStop = (row: Row): boolean => isAlive(row) && row.steps !== null;

/** Whether a run waits for its turn; a queued one without a place is being started. */
export const isWaiting = (row: Row): boolean => row.status === "queued" && typeof row.position === "number";

/** Whether a run ended in a way that needs words. */
export const isFailure = (row: Row): boolean => !isAlive(row) && row.status !== "completed" && row.status !== "stopped";

export const noCurves: Curves = { loss: [], scale: [], skipped: [], shares: [] };

/** The curves of the runs in `_settled` or `_live`, by id. */
export function curvesIn(sent: DataView): Map<string, Curves> {
  return new Map(Array.from(readFrame(sent).arrays, ([id, own]) => [id, curvesOf(bytesOf(own))]));
}

function curvesOf(own: DataView): Curves {
  const { arrays } = readFrame(own);
  const points = (name: keyof Curves): Point[] => {
    const { values, shape: [count] } = arrays.get(name)!;
    return Array.from({ length: count! }, (_, i) => ({ step: Number(values[2 * i]), value: Number(values[2 * i + 1]) }));
  };
  const shares = rowsOf(arrays.get("shares")!).map(([step, ...of]) => ({ step: step!, of }));
  return { loss: points("loss"), scale: points("scale"), skipped: points("skipped"), shares };
}

/** A run whose curves are drawn. */
export interface ShownRun {
  row: Row;
  name: string;
  style: number;
  curves: Curves;
}
