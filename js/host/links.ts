// The links of a page go along with its address: to the same page in another language, and to presets of its first widget.

import { set } from "#ui/dom.ts";
import { joinStates, splitStates } from "./address.ts";

export function pageLinks(widgets: number): { follow(shown: string): void } {
  const found = (selector: string) => [...document.querySelectorAll<HTMLAnchorElement>(selector)];
  const languages = found("a[rel=alternate]");
  const presets = found("a[href^='#']").map((link) => ({ link, state: link.hash.slice(1) }));
  return {
    /** A preset keeps what the address says of the other widgets, and is marked while its state is `shown`. */
    follow(shown) {
      const [, ...others] = splitStates(location.hash.slice(1), widgets) ?? [];
      for (const link of languages) link.hash = location.hash;
      for (const { link, state } of presets) {
        link.hash = joinStates([state, ...others]);
        set(link, { "aria-current": state === shown && "true" });
      }
    },
  };
}
