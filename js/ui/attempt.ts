// An edit from a text field, whose mistakes are told beside it.

import { InputError } from "#core/formats/parse.ts";
import { t } from "./messages.ts";

/** Run an edit; what is wrong with its text comes back in words. */
export function attempt(edit: () => void): string {
  try {
    edit();
    return "";
  } catch (error) {
    if (error instanceof InputError) return t(error.key, error.args);
    throw error;
  }
}
