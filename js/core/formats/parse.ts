// Parses text to an exact value: a rational, ±∞, NaN, or a bit pattern. No float is involved.
// mixwidgets/support/parse.py documents the grammar; tests/vectors/parse.json tests that both agree.

import type messages from "#mixwidgets/support/languages/en/page.json";
import { multiply, negate, power, rational, toNumber, type Rational } from "./rational.ts";

const MAX_TEXT = 10_000; // characters; float64's longest exact decimal has 1,076
const MAX_EXPONENT = 5_000; // of 10 or 2; larger ones would take too much memory

const SIGN = "(?<sign>[+\\-−]?)";
const EXPONENT = "(?<exp>[+\\-−]?[0-9]+)";
const DECIMAL = new RegExp(`^${SIGN}(?:(?<whole>[0-9]+)\\.?(?<part>[0-9]*)|\\.(?<only>[0-9]+))(?:[eE]${EXPONENT})?$`);
const HEX_FLOAT = new RegExp(
  `^${SIGN}0[xX](?:(?<whole>[0-9a-fA-F]+)\\.?(?<part>[0-9a-fA-F]*)|\\.(?<only>[0-9a-fA-F]+))[pP]${EXPONENT}$`,
);
const POWER = new RegExp(`^${SIGN}(?:(?<factor>[0-9.][0-9.eE+\\-−]*) *[×·*] *)?(?<base>2|10) *(?:\\^|\\*\\*) *${EXPONENT}$`);
const FRACTION = new RegExp(`^${SIGN}(?<over>[0-9]+) */ *(?<under>[0-9]+)$`);
const SPECIAL = new RegExp(`^${SIGN}(?<word>inf|infinity|∞|nan)$`, "i");
const BIT_PATTERN = /^(?:0[xX][0-9a-fA-F]+|0[bB][01]+)$/;
const UNDERSCORE = /(?<=[0-9a-fA-F])_(?=[0-9a-fA-F])/g;
const RAISED = /(?<![0-9.])(2|10)([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)/g;
const BLANKS = /^[ \t\r\n]+|[ \t\r\n]+$/g;

/** An extended real number as sign and magnitude, which distinguishes −0 from 0. */
export interface Exact {
  readonly kind: "finite" | "infinity" | "nan";
  readonly negative: boolean;
  readonly magnitude: Rational;
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
  const whole = text.replace(BLANKS, "");
  const length = [...whole].length;
  if (length > MAX_TEXT) throw new InputError("parse.too_long", { limit: grouped(MAX_TEXT), length: grouped(length) });
  const body = whole.replace(UNDERSCORE, "").replace(RAISED, (_, base, raised) => `${base}^${fromSuperscript(raised)}`);
  if (BIT_PATTERN.test(body)) return { kind: "pattern", code: BigInt(body.toLowerCase()) };
  const special = SPECIAL.exec(body)?.groups;
  if (special) {
    const kind = special.word?.toLowerCase() === "nan" ? "nan" : "infinity";
    return { kind, negative: isMinus(special), magnitude: rational(0n) };
  }
  const decimal = DECIMAL.exec(body)?.groups;
  if (decimal) return finite(decimal, magnitudeOf(decimal, "", 10n, 10n, whole));
  const hex = HEX_FLOAT.exec(body)?.groups;
  if (hex) return finite(hex, magnitudeOf(hex, "0x", 16n, 2n, whole));
  const raised = POWER.exec(body)?.groups;
  const factor = raised && DECIMAL.exec(raised.factor ?? "1")?.groups;
  if (factor) return finite(raised, multiply(magnitudeOf(factor, "", 10n, 10n, whole), power(BigInt(raised.base!), exponentOf(raised, whole))));
  const fraction = FRACTION.exec(body)?.groups;
  if (fraction) {
    const under = BigInt(fraction.under!);
    if (under === 0n) throw new InputError("parse.zero", { text: shown(whole) });
    return finite(fraction, rational(BigInt(fraction.over!), under));
  }
  throw likelyFix(text, body, takesPatterns);
}

function fromSuperscript(raised: string): string {
  return [...raised].map((c) => "+-0123456789"["⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)]).join("");
}

function finite(groups: Groups, magnitude: Rational): Exact {
  return { kind: "finite", negative: isMinus(groups), magnitude };
}

/** The code in a text in hex or binary. Throws InputError unless it fits the `bits` bits of the format `name`. */
export function toCode(text: string, bits: number, name: string): bigint {
  const body = text.replace(BLANKS, "");
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

type Groups = Partial<Record<string, string>>;

/** The magnitude of a decimal or a hex float; `text` is quoted in errors. */
function magnitudeOf(groups: Groups, prefix: string, base: bigint, exponentBase: bigint, text: string): Rational {
  const part = (groups.part ?? "") + (groups.only ?? "");
  const digits = rational(BigInt(prefix + (groups.whole ?? "") + part), base ** BigInt(part.length));
  return multiply(digits, power(exponentBase, exponentOf(groups, text)));
}

function exponentOf({ exp = "0" }: Groups, text: string): number {
  const exponent = exp.length < 20 ? Number(exp.replace("−", "-")) : MAX_EXPONENT + 1;
  if (Math.abs(exponent) > MAX_EXPONENT) throw new InputError("parse.exponent", { text: shown(text), limit: String(MAX_EXPONENT) });
  return exponent;
}

function isMinus({ sign }: Groups): boolean {
  return sign === "-" || sign === "−";
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

const isNumber = (text: string) => readOr(() => toExact(text) && text === text.trim(), false);

/** The error for a text that is not a number, with the likely fix. */
function likelyFix(text: string, body: string, takesPatterns: boolean): InputError {
  const plain = body.normalize("NFKC");
  const [whole, point] = [plain.replaceAll(",", ""), plain.replaceAll(",", ".")];
  if (/^[+\-−]?[1-9][0-9]{0,2},[0-9]{3}(?= *[×·*]|$)/.test(plain) && isNumber(whole)) { // thousands in English, decimals elsewhere
    return new InputError("parse.comma", { text: shown(text), whole, point });
  }
  const candidates = [
    [plain, "parse.digits"],
    [point, "parse.point"],
    [plain.replace(/[_ ]|,(?=[0-9]{3})/g, ""), "parse.separators"],
  ] as const;
  for (const [candidate, key] of candidates) {
    if (candidate !== body && isNumber(candidate)) {
      return new InputError(key, { text: shown(text), candidate: candidate.slice(0, 40) });
    }
  }
  return new InputError(advice(body, takesPatterns), { text: shown(text) });
}

function advice(body: string, takesPatterns: boolean): InputErrorKey {
  if (takesPatterns && /^nan/i.test(body)) return "parse.payload";
  if (takesPatterns && /^(?:[-+−]0x|[-+]0b)/.test(body)) return "parse.signed_pattern";
  if (takesPatterns && /^0b/i.test(body)) return "parse.binary";
  if (HEX_FLOAT.test(body + "p0")) return "parse.hex_exponent";
  if (/^[+\-−]?[0-9.]+ *(?:\^|\*\*)/.test(body)) return "parse.power";
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
  const exact = readOr(() => toExact(text), null);
  return exact?.kind === "finite" ? signed(exact) : null;
}
