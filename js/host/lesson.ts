// The parts of a lesson's page: what follows a question is hidden until the reader has answered or skipped it. The browser
// remembers how far the reader came.

import { set } from "#ui/dom.ts";
import { keep, kept } from "#ui/tab.ts";

const KEY = `mixwidgets-lesson ${location.pathname}`;

/** Hide the parts that are not open yet, and open them as the reader goes on. Part n follows the n-th question. */
export function openParts(): void {
  const parts = [...document.querySelectorAll<HTMLElement>("[data-part]")];
  const buttons = [...document.querySelectorAll<HTMLElement>(".go-on")];
  const numberOf = (part: HTMLElement) => Number(part.dataset["part"]);
  let open = 0;
  const openTo = (number: number) => {
    open = Math.max(open, number);
    for (const part of parts) part.hidden = numberOf(part) > open;
    for (const [asked, button] of buttons.entries()) button.hidden = asked !== open;
    keep(KEY, String(open), "localStorage");
  };
  if (parts.length === 0) return;
  openTo(Number(kept(KEY, "localStorage")) || 0);
  for (const [asked, button] of buttons.entries()) {
    button.addEventListener("click", () => {
      openTo(asked + 1);
      const first = parts.find((part) => numberOf(part) === open);
      if (!first) return;
      set(first, { tabindex: -1 });
      first.focus(); // the button, which had the focus, is hidden now
    });
  }
  document.addEventListener("mw-over", ({ target }) => {
    const part = (target as HTMLElement).closest<HTMLElement>("[data-part]");
    if (part) openTo(numberOf(part) + 1);
  });
}
