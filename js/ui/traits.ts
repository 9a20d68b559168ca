// Traits that mean something only together.

import type { AnyModel } from "@anywidget/types";

/** Call `changed` after traits have changed: once all have, since they change one after the other. Gives the end of it. */
export function onTraits(model: Pick<AnyModel, "on" | "off">, names: readonly string[], changed: () => void): () => void {
  let isWaiting = false;
  let isClosed = false;
  const settle = () => {
    isWaiting = false;
    if (!isClosed) changed();
  };
  const hear = () => {
    if (!isWaiting) queueMicrotask(settle);
    isWaiting = true;
  };
  for (const name of names) model.on(`change:${name}`, hear);
  return () => {
    isClosed = true;
    for (const name of names) model.off(`change:${name}`, hear);
  };
}
