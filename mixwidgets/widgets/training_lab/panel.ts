// What unfolds under the lab when it is asked for: a heading, a button that closes it, and what it holds.

import { button } from "#ui/buttons.ts";
import { h, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";

export function panel(close: () => void) {
  const heading = h("h4", { id: uniqueId("panel"), tabindex: -1 });
  const body = h("div", { class: "mw-panel-body" });
  let from: HTMLElement | undefined;
  let isExpected = false;
  const closing = button(t("lab.close"), () => {
    close();
    from?.focus();
  });
  const element = h("section", { class: "mw-panel", "aria-labelledby": heading.id, hidden: true }, h("div", { class: "mw-head" }, heading, closing), body);
  return {
    element,
    body,
    /** Show it under this heading; undefined hides it. */
    title(text: string | undefined) {
      const opens = element.hidden && text !== undefined;
      element.hidden = text === undefined;
      setText(heading, text ?? "");
      if (opens && isExpected) heading.focus();
      if (opens) isExpected = false;
    },
    /** The button that has the focus after it: it may also have been opened by Python, or be open in a saved page. */
    opener: (by: HTMLElement) => void (from = by),
    /** When it next opens, the focus goes there: the user has just asked for it, by this button. */
    expect(by: HTMLElement) {
      from = by;
      isExpected = element.hidden === true;
    },
  };
}
