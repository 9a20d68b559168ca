// Everything that a page says, by key. A second language is a second file with the same keys.

import en from "../messages/en.json";

export type MessageKey = keyof typeof en;

const PLACEHOLDER = /\{(\w+)\}/g;

/** The message of a key, with `{name}` replaced by the argument of that name. */
export function t(key: MessageKey, args: Record<string, string | number> = {}): string {
  return fill(en[key], args);
}

/** The message in pieces: what its catalogue entry sets between asterisks is strong. Arguments stay plain text. */
export function pieces(key: MessageKey, args: Record<string, string | number> = {}): { text: string; strong: boolean }[] {
  return marked(en[key], args);
}

/** A text in pieces, likewise. */
export function marked(text: string, args: Record<string, string | number> = {}): { text: string; strong: boolean }[] {
  return text.split("*").map((template, i) => ({ text: fill(template, args), strong: i % 2 === 1 }));
}

/** A text with `{name}` replaced by the argument of that name. */
export function fill(template: string, args: Record<string, string | number>): string {
  return template.replace(PLACEHOLDER, (whole, name: string) => (Object.hasOwn(args, name) ? String(args[name]) : whole));
}
