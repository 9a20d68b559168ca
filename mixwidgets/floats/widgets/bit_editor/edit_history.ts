// Undo and redo of whole values, so that what was changed together goes back together.

const DEPTH = 500; // edits that can be taken back

export function editHistory<T>() {
  const past: T[] = [];
  let future: T[] = [];
  const move = (from: T[], to: T[], now: T) => {
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
    /** Remember the value as it was before an edit. What was undone can no longer be redone. */
    record(before: T) {
      past.push(before);
      if (past.length > DEPTH) past.shift();
      future = [];
    },
    /** The value before the last edit; undefined where there is none. `now` is kept for redo. */
    undo: (now: T) => move(past, future, now),
    redo: (now: T) => move(future, past, now),
  };
}
