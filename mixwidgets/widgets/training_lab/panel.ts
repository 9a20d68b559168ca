// What unfolds under the lab when it is asked for: a heading, a button that closes it, and what it holds.

import { h, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";

export interface Panel {
  readonly element: HTMLElement;
  readonly body: HTMLElement;
  /** Show it under this heading; undefined hides it. */
  title(text: string | undefined): void;
  /** When it next opens, the focus goes there: the user has just asked for it. */
  expect(from: HTMLElement): void;
}

export function panel(close: () => void): Panel {
  const heading = h("h4", { id: uniqueId("panel"), tabindex: -1 });
  const button = h("button", { type: "button" }, t("lab.close"));
  const body = h("div", { class: "mw-panel-body" });
  const element = h("section", { class: "mw-panel", "aria-labelledby": heading.id, hidden: true }, h("div", { class: "mw-head" }, heading, button), body);
  let from: HTMLElement | undefined;
  let isExpected = false;
  button.addEventListener("click", () => {
    close();
    from?.focus();
  });
  return {
    element,
    body,
    title: (text) => {
      const opens = element.hidden && text !== undefined;
      element.hidden = text === undefined;
      setText(heading, text ?? "");
      if (opens && isExpected) heading.focus();
      if (opens) isExpected = false;
    },
    expect: (button) => {
      from = button;
      isExpected = element.hidden === true;
    },
  };
}
