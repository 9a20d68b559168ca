// The P3109 family: binary{K}p{P}{s,u}{e,f}, from the interim report of the IEEE working group; experimental.

import { FloatFormat } from "./float_format.ts";
import { InputError } from "./parse.ts";

const LEAST_BITS = 3;
const MOST_BITS = 15;

const NAME = /^binary(?<bits>[1-9][0-9]?)p(?<precision>[1-9][0-9]?)(?<sign>[su])(?<domain>[ef])$/;
const known = new Map<string, FloatFormat>();

/**
 * The format of K bits, 3 to 15, and precision P, 1 to K − 1 (K if unsigned); `extended` formats have infinities.
 * The same arguments always return the same object. Throws InputError.
 */
export function p3109(bits: number, precision: number, signed: boolean, extended: boolean): FloatFormat {
  check("K", bits, LEAST_BITS, MOST_BITS);
  check("P", precision, 1, most(bits, signed));
  return made(bits, precision, signed, extended);
}

/** The format with a name such as "binary8p4se"; undefined if there is none. */
export function p3109Named(name: string): FloatFormat | undefined {
  const parts = NAME.exec(name)?.groups;
  if (!parts) return undefined;
  const [bits, precision, signed] = [Number(parts.bits), Number(parts.precision), parts.sign === "s"];
  const isWithin = isWhole(bits, LEAST_BITS, MOST_BITS) && isWhole(precision, 1, most(bits, signed));
  return isWithin ? made(bits, precision, signed, parts.domain === "e") : undefined;
}

function made(bits: number, precision: number, signed: boolean, extended: boolean): FloatFormat {
  const name = `binary${bits}p${precision}${signed ? "s" : "u"}${extended ? "e" : "f"}`;
  const found = known.get(name);
  if (found) return found;
  const exponentBits = signed ? bits - precision : bits - precision + 1;
  const fmt = new FloatFormat({
    name,
    exponentBits,
    fractionBits: precision - 1,
    bias: 2 ** (exponentBits - 1),
    signed,
    infinity: extended ? "top" : "none",
    nan: signed ? "negative_zero" : "top",
    hasZero: true,
    experimental: true,
    citation: "IEEE P3109, interim report 4.0, 2026",
  });
  known.set(name, fmt);
  return fmt;
}

/** The largest precision. */
const most = (bits: number, signed: boolean): number => (signed ? bits - 1 : bits);

const isWhole = (came: number, low: number, high: number): boolean => Number.isInteger(came) && came >= low && came <= high;

function check(field: string, came: number, low: number, high: number): void {
  if (isWhole(came, low, high)) return;
  throw new InputError("format.integer", { field, low: String(low), high: String(high), came: String(came) });
}
