// Numbers as a person reads them. Values of formats are exact where that is short, else cut with an ellipsis.

import { classify, exact, isFinite, notation, shortest, toDecimal } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { compare, divide, floorLog10, magnitudeOf, negate, power, type Rational } from "#core/formats/rational.ts";

const SHORT = 22; // characters that fit the large figure
const integers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** An integer with thousands separators: "1,234". Other numbers are rounded. */
export const integer = (value: number | bigint): string => integers.format(value);

/** Typographic signs: −1, not -1. */
export function withMinus(text: string): string {
  return text.replaceAll("-", "−");
}

/** A power as a formula: "10⁻⁸". */
export const powerText = (base: number, exponent: number): string =>
  base + [...String(exponent)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");

/** A power of two: "2⁻²⁴". */
export const twoTo = (exponent: number): string => powerText(2, exponent);

/** A code's value: every digit if they are few, else the fewest that round back to it. */
export function figure(fmt: FloatFormat, code: bigint): { text: string; isExact: boolean } {
  if (!isFinite(fmt, code)) return { text: withMinus(special(toDecimal(fmt, code))), isExact: true };
  if (fmt.hasNegativeZero && code === fmt.signBit) return { text: "−0", isExact: true };
  const text = cut(exact(fmt, code), SHORT);
  const isExact = text.length <= SHORT && !text.includes("…");
  return { text: isExact ? text : withMinus(shortest(fmt, code)), isExact };
}

/** The value of a code in `most` digits, as `cut` gives it, or −0, NaN, ∞ or −∞. */
export function valueIn(fmt: FloatFormat, code: bigint, most: number): string {
  const kind = classify(fmt, code);
  return kind === "normal" || kind === "subnormal" ? cut(exact(fmt, code), most) : figure(fmt, code).text;
}

function special(text: string): string {
  return text === "nan" ? "NaN" : text.replace("inf", "∞");
}

/** A rational in `most` significant digits: exact if they suffice, else its true leading digits and "…". */
export function cut(x: Rational, most: number): string {
  if (x.numerator === 0n) return "0";
  const sign = x.numerator < 0n ? "−" : "";
  const { digits, exponent, isExact } = leading(x, most);
  if (isExact) return sign + withMinus(notation(digits, exponent));
  const text = String(digits);
  const point = text.length + exponent; // the value is 0.text × 10^point
  if (point > 0 && point < text.length) return `${sign}${text.slice(0, point)}.${text.slice(point)}…`;
  if (point > -6 && point <= 0) return `${sign}0.${"0".repeat(-point)}${text}…`;
  return `${sign}${text.slice(0, 1)}.${text.slice(1)}…e${point > 0 ? "+" : "−"}${Math.abs(point - 1)}`;
}

/** How many significant digits tell these values apart, at least `least` and at most 40. */
export function digitsToTellApart(all: readonly Rational[], least: number): number {
  const values = all.filter((x, i) => all.findIndex((other) => compare(x, other) === 0) === i);
  for (let most = least; most < 40; most += 1) {
    const texts = values.map((x) => {
      if (x.numerator === 0n) return "0";
      const { digits, exponent } = leading(x, most);
      return (x.numerator < 0n ? "-" : "") + notation(digits, exponent);
    });
    if (new Set(texts).size === values.length) return most;
  }
  return 40;
}

function leading(x: Rational, most: number): { digits: bigint; exponent: number; isExact: boolean } {
  const magnitude = magnitudeOf(x);
  const exponent = floorLog10(magnitude) - most + 1;
  const { numerator, denominator } = divide(magnitude, power(10n, exponent));
  const digits = numerator / denominator;
  return { digits, exponent, isExact: digits * denominator === numerator };
}

/** The value of a code; for an infinity the step at which it stands, beyond the largest finite value. */
export function place(fmt: FloatFormat, code: bigint): Rational {
  if (isFinite(fmt, code)) return exact(fmt, code);
  return code & fmt.signBit ? negate(fmt.overflowStep) : fmt.overflowStep;
}

/** The bits of a code, with a space between the fields. */
export function binary(fmt: FloatFormat, code: bigint): string {
  const bits = code.toString(2).padStart(fmt.bits, "0");
  const [sign, exponent] = [Number(fmt.signed), Number(fmt.signed) + fmt.exponentBits];
  return [bits.slice(0, sign), bits.slice(sign, exponent), bits.slice(exponent)].filter((field) => field).join(" ");
}
