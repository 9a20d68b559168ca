// Edits by text, with errors in words.

import { InputError } from "#core/formats/parse.ts";
import { t } from "./messages.ts";

/** Run an edit. Returns the message of an InputError, or "". */
export function attempt(edit: () => void): string {
  try {
    edit();
    return "";
  } catch (error) {
    if (error instanceof InputError) return t(error.key, error.args);
    throw error;
  }
}
