// A design: the parameters that define a format, the known formats that have the same, and how many codes there are of each
// class. No DOM.

import { formats, p3109 } from "#core/formats/catalogue.ts";
import type { FloatClass } from "#core/formats/decode.ts";
import { customFormat, usualBias, type Definition, type FloatFormat } from "#core/formats/float_format.ts";
import { InputError, readOr } from "#core/formats/parse.ts";
import { t, type MessageKey } from "#ui/messages.ts";

/** The synced traits. */
export interface Design {
  exponent_bits: number;
  fraction_bits: number;
  bias: number;
  infinity: Definition["infinity"];
  nan: Definition["nan"];
  signed: boolean;
  has_zero: boolean;
  subnormals: FloatFormat["subnormals"];
  overflows_to_nan: boolean;
}

const TRAITS = ["exponent_bits", "fraction_bits", "bias", "infinity", "nan", "signed", "has_zero", "subnormals", "overflows_to_nan"] as const;

/** The format of a design. Throws InputError if it is invalid. */
export function formatOf(design: Design): FloatFormat {
  const { exponent_bits: exponentBits, fraction_bits: fractionBits, has_zero: hasZero, overflows_to_nan: overflowsToNan, ...rest } = design;
  return customFormat({ name: `custom_e${exponentBits}m${fractionBits}`, exponentBits, fractionBits, hasZero, overflowsToNan, ...rest });
}

/** What makes no format of a design, in words; "" if nothing does. */
export function wrongIn(design: Design): string {
  try {
    formatOf(design);
    return "";
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { field } = error.args;
    const label = field && t(`designer.${field.replace(/[A-Z]/, (c) => `_${c.toLowerCase()}`)}` as MessageKey);
    return t(error.key, { ...error.args, ...(label && { field: label }) });
  }
}

/** The design of a format. */
export function designOf(fmt: FloatFormat): Design {
  const { exponentBits, fractionBits, bias, infinity, nan, signed, hasZero, subnormals, overflowsToNan } = fmt;
  return {
    exponent_bits: exponentBits, fraction_bits: fractionBits, bias, infinity, nan, signed, has_zero: hasZero, subnormals,
    overflows_to_nan: overflowsToNan,
  };
}

/** The design in a model's traits; null if they are invalid. */
export function read(get: (name: keyof Design) => unknown): Design | null {
  const values = Object.fromEntries(TRAITS.map((name) => [name, get(name)]));
  const switches = [values.signed, values.has_zero, values.overflows_to_nan];
  if (switches.some((value) => typeof value !== "boolean")) return null; // customFormat checks the others
  const design = values as unknown as Design;
  return readOr(() => formatOf(design) && design, null);
}

/** Whether two designs are equal. */
export function same(a: Design, b: Design): boolean {
  return TRAITS.every((name) => a[name] === b[name]);
}

/** Whether a format has the choice between NaN and its largest value past that. */
export function mayOverflowToNan({ infinity, nan }: Design): boolean {
  return infinity === "none" && nan !== "none";
}

/** The format of the catalogue or of P3109 with this design; undefined for a new one. */
export function known(design: Design): FloatFormat | undefined {
  const { exponent_bits, fraction_bits, signed } = design;
  const bits = Number(signed) + exponent_bits + fraction_bits;
  const p3109s = [true, false].flatMap((extended) => p3109(bits, fraction_bits + 1, signed, extended) ?? []);
  const wanted = mayOverflowToNan(design) ? design : { ...design, overflows_to_nan: true };
  return [...formats, ...p3109s].find((fmt) => same(designOf(fmt), wanted));
}

/** The formats of the catalogue with the same widths. */
export function relatives(design: Design): readonly FloatFormat[] {
  return formats.filter((fmt) =>
    fmt.exponentBits === design.exponent_bits && fmt.fractionBits === design.fraction_bits && fmt.signed === design.signed);
}

/** The bias with other exponent bits: IEEE's follows them, any other stays. */
export function followingBias({ bias, exponent_bits }: Design, exponentBits: number): Partial<Design> {
  return bias === usualBias(exponent_bits) ? { bias: usualBias(exponentBits) } : {};
}

export const CLASSES: readonly FloatClass[] = ["zero", "subnormal", "normal", "infinity", "nan"];

/** The number of codes of each class; they add up to 2^bits. */
export function countsOf(fmt: FloatFormat): Record<FloatClass, bigint> {
  const signs = fmt.signed ? 2n : 1n;
  const finite = fmt.maxCode + 1n; // magnitude codes
  const below = fmt.smallestNormalCode < finite ? fmt.smallestNormalCode : finite; // zero and the subnormals
  const zero = (fmt.hasNegativeZero ? 2n : 1n) * fmt.smallestCode;
  const subnormal = signs * (below - fmt.smallestCode);
  const normal = signs * (finite - below);
  const infinity = fmt.infCode === null ? 0n : signs;
  return { zero, subnormal, normal, infinity, nan: (1n << BigInt(fmt.bits)) - zero - subnormal - normal - infinity };
}

/** The number of different finite values; +0 and −0 are one value. */
export function finiteValues(fmt: FloatFormat): bigint {
  const { zero, subnormal, normal } = countsOf(fmt);
  return subnormal + normal + (zero > 0n ? 1n : 0n);
}
