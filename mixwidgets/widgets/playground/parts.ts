// What the parts of the page share.

import type { ReadonlySignal } from "@preact/signals-core";
import type { FloatFormat } from "#core/formats/float_format.ts";
import type { GradientSummary } from "#core/gradients/summary.ts";
import type { View } from "#ui/view.ts";
import type { Session } from "./session.ts";
import type { Choice, State } from "./state.ts";

export interface Page {
  readonly view: View<State>;
  readonly session: Session;
  /** What is chosen. */
  readonly traits: ReadonlySignal<Choice>;
  /** Choose otherwise; `isHeld`: while a slider is held, the kernel is told at its end only. */
  edit(changes: Partial<Choice>, isHeld?: boolean): void;
  /** The last step's gradients in float32, before the scale. */
  readonly answers: ReadonlySignal<{ readonly format: FloatFormat; readonly total: GradientSummary; readonly summaries: readonly GradientSummary[] }>;
}
