// What the parts of the page share.

import type { ReadonlySignal } from "@preact/signals-core";
import type { FloatFormat } from "#core/formats/float_format.ts";
import type { GradientSummary } from "#core/gradients/summary.ts";
import type { View } from "#ui/view.ts";
import type { Session } from "./session.ts";
import type { Choice, State } from "./state.ts";

/** The last step's gradients in float32, before the scale: of each tensor, and of all. */
export interface Gradients {
  readonly format: FloatFormat;
  readonly summaries: readonly GradientSummary[];
  readonly total: GradientSummary;
  /** How many the format could hold and are stored as zero: they were lost in the backward pass, before they were stored. */
  readonly early: number;
}

export interface Page {
  readonly view: View<State>;
  readonly session: Session;
  /** What is chosen. */
  readonly traits: ReadonlySignal<Choice>;
  /** Choose otherwise; `isHeld`: while a slider is held, the kernel is told at its end only. */
  edit(changes: Partial<Choice>, isHeld?: boolean): void;
  /** Have Undo call `takeBack` for a change that was made; what returns false had nothing to take back. */
  record(takeBack: () => boolean): void;
  readonly answers: ReadonlySignal<Gradients>;
}
