// The named formats: those of catalogue.json, which Python reads too, and those of P3109, whose names define them.

import catalogue from "#mixwidgets/floats/formats/catalogue.json" with { type: "json" };
import { FloatFormat, type Definition } from "./float_format.ts";

/** The formats of the catalogue, widest first. */
export const formats: readonly FloatFormat[] = catalogue.formats.map(
  (row) =>
    new FloatFormat({
      name: row.name,
      exponentBits: row.exponent_bits,
      fractionBits: row.fraction_bits,
      bias: row.bias,
      signed: row.signed,
      infinity: row.infinity as Definition["infinity"],
      nan: row.nan as Definition["nan"],
      hasZero: row.has_zero,
      citation: row.citation,
    }),
);

const byName = new Map(formats.map((fmt) => [fmt.name, fmt]));

export const float32 = byName.get("float32")!;

/** The format with a canonical name of the catalogue, or a P3109 name such as "binary8p4se"; undefined for any other value.
 * The same name always returns the same object. */
export function getFormat(name: unknown): FloatFormat | undefined {
  return typeof name === "string" ? (byName.get(name) ?? p3109Named(name)) : undefined;
}

// The P3109 family: binary{K}p{P}{s,u}{e,f}, from the interim report of the IEEE working group; experimental.

const P3109_NAME = /^binary(?<bits>[1-9][0-9]?)p(?<precision>[1-9][0-9]?)(?<sign>[su])(?<domain>[ef])$/;
const p3109Formats = new Map<string, FloatFormat>(); // those asked for so far, by name

/** The format of K bits, at least 3, and precision P, 1 to K − 1 (K if unsigned); `extended` formats have infinities. The same
 * arguments always return the same object. Undefined if there is no such format, or if it has more than 64 bits, 16 of them the
 * exponent and 52 the fraction: the standard has no limits. */
export function p3109(bits: number, precision: number, signed: boolean, extended: boolean): FloatFormat | undefined {
  const exponentBits = bits - precision + Number(!signed);
  if (bits < 3 || bits > 64 || precision < 1 || precision > 53 || exponentBits < 1 || exponentBits > 16) return undefined;
  const name = `binary${bits}p${precision}${signed ? "s" : "u"}${extended ? "e" : "f"}`;
  const known = p3109Formats.get(name);
  if (known) return known;
  const fmt = new FloatFormat({
    name,
    exponentBits,
    fractionBits: precision - 1,
    bias: 2 ** (exponentBits - 1),
    signed,
    infinity: extended ? "top" : "none",
    nan: signed ? "negative_zero" : "top",
    hasZero: true,
    overflowsToNan: extended, // an extended format has infinity instead
    experimental: true,
    citation: "IEEE P3109, interim report 4.0, 2026",
  });
  p3109Formats.set(name, fmt);
  return fmt;
}

/** The format with a name such as "binary8p4se"; undefined if there is none. */
function p3109Named(name: string): FloatFormat | undefined {
  const parts = P3109_NAME.exec(name)?.groups;
  return parts && p3109(Number(parts.bits), Number(parts.precision), parts.sign === "s", parts.domain === "e");
}
