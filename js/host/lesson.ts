// A lesson: what follows a question is shown once that is answered, or the reader goes on without; and stays shown.

import { set } from "#ui/dom.ts";
import { keep, kept } from "#ui/tab.ts";

const KEY = `mixwidgets-lesson ${location.pathname}`;

/** Hide what was not opened yet. The part n of a page follows its n-th question; a page without parts stays as it is. */
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
      first.focus(); // where the button was
    });
  }
  document.addEventListener("mw-over", ({ target }) => {
    const part = (target as HTMLElement).closest<HTMLElement>("[data-part]");
    if (part) openTo(numberOf(part) + 1);
  });
}
