// What the address of a saved page may ask of the editor.

import { getFormat } from "#core/formats/catalogue.ts";
import { read, type State } from "./state.ts";

/** The traits of a state from the address, the code at its format's width; null where they do not fit each other. */
export function accept(wanted: State): State | null {
  const fmt = getFormat(wanted.format);
  if (!fmt) return null;
  const traits = { ...wanted, code: fmt.toHex(BigInt(wanted.code)) };
  const number = read({ get: (name) => traits[name] });
  return number?.input === traits._input ? traits : null;
}
