// A widget's state as a short text in the page's address, such as "#format=float16&code=7bff". The twin of
// mixwidgets/floats/widgets/state_text.py, which defines the grammar. The address of a page of several widgets has their states
// in order, joined by ";", which is percent-encoded within a state.

import { wholeIn } from "#core/formats/parse.ts";

export type Traits = Record<string, unknown>;

const MOST = 10 ** 15 - 1; // the largest number
const LIMIT = 40_000; // characters of an address; four times those of the longest number

/** Reads the text of each kind of trait; undefined if it is invalid. */
const READ: Record<string, (text: string) => unknown> = {
  string: (text) => text,
  number: (text) => wholeIn(text, -MOST, MOST) ?? undefined,
  boolean: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  code: (text) => (/^(?:0[xX])?[0-9A-Fa-f]+$/.test(text) ? "0x" + text.replace(/^0[xX]/, "").toUpperCase() : undefined),
};

/** The values as text, without those that equal their default. A trait whose default is null is always written. */
export function writeState(get: (name: string) => unknown, defaults: Traits): string {
  const differing = Object.entries(defaults).filter(([name, value]) => value === null || get(name) !== value);
  return differing.map(([name]) => `${keyOf(name)}=${encodeURIComponent(written(name, get(name)))}`).join("&");
}

/** The values of all traits of `defaults`: those in the text, else the default; null if the text is invalid. */
export function readState(address: string, get: (name: string) => unknown, defaults: Traits): Traits | null {
  if (address.length > LIMIT) return null;
  const names = new Map(Object.keys(defaults).map((name) => [keyOf(name), name]));
  const values = new Map<string, unknown>();
  for (const pair of address.split("&")) {
    const [, key, text] = (/^([^=]*)=(.*)$/s.exec(pair) ?? []).map(decoded);
    const name = key === undefined ? undefined : names.get(key);
    if (name === undefined || text === undefined || values.has(name)) return null;
    const value = READ[name === "code" ? "code" : typeof get(name)]?.(text);
    if (value === undefined) return null;
    values.set(name, value);
  }
  return Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, values.get(name) ?? value ?? get(name)]));
}

/** The address of a page whose widgets have these states; "" for an unchanged one. */
export function joinStates(texts: readonly string[]): string {
  return texts.join(";").replace(/;+$/, "");
}

/** The states of `count` widgets in an address, "" for those that it omits; null if it has more of them. */
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

/** The decoded text; undefined if it is not percent-encoded UTF-8. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
