// Parses text to an exact value: a rational, ±∞, NaN, or a bit pattern. No float is involved.
// mixwidgets/support/parse.py documents the grammar; tests/vectors/parse.json tests that both agree.

import type messages from "#mixwidgets/support/languages/en/page.json";
import { evaluate, HEX_DIGITS, MAX_BITS, MAX_EXPONENT, MAX_OPERANDS, Refused } from "./expression.ts";
import { magnitudeOf, negate, rational, toNumber, type Rational } from "./rational.ts";

const MAX_TEXT = 10_000; // characters; float64's longest exact decimal has 1,076

const BLANK = /[ \t\r\n\u00a0\u2009\u202f\u3000]/g;
const AROUND = /^[ \t\r\n\u00a0\u2009\u202f\u3000]+|[ \t\r\n\u00a0\u2009\u202f\u3000]+$/g;
const NAME = /^(?:[A-Za-zα-ωΑ-Ω][A-Za-zα-ωΑ-Ω0-9_]{0,19})? *= */;
const UNDERSCORE = /(?<=[0-9a-fA-F])_(?=[0-9a-fA-F])/g;
const BIT_PATTERN = /^(?:0[xX][0-9a-fA-F]+|0[bB][01]+)$/;
const SPECIAL = /^([+\-−–]?)(inf|infinity|∞|nan)$/i;
const UNIT = /^(?!0[xXbB][0-9A-Za-z_]*$)(.*[0-9)}⁰¹²³⁴⁵⁶⁷⁸⁹]) *((?![eE]$)[A-Za-z\u4e00-\u9fff]+|[%‰×])$/;
const SEPARATOR = /[_'’]|[ ,](?=[0-9]{3}(?![0-9]))/g;
const PATTERN_WITHIN = /(?<![0-9A-Za-z.])0(?:[xX][0-9a-fA-F]+|[bB][01]+)(?![0-9A-Za-z.])/;
const HEX = new RegExp(`^[-+−–]?${HEX_DIGITS}$`);

/** An extended real number as sign and magnitude, which distinguishes −0 from 0. */
export interface Exact {
  readonly kind: "finite" | "infinity" | "nan";
  readonly negative: boolean;
  readonly magnitude: Rational;
  /** How a text with commas was read, without them. */
  readonly readAs?: string;
}

/** The value of a finite number. */
export function signed({ negative, magnitude }: Exact): Rational {
  return negative ? negate(magnitude) : magnitude;
}

/** A code written in hex or binary: 0x7C00, 0b1. */
export interface BitPattern {
  readonly kind: "pattern";
  readonly code: bigint;
}

type InputErrorKey = keyof typeof messages & `${"parse" | "code" | "custom" | "format"}.${string}`;

/** Invalid input: a message of the catalogue and its arguments. */
export class InputError extends Error {
  readonly key: InputErrorKey;
  readonly args: Record<string, string>;

  constructor(key: InputErrorKey, args: Record<string, string>) {
    super(key);
    this.key = key;
    this.args = args;
  }
}

/** The result of `read`, or `otherwise` if it throws an InputError. */
export function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InputError) return otherwise;
    throw error;
  }
}

/** Parse a text exactly. Throws InputError for one that is no number; its hint names bit patterns only where they are taken. */
export function toExact(text: string, takesPatterns = true): Exact | BitPattern {
  const whole = text.replace(AROUND, "");
  try {
    return read(whole);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw errorOf(whole, error.reason, takesPatterns);
  }
}

/** A text in ordinary characters, without blanks around it. */
function folded(text: string): string {
  return text.replace(/[！-～]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0)).replace(BLANK, " ").replace(AROUND, "");
}

/** Throws Refused. */
function read(text: string): Exact | BitPattern {
  if (lengthOf(text) > MAX_TEXT) throw new Refused("too_long");
  const body = folded(text).replace(NAME, "").replace(UNDERSCORE, "");
  if (BIT_PATTERN.test(body)) return { kind: "pattern", code: BigInt(body.toLowerCase()) };
  const [, sign, word] = SPECIAL.exec(body) ?? [];
  if (word) return { kind: /nan/i.test(word) ? "nan" : "infinity", negative: sign !== "" && sign !== "+", magnitude: rational(0n) };
  const { value, isMinusZero } = evaluate(body);
  const exact: Exact = { kind: "finite", negative: value.numerator < 0n || isMinusZero, magnitude: magnitudeOf(value) };
  return body.includes(",") ? { ...exact, readAs: body.replaceAll(",", "") } : exact;
}

