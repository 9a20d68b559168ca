// The P3109 family: binary{K}p{P}{s,u}{e,f}, from the interim report of the IEEE working group; experimental.

import { FloatFormat } from "./float_format.ts";

const NAME = /^binary(?<bits>[1-9][0-9]?)p(?<precision>[1-9][0-9]?)(?<sign>[su])(?<domain>[ef])$/;
const known = new Map<string, FloatFormat>();

/** The format of K bits, 3 to 15, and precision P, 1 to K − 1 (K if unsigned); `extended` formats have infinities. The same
 * arguments always return the same object. Undefined if there is no such format. */
export function p3109(bits: number, precision: number, signed: boolean, extended: boolean): FloatFormat | undefined {
  const exponentBits = bits - precision + Number(!signed);
  if (bits < 3 || bits > 15 || precision < 1 || exponentBits < 1) return undefined;
  const name = `binary${bits}p${precision}${signed ? "s" : "u"}${extended ? "e" : "f"}`;
  const found = known.get(name);
  if (found) return found;
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

/** The format with a name such as "binary8p4se"; undefined if there is none. */
export function p3109Named(name: string): FloatFormat | undefined {
  const parts = NAME.exec(name)?.groups;
  return parts && p3109(Number(parts.bits), Number(parts.precision), parts.sign === "s", parts.domain === "e");
}
