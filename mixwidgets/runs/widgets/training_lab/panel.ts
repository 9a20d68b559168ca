// A panel that opens below the lab: a heading, a button that closes it, and a body.

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
    /** Open it with this heading; undefined closes it. */
    title(text: string | undefined) {
      const opens = element.hidden && text !== undefined;
      element.hidden = text === undefined;
      setText(heading, text ?? "");
      if (opens && isExpected) heading.focus();
      if (opens) isExpected = false;
    },
    /** The button that gets the focus when it closes, also if Python or a saved page opened it. */
    opener: (by: HTMLElement) => void (from = by),
    /** Give it the focus when it opens, since the user has just pressed this button. */
    expect(by: HTMLElement) {
      from = by;
      isExpected = element.hidden === true;
    },
  };
}
