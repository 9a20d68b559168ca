// The formats that the vectors name, those of custom.json too.

import { getFormat } from "#core/formats/catalogue.ts";
import { customFormat, type Definition, type FloatFormat } from "#core/formats/float_format.ts";
import { committed } from "./vectors.ts";

interface PythonDefinition {
  exponent_bits: number;
  fraction_bits: number;
  bias?: number;
  signed?: boolean;
  infinity?: Definition["infinity"];
  nan?: Definition["nan"];
  has_zero?: boolean;
  subnormals?: Definition["subnormals"];
  overflows_to_nan?: boolean;
}

const custom = committed<Record<string, [PythonDefinition]>>("custom.json");

/** A format of the catalogue, of P3109, or of custom.json. */
export function formatNamed(name: string): FloatFormat {
  const found = custom[name]?.[0];
  if (!found) return getFormat(name)!;
  const { exponent_bits: exponentBits, fraction_bits: fractionBits, has_zero: hasZero = true, overflows_to_nan: overflowsToNan = true, ...rest } = found;
  return customFormat({ name, exponentBits, fractionBits, hasZero, overflowsToNan, ...rest });
}
