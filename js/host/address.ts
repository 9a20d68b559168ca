// A widget's state as a short text in the page's address: "#format=float16&code=7bff".
// The twin of mixwidgets/floats/widgets/state_text.py, which states the grammar. Of a page of several widgets the address holds
// their states in order, joined by ";": no state has one, since ";" is percent-encoded there.

import { wholeIn } from "#core/formats/parse.ts";

export type Traits = Record<string, unknown>;

const MOST = 10 ** 15 - 1; // of a number
const LIMIT = 40_000; // characters of a text that is read; four times the longest number

/** Reads the text of each kind of trait; undefined if it is invalid. */
const READ: Record<string, (text: string) => unknown> = {
  string: (text) => text,
  number: (text) => wholeIn(text, -MOST, MOST) ?? undefined,
  boolean: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  code: (text) => (/^(?:0[xX])?[0-9A-Fa-f]+$/.test(text) ? "0x" + text.replace(/^0[xX]/, "").toUpperCase() : undefined),
};

/** The values as text. A trait that has its default is left out; with null as default it never is. */
export function writeState(get: (name: string) => unknown, defaults: Traits): string {
  const told = Object.entries(defaults).filter(([name, left]) => left === null || get(name) !== left);
  return told.map(([name]) => `${keyOf(name)}=${encodeURIComponent(written(name, get(name)))}`).join("&");
}

/** The values of all traits of `defaults`, as the text says; null if it is invalid. */
export function readState(address: string, get: (name: string) => unknown, defaults: Traits): Traits | null {
  if (address.length > LIMIT) return null;
  const names = new Map(Object.keys(defaults).map((name) => [keyOf(name), name]));
  const found = new Map<string, unknown>();
  for (const pair of address.split("&")) {
    const [, key, text] = (/^([^=]*)=(.*)$/s.exec(pair) ?? []).map(decoded);
    const name = key === undefined ? undefined : names.get(key);
    if (name === undefined || text === undefined || found.has(name)) return null;
    const value = READ[name === "code" ? "code" : typeof get(name)]?.(text);
    if (value === undefined) return null;
    found.set(name, value);
  }
  return Object.fromEntries(Object.entries(defaults).map(([name, left]) => [name, found.get(name) ?? left ?? get(name)]));
}

/** The address of a page whose widgets have these states; "" for an unchanged one. */
export function joinStates(texts: readonly string[]): string {
  return texts.join(";").replace(/;+$/, "");
}

/** The states of `count` widgets in an address, "" for one that it omits; null if it has more. */
export function splitStates(address: string, count: number): string[] | null {
  const texts = address.split(";", count + 1);
  return texts.length > count ? null : [...texts, ...new Array<string>(count - texts.length).fill("")];
}

function keyOf(name: string): string {
  return name.replace(/^_/, "");
}

function written(name: string, value: unknown): string {
  return name === "code" ? String(value).slice(2).toLowerCase() : String(value);
}

/** Undefined if it is not percent-encoded UTF-8. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
