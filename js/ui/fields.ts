// Text fields: Enter or leaving commits, Escape takes back, an error stands beside its field.

import { labelled } from "./card.ts";
import { h, set, setText, uniqueId } from "./dom.ts";

export interface TextField {
  readonly element: HTMLElement;
  /** Where the error stands, to be placed near the field. */
  readonly error: HTMLElement;
  /** Show a text, unless the user is in the middle of writing another. */
  show(text: string): void;
}

/** A text field behind its label. `commit` returns an error to show, or an empty text. */
export function textField(label: string, maxLength: number, commit: (text: string) => string): TextField {
  const { element, error, show } = bareField({ maxlength: maxLength }, commit);
  return { element: labelled(label, element), error, show };
}

/** A text field that something else names. */
export function bareField(attributes: Record<string, string | number>, commit: (text: string) => string): TextField {
  const error = h("p", { id: uniqueId("error"), class: "mw-error", role: "alert" });
  const input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...attributes });
  let shown = "";
  let writing = false;

  const say = (text: string) => {
    setText(error, text);
    set(input, { "aria-invalid": text ? "true" : undefined, "aria-describedby": text ? error.id : undefined });
  };
  const show = (text: string) => {
    shown = text;
    if (writing) return;
    input.value = text;
    say("");
  };
  const tryCommit = () => {
    if (!writing) return;
    if (input.value !== shown) {
      const wrong = commit(input.value);
      say(wrong);
      if (wrong) return; // the text stays, to be mended
    }
    writing = false;
    show(shown);
  };
  input.addEventListener("input", () => {
    writing = true;
  });
  input.addEventListener("change", tryCommit);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") tryCommit();
    if (writing && (event.ctrlKey || event.metaKey)) event.stopPropagation(); // undo is the text's own until it is taken
    if (event.key === "Escape" && writing) {
      event.preventDefault(); // it leaves no stage
      writing = false;
      show(shown);
    }
  });
  return { element: input, error, show };
}
