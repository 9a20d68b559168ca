// A lesson shows what follows a question once it is answered or passed over, and from then on.

import { set } from "#ui/dom.ts";
import { keep, kept } from "#ui/tab.ts";

const KEY = `mixwidgets-lesson ${location.pathname}`;

/** Hide what has not been opened yet. Part n follows the n-th question. */
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
