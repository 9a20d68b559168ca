// What the parts of the page share.

import type { ReadonlySignal } from "@preact/signals-core";
import type { View } from "#ui/view.ts";
import type { gradientAnswers } from "./gradient_answers.ts";
import type { Session } from "./session.ts";
import type { Choice, State } from "./state.ts";

export interface Page {
  readonly view: View<State>;
  readonly session: Session;
  /** What is chosen. */
  readonly traits: ReadonlySignal<Choice>;
  /** Choose otherwise; `isHeld`: while a slider is held, the kernel is told at its end only. */
  edit(changes: Partial<Choice>, isHeld?: boolean): void;
  /** Have Undo call `takeBack` for a change that was made; what returns false had nothing to take back. */
  record(takeBack: () => boolean): void;
  readonly answers: ReturnType<typeof gradientAnswers>;
}
