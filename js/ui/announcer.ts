// Announcements to screen readers: of several quick changes only the last.

import { h, setText } from "./dom.ts";
import type { View } from "./view.ts";

const QUIET_MS = 600;

export function announcer(view: View) {
  const element = h("p", { class: "mw-hidden", "aria-live": "polite" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  view.onClose(() => clearTimeout(timer));
  return {
    element,
    say(words: string) {
      clearTimeout(timer);
      timer = setTimeout(() => setText(element, words), QUIET_MS);
    },
  };
}
