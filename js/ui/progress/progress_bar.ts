// A bar that fills.

import { h } from "#ui/dom.ts";

/** `max` is 1 until it is set. */
export const progressBar = (label: string): HTMLProgressElement => h("progress", { max: 1, "aria-label": label });
