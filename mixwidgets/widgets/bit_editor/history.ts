// Undo and redo of whole numbers, so that format, bits and input go back together.

import type { EditedNumber } from "./state.ts";

const DEPTH = 500; // edits that can be taken back

export function editHistory() {
  const past: EditedNumber[] = [];
  let future: EditedNumber[] = [];
  const move = (from: EditedNumber[], to: EditedNumber[], now: EditedNumber) => {
    const next = from.pop();
    if (next) to.push(now);
    return next;
  };
  return {
    get canUndo() {
      return past.length > 0;
    },
    get canRedo() {
      return future.length > 0;
    },
    /** Remember the number as it was before an edit. What was undone can no longer be redone. */
    record(before: EditedNumber) {
      past.push(before);
      if (past.length > DEPTH) past.shift();
      future = [];
    },
    /** The number before the last edit; undefined where there is none. `now` is kept for redo. */
    undo: (now: EditedNumber) => move(past, future, now),
    redo: (now: EditedNumber) => move(future, past, now),
  };
}
