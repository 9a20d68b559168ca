// The named formats, from the same catalogue.json that Python reads, and those whose name alone defines them.

import catalogue from "#mixwidgets/formats/catalogue.json" with { type: "json" };
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
      aliases: row.aliases,
      citation: row.citation,
    }),
);

const byName = new Map(formats.map((fmt) => [fmt.name, fmt]));

/**
 * The format of a canonical name of the catalogue, or of a P3109 one such as "binary8p4se"; undefined for any other
 * text. The same name gives the same object.
 */
export function getFormat(name: unknown): FloatFormat | undefined {
  return typeof name === "string" ? (byName.get(name) ?? p3109Named(name)) : undefined;
}
