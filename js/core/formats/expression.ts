// Arithmetic with decimals and hex floats, worked out exactly. mixwidgets/support/expression.py documents the grammar and has
// the same bounds.

import { add, bitLength, magnitudeOf, multiply, negate, rational, type Rational } from "./rational.ts";

export const MAX_EXPONENT = 5_000;
export const MAX_OPERANDS = 64; // numbers and brackets of an expression, which bounds its depth and its time
export const MAX_BITS = 65_536; // of a numerator or a denominator; a decimal of 10,000 digits needs 49,829 at most

export const HEX_DIGITS = "(0[xX](?=\\.?[0-9a-fA-F])[0-9a-fA-F]*)(?:\\.([0-9a-fA-F]*))?";
const WHOLE = "[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9,])|[0-9]*";
const DIGITS = `(?!0[xX])(?=\\.?[0-9])(${WHOLE})(?:\\.([0-9]*))?`;
const TOKEN = new RegExp(
  ` *(?:${HEX_DIGITS}[pP]([-+−–]?[0-9]+)|${DIGITS}(?:[eE]([-+−–]?[0-9]+))?|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(\\*\\*|[-+−–×·*xX/^(){}]))`, "y",
);
const MARKS: Record<string, string> = { "**": "^", "−": "-", "–": "-", "×": "*", "·": "*", x: "*", X: "*", "{": "(", "}": ")" };
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

type Reason = "brackets" | "exponent" | "form" | "many" | "power" | "size" | "times" | "too_long" | "zero";
type Token = string | Rational;

/** A text is no number; "form": for any other reason than these. */
export class Refused extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason);
    this.reason = reason;
  }
}

/** The value of an expression, and whether it is the number 0 with a minus. Throws Refused. */
export function evaluate(body: string): { value: Rational; isMinusZero: boolean } {
  const tokens = tokensOf(body);
  const isSigned = tokens.length === 2 && tokens[0] === "-";
  const value = valueOf(tokens);
  return { value, isMinusZero: isSigned && value.numerator === 0n };
}

/** The numbers and signs of an expression, each sign in one form. */
function tokensOf(body: string): Token[] {
  const tokens: Token[] = [];
  let operands = 0;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < body.length) {
    const [, hex, hexPart, two, whole, part, ten, raised, mark] = TOKEN.exec(body) ?? refuse("form");
    if (mark) tokens.push(MARKS[mark] ?? mark);
    else if (raised) tokens.push("^", rational(BigInt(exponentOf(raised))));
    else if (hex) tokens.push(numberOf(hex, hexPart, 16n, 2n, two!));
    else tokens.push(numberOf(whole!.replaceAll(",", ""), part, 10n, 10n, ten));
    if (!mark || tokens.at(-1) === "(") operands += 1;
    if (operands > MAX_OPERANDS) throw new Refused("many");
  }
  return tokens;
}

/** A decimal or a hex float. */
function numberOf(whole: string, part = "", base: bigint, exponentBase: bigint, written = "0"): Rational {
  const digits = BigInt(whole + part);
  const scale = base ** BigInt(part.length);
  const exponent = exponentOf(written);
  const power = exponentBase ** BigInt(Math.abs(exponent));
  return exponent >= 0 ? rational(digits * power, scale) : rational(digits, scale * power);
}

function exponentOf(written: string): number {
  const plain = written.replace(/[−–⁻]/, "-").replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (digit) => String(RAISED.indexOf(digit))).replace("⁺", "");
  const exponent = plain.length < 20 ? Number(plain) : MAX_EXPONENT + 1;
  return Math.abs(exponent) > MAX_EXPONENT ? refuse("exponent") : exponent;
}

/** The value of an expression. A function for each line of the grammar. */
function valueOf(tokens: Token[]): Rational {
  const left = tokens.reverse(); // to be read, the next one last
  const nextIs = (...marks: Token[]) => marks.includes(left.at(-1)!);

  function expression(): Rational {
    let value = product();
    while (nextIs("+", "-")) value = left.pop() === "-" ? bounded(add(value, negate(product()))) : bounded(add(value, product()));
    return nextIs("(") ? refuse("times") : value;
  }

  function product(): Rational {
    let value = factor();
    while (nextIs("*", "/")) value = bounded(multiply(value, left.pop() === "/" ? inverse(factor()) : factor()));
    return value;
  }

  function factor(): Rational {
    const isNegative = nextIs("-");
    if (nextIs("+", "-")) left.pop();
    const value = power();
    return isNegative ? negate(value) : value;
  }

  function power(): Rational {
    let base = operand();
    if (!nextIs("^")) return base;
    left.pop();
    const { numerator, denominator } = factor();
    if (numerator % denominator !== 0n) throw new Refused("power");
    const exponent = magnitudeOf(rational(numerator / denominator)).numerator;
    if (exponent > MAX_EXPONENT) throw new Refused("exponent");
    if (numerator < 0n) base = inverse(base);
    if (BigInt(bitsOf(base) - 1) * exponent > MAX_BITS) throw new Refused("size");
    return bounded(rational(base.numerator ** exponent, base.denominator ** exponent));
  }

  function operand(): Rational {
    const token = left.pop() ?? "";
    if (typeof token !== "string") return token;
    if (token !== "(") throw new Refused("form");
    const value = expression();
    if (!nextIs(")")) throw new Refused(left.length > 0 ? "form" : "brackets");
    left.pop();
    return value;
  }

  const value = expression();
  if (left.length > 0) throw new Refused(nextIs(")") ? "brackets" : "form");
  return value;
}

function inverse({ numerator, denominator }: Rational): Rational {
  if (numerator === 0n) throw new Refused("zero");
  return numerator > 0n ? rational(denominator, numerator) : rational(-denominator, -numerator);
}

function bounded(value: Rational): Rational {
  return bitsOf(value) > MAX_BITS ? refuse("size") : value;
}

function bitsOf(value: Rational): number {
  return Math.max(bitLength(magnitudeOf(value).numerator), bitLength(value.denominator));
}

function refuse(reason: Reason): never {
  throw new Refused(reason);
}
