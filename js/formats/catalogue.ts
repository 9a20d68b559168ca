// The named formats, from the same catalogue.json that Python reads.

import catalogue from "../../mixwidgets/formats/catalogue.json";
import { FloatFormat } from "./float_format.ts";

/** The formats of the catalogue, widest first. */
export const formats: readonly FloatFormat[] = catalogue.formats.map(
  (row) => new FloatFormat(row.name, row.exponent_bits, row.fraction_bits, row.bias, row.aliases),
);

const byName = new Map(formats.map((fmt) => [fmt.name, fmt]));

/** The format of a canonical name; undefined for any other text. */
export function getFormat(name: unknown): FloatFormat | undefined {
  return typeof name === "string" ? byName.get(name) : undefined;
}
