// Everything that a page says, by key. A second language is a second file with the same keys.

import en from "../messages/en.json";

export type MessageKey = keyof typeof en;

const PLACEHOLDER = /\{(\w+)\}/g;

/** The message of a key, with `{name}` replaced by the argument of that name. */
export function t(key: MessageKey, args: Record<string, string | number> = {}): string {
  return en[key].replace(PLACEHOLDER, (whole, name: string) => (name in args ? String(args[name]) : whole));
}
