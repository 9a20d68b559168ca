// The named formats: those of catalogue.json, which Python reads too, and those of P3109, whose names define them.

import catalogue from "#mixwidgets/floats/formats/catalogue.json" with { type: "json" };
import { FloatFormat, type Definition } from "./float_format.ts";
import { p3109Named } from "./p3109.ts";

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
