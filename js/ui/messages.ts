// Everything that a page says, by key. A bundle carries its messages in English; Python puts another language's in
// their place (mixwidgets/widgets/language.py).

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

/** "a, b", as the language lists things; what is empty is left out. */
export const listed = (parts: readonly string[]): string => joined("common.list", parts);

/** "a; b", likewise. */
export const inSeries = (parts: readonly string[]): string => joined("common.series", parts);

/** Sentences one after the other, likewise. */
export const sentences = (parts: readonly string[]): string => joined("common.sentences", parts);

function joined(key: MessageKey, parts: readonly string[]): string {
  const said = parts.filter((part) => part !== "");
  return said.length === 0 ? "" : said.reduce((one, more) => t(key, { one, more }));
}

/** A text with `{name}` replaced by the argument of that name. */
export function fill(template: string, args: Record<string, string | number>): string {
  return template.replace(PLACEHOLDER, (whole, name: string) => (Object.hasOwn(args, name) ? String(args[name]) : whole));
}
