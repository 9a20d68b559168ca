// The links of a page go along with its address: to the same page in another language, and to presets of its widgets.

import { set } from "#ui/dom.ts";
import { joinStates, splitStates } from "./address.ts";

export function pageLinks(places: readonly string[]): { follow(shown: readonly string[]): void } {
  const found = (selector: string) => [...document.querySelectorAll<HTMLAnchorElement>(selector)];
  const languages = found("a[rel=alternate]");
  const presets = found("a[href^='#']").map((link) => {
    const states = splitStates(link.hash.slice(1), places.length) ?? [];
    const at = states.findIndex((state) => state !== "");
    link.addEventListener("click", () => {
      const place = document.getElementById(places[at]!)!;
      const { top } = place.getBoundingClientRect();
      if (top < 0 || top > 0.75 * innerHeight) place.scrollIntoView(); // on a narrow page it is not beside the sentence
    });
    return { link, at, state: states[at] };
  });
  return {
    /** A preset keeps what the address says of the other widgets, and is marked while its widget has its state. */
    follow(shown) {
      const states = splitStates(location.hash.slice(1), places.length) ?? splitStates("", places.length)!;
      for (const link of languages) link.hash = location.hash;
      for (const { link, at, state } of presets) {
        link.hash = joinStates(states.with(at, state!));
        set(link, { "aria-current": state === shown[at] && "true" });
      }
    },
  };
}
