// The texts of a page, by key. Tests use the English ones; a built module uses those that Python declares before it
// (mixwidgets/floats/widgets/bundles.py), in the language of the widget.

import messages from "#mixwidgets/support/languages/en/page.json";
import { isolated } from "./foreign_text.ts";

export type MessageKey = keyof typeof messages;
type Args = Readonly<Record<string, string | number>>;

const PLACEHOLDER = /\{(\w+)\}/g;

/** The message of a key, with `{name}` replaced by the argument of that name. */
export function t(key: MessageKey, args: Args = {}): string {
  return fill(messages[key], args);
}

/** The message of a key, or else `otherwise`: where the end of the key comes from Python or from a user. */
export const tOr = (key: string, otherwise: string): string => (Object.hasOwn(messages, key) ? t(key as MessageKey) : otherwise);

/** A part of a text; between asterisks in the catalogue, it is strong. */
export interface Piece {
  readonly text: string;
  readonly strong: boolean;
}

/** The message in pieces. Arguments are plain text. */
export function pieces(key: MessageKey, args: Args = {}): Piece[] {
  return marked(messages[key], args);
}

/** The same for a text. */
export function marked(text: string, args: Args = {}): Piece[] {
  return text.split("*").map((template, i) => ({ text: fill(template, args), strong: i % 2 === 1 }));
}

/** "a, b", with the separator of the language; empty parts are omitted. */
export const listed = (parts: readonly string[]): string => joined("common.list", parts);

/** "a; b", with the same rules. */
export const inSeries = (parts: readonly string[]): string => joined("common.series", parts);

/** Sentences in a row, with the same rules. */
export const sentences = (parts: readonly string[]): string => joined("common.sentences", parts);

function joined(key: MessageKey, parts: readonly string[]): string {
  const nonEmpty = parts.filter((part) => part !== "");
  return nonEmpty.length === 0 ? "" : nonEmpty.reduce((one, more) => t(key, { one, more }));
}

/** A text with `{name}` replaced by the argument of that name. */
export function fill(template: string, args: Args): string {
  return template.replace(PLACEHOLDER, (whole, name: string) => (Object.hasOwn(args, name) ? isolated(String(args[name])) : whole));
}
