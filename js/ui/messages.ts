// Everything that a page says, by key. Tests read the English; a built module reads what Python declares before it
// (mixwidgets/widgets/bundles.py), in the language of its widget.

import messages from "#mixwidgets/languages/en/page.json";
import { isolated } from "./foreign_text.ts";

export type MessageKey = keyof typeof messages;

const PLACEHOLDER = /\{(\w+)\}/g;

/** The message of a key, with `{name}` replaced by the argument of that name. */
export function t(key: MessageKey, args: Record<string, string | number> = {}): string {
  return fill(messages[key], args);
}

/** The message in pieces: what its catalogue entry sets between asterisks is strong. Arguments stay plain text. */
export function pieces(key: MessageKey, args: Record<string, string | number> = {}): { text: string; strong: boolean }[] {
  return marked(messages[key], args);
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
  return template.replace(PLACEHOLDER, (whole, name: string) => (Object.hasOwn(args, name) ? isolated(String(args[name])) : whole));
}
