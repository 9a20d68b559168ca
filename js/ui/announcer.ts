// What screen readers are told: a burst of changes once, at its end.

import { h, setText } from "./dom.ts";

const QUIET_MS = 600;

export function announcer(): { element: HTMLElement; say(words: string): void; close(): void } {
  const element = h("p", { class: "mw-hidden", "aria-live": "polite" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    element,
    say(words) {
      clearTimeout(timer);
      timer = setTimeout(() => setText(element, words), QUIET_MS);
    },
    close: () => clearTimeout(timer),
  };
}