/** A text's number and the unit after it: "6" and "bytes" of "6 bytes"; the text and "" without one. */
export function splitUnit(text: string): [string, string] {
  const [, number, unit] = UNIT.exec(folded(text)) ?? [];
  return number === undefined ? [text, ""] : [number, unit!];
}

/** The code in a text in hex or binary. Throws InputError unless it fits the `bits` bits of the format `name`. */
export function toCode(text: string, bits: number, name: string): bigint {
  const body = folded(text);
  const prefixed = BIT_PATTERN.test(body) || /^0b./i.test(body) ? body : "0x" + body; // "0B" alone is hex: 11
  if (!BIT_PATTERN.test(prefixed)) {
    throw new InputError("code.form", { text: shown(text), zeros: "0".repeat(Math.ceil(bits / 4)) });
  }
  return checkWidth(BigInt(prefixed.toLowerCase()), bits, name);
}

/** The code; throws InputError if it has more than `bits` bits. */
export function checkWidth(code: bigint, bits: number, name: string): bigint {
  if (code >> BigInt(bits) !== 0n) {
    const last = "0x" + ((1n << BigInt(bits)) - 1n).toString(16).toUpperCase();
    const text = shown("0x" + code.toString(16));
    throw new InputError("code.range", { text, format: name, bits: String(bits), last });
  }
  return code;
}

function grouped(n: number): string {
  return n.toLocaleString("en-US");
}

/** A text as quoted in errors: shortened, with invisible and bidirectional characters escaped. */
function shown(text: string): string {
  const characters = [...text];
  const short = characters.length <= 40 ? characters : [...characters.slice(0, 39), "…"];
  const spelled = short.map((c) =>
    c !== " " && /[\p{C}\p{Z}]/u.test(c) ? "\\u" + c.codePointAt(0)?.toString(16).padStart(4, "0") : c,
  );
  return `'${spelled.join("")}'`;
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** What a text reads as; null if it is no number. */
function readIn(text: string): Exact | BitPattern | null {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

function errorOf(whole: string, reason: Refused["reason"], takesPatterns: boolean): InputError {
  const text = shown(whole);
  if (reason === "form") return likelyFix(whole, takesPatterns);
  if (reason === "too_long") return new InputError("parse.too_long", { limit: grouped(MAX_TEXT), length: grouped(lengthOf(whole)) });
  if (reason === "exponent") return new InputError("parse.exponent", { text, limit: String(MAX_EXPONENT) });
  if (reason === "many") return new InputError("parse.many", { text, limit: String(MAX_OPERANDS) });
  if (reason === "size") return new InputError("parse.size", { text, limit: grouped(MAX_BITS) });
  return new InputError(`parse.${reason}`, { text });
}

/** The error for a text that has no form of a number, with the likely fix. */
function likelyFix(text: string, takesPatterns: boolean): InputError {
  const body = folded(text);
  const candidates = [
    [body.replaceAll(",", "."), "parse.point"],
    [body.replace(SEPARATOR, ""), "parse.separators"],
    [splitUnit(body)[0], "parse.unit"],
  ] as const;
  for (const [candidate, key] of candidates) {
    if (candidate !== body && readIn(candidate)) return new InputError(key, { text: shown(text), candidate: candidate.slice(0, 40) });
  }
  return new InputError(likelyReason(body, takesPatterns), { text: shown(text) });
}

function likelyReason(body: string, takesPatterns: boolean): InputErrorKey {
  if (takesPatterns && /^nan/i.test(body)) return "parse.payload";
  if (takesPatterns && PATTERN_WITHIN.test(body)) return "parse.lone_pattern";
  if (takesPatterns && /^0b/i.test(body)) return "parse.binary";
  if (HEX.test(body)) return "parse.hex_exponent";
  return takesPatterns ? "parse.form" : "parse.number";
}

/** A text's value if it is a whole number in low … high, else null; of the type of these. */
export function wholeIn(text: string, low: number, high: number): number | null;
export function wholeIn(text: string, low: bigint, high: bigint): bigint | null;
export function wholeIn(text: string, low: number | bigint, high: number | bigint): number | bigint | null {
  const exact = finiteValue(text);
  if (!exact) return null;
  const value = exact.numerator / exact.denominator;
  if (value * exact.denominator !== exact.numerator || value < low || value > high) return null;
  return typeof low === "bigint" ? value : Number(value);
}

/** A text's value, rounded to a Number, if it is in low … high, else null. */
export function realIn(text: string, low: number, high: number): number | null {
  const exact = finiteValue(text);
  const value = exact ? toNumber(exact) : NaN;
  return low <= value && value <= high ? value : null;
}

function finiteValue(text: string): Rational | null {
  const exact = readIn(text);
  return exact?.kind === "finite" ? signed(exact) : null;
}
