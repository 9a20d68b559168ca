// What a playground trains: one network in float32 and one with the chosen settings, of the same seed and on the same batches.
// Also the history of their losses, what the gradient format does to the gradients, and what the parts of the page share. No DOM.

import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import { clamp } from "#core/range.ts";
import { writeFrame } from "#core/frame.ts";
import { GradientSummary, summaryOf } from "#core/gradients/summary.ts";
import { dataSet, type DigitRows, Stream } from "#training/data.ts";
import { round, rounderOf } from "#training/rounder.ts";
import { inFloat32, type Settings, type Task } from "#training/settings.ts";
import { Trainer, type StepReport } from "#training/trainer.ts";
import type { View } from "#ui/view.ts";
import type { Choice, State } from "./state.ts";

const GRID = 40;
const COARSE_GRID = 10;
const MOST_PRODUCTS = 5e5;
export const MOST_ROWS = 2048; // of a history; even, and the same in widget.py

/** What the parts of the page share. */
export interface Page {
  readonly view: View<State>;
  readonly session: Session;
  /** The chosen settings. */
  readonly traits: ReadonlySignal<Choice>;
  /** Change the choice. `isHeld`: a slider is being moved, so the kernel and Undo wait for its release. */
  edit(changes: Partial<Choice>, isHeld?: boolean): void;
  /** Make Undo call `takeBack` for a change. It returns false if there is nothing to take back; Undo then goes on to the change
   * before. */
  record(takeBack: () => boolean): void;
  readonly answers: ReadonlySignal<GradientAnswers>;
  /** Steps a second. */
  readonly rate: Signal<number>;
}

export type Session = ReturnType<typeof startSession>;
export type Learner = Session["ofChosen"];

export function startSession(first: Settings, digits: DigitRows) {
  const [reference, chosen] = [new Trainer(inFloat32(first), digits), new Trainer(first, digits)];
  const history = new History();
  const settings = signal(first);
  /** Increases when the networks may have changed. Every effect that draws them reads it. */
  const look = signal(0);
  let last: StepReport | undefined;
  let stepped = first; // the settings of the last step
  let diverged = 0;

  /** Have the networks drawn again. */
  const show = () => void look.value++;
  /** What a network has learned, computed where it is asked for, once for each look. */
  const learner = (trainer: Trainer) => ({
    trainer,
    result: computed(() => (look.value, trainer.evaluate(trainer.data.test))),
    /** Its decisions at GRID × GRID points of the plane, or at fewer, down to COARSE_GRID × COARSE_GRID, if that would take more
     * than MOST_PRODUCTS multiplications; null for another task. */
    plane: computed(() => {
      look.value;
      if (trainer.settings.task === "digits") return null;
      const side = Math.round(clamp(Math.sqrt(MOST_PRODUCTS / trainer.weightCount), COARSE_GRID, GRID));
      return { side, decisions: trainer.decision(side) };
    }),
  });
  const begin = () => {
    history.clear();
    last = undefined;
    diverged = 0;
  };
  return {
    reference, chosen, history, settings, look, show,
    /** What the chosen network's last step did; undefined before the first. */
    report: computed(() => (look.value, last)),
    /** Whether the settings have changed since that step. */
    isChanged: computed(() => (look.value, last !== undefined && stepped !== settings.value)),
    /** The first step whose loss was no number; 0 for none. */
    diverged: () => diverged,
    /** The examples of a task, whatever the seed. */
    example: (task: Task) => dataSet(task, new Stream(0, 0), digits),
    ofReference: learner(reference), ofChosen: learner(chosen),
    /** Continue with other settings. */
    apply(wanted: Settings) {
      reference.change(inFloat32(wanted));
      chosen.change(wanted);
      if (chosen.steps === 0) begin();
      batch(() => {
        settings.value = wanted;
        show();
      });
    },
    step() {
      const { loss } = reference.step();
      last = chosen.step();
      stepped = chosen.settings;
      if (!Number.isFinite(last.loss)) diverged ||= last.step;
      history.add({ step: last.step, reference: loss, loss: last.loss, lossScale: last.lossScale, skipped: Number(last.skipped) });
    },
    /** Set a weight of the chosen network; the next step reads it. */
    setWeight(...which: Parameters<Trainer["setWeight"]>) {
      chosen.setWeight(...which);
      show();
    },
    reset() {
      reference.reset();
      chosen.reset();
      begin();
      show();
    },
  };
}

export interface Row {
  readonly step: number;
  /** The losses of both networks on the step's batch; their means if the row is for several steps. */
  readonly reference: number;
  readonly loss: number;
  readonly lossScale: number;
  /** How many of the row's steps were skipped. */
  readonly skipped: number;
}

/** A run in bounded memory: a row for each step, until there are too many; then every two rows become one, and so on. */
export class History {
  /** Steps per row. */
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

export type GradientAnswers = ReturnType<typeof gradientAnswers>["value"];

/** What the gradient format does to the last step's gradients, which are computed in float32 without a loss scale. Summaries of
 * each tensor, of all (`total`), of those that were stored as 0 although the format can represent them times the scale, because
 * the backward pass lost them before the last rounding (`early`), and of the others (`reached`). Empty before the first step. */
export function gradientAnswers(session: Session) {
  return computed(() => {
    const format = session.settings.value.gradientFormat;
    const report = session.report.value;
    const arrays = report ? session.chosen.referenceGradients() : [new Float32Array()];
    const [rounder, scale] = [rounderOf(format), report?.lossScale ?? 1];
    const isEarly = (value: number, tensor: number, i: number) =>
      session.chosen.tensors[tensor]!.gradient[i] === 0 && round(rounder, value * scale) !== 0;
    const part = (wantsEarly: boolean) => GradientSummary.together(arrays.map((values, tensor) =>
      summaryOf(values.filter((value, i) => isEarly(value, tensor, i) === wantsEarly), format)));
    const summaries = arrays.map((values) => summaryOf(values, format));
    return { format, summaries, total: GradientSummary.together(summaries), reached: part(false), early: part(true) };
  });
}
