// The two text fields: Enter or leaving commits, Escape takes back, an error stands beside its field.

import { labelled } from "../../ui/card.ts";
import { h, set, setText, uniqueId } from "../../ui/dom.ts";

export interface TextField {
  readonly element: HTMLElement;
  /** Where the error stands, to be placed near the field. */
  readonly error: HTMLElement;
  /** Show a text, unless the user is in the middle of writing another. */
  show(text: string): void;
}

/** `commit` returns an error to show, or an empty text. */
export function textField(label: string, maxLength: number, commit: (text: string) => string): TextField {
  const error = h("p", { id: uniqueId("error"), class: "mw-error", role: "alert" });
  const input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: maxLength });
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
    if (event.key === "Escape" && writing) {
      writing = false;
      show(shown);
    }
  });
  return { element: labelled(label, input), error, show };
}
