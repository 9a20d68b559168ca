// Text fields: Enter or leaving the field commits, Escape reverts, errors are shown beside the field.

import { InputError } from "#core/formats/parse.ts";
import { labelled } from "./choices.ts";
import { h, set, setText, uniqueId } from "./dom.ts";
import { t } from "./messages.ts";

const LONGEST = 20_000; // characters that a field takes; what is too long to read is an error, not a cut

/** A text field after its label. `commit` returns an error to show, or an empty text. */
export function textField(label: string, commit: (text: string) => string) {
  const { element, error, show } = bareField({ maxlength: LONGEST }, commit);
  return { element: labelled(label, element, error), show };
}

/** A text field without a label. `error` is the element for errors, to be placed in an "mw-entry" with the field. */
export function bareField(attributes: Record<string, string | number>, commit: (text: string) => string) {
  const error = h("span", { id: uniqueId("error"), class: "mw-error", role: "alert" });
  const input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...attributes });
  let shown = "";
  let writing = false;

  const say = (text: string) => {
    setText(error, text);
    set(input, { "aria-invalid": text ? "true" : undefined, "aria-describedby": text ? error.id : undefined });
  };
  /** Show a text, unless the user is typing: a refused text that was left is given up. */
  const show = (text: string) => {
    shown = text;
    if (writing && input.matches(":focus")) return;
    writing = false;
    input.value = text;
    say("");
  };
  const tryCommit = () => {
    if (!writing) return;
    if (input.value !== shown) {
      const wrong = commit(input.value);
      say(wrong);
      if (wrong) return; // keep the text, so that it can be corrected
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
    if (writing && (event.ctrlKey || event.metaKey)) event.stopPropagation(); // while typing, undo is that of the field
    if (event.key === "Escape" && writing) {
      event.preventDefault(); // do not leave the stage
      writing = false;
      show(shown);
    }
  });
  return { element: input, error, show };
}

/** Run an edit. Returns the message of an InputError, or "", as a field's `commit` does. */
export function attempt(edit: () => void): string {
  try {
    edit();
    return "";
  } catch (error) {
    if (error instanceof InputError) return t(error.key, error.args);
    throw error;
  }
}
