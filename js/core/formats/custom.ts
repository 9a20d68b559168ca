// User-defined formats, validated as in mixwidgets/floats/formats/spec.py.

import { FloatFormat, INFINITIES, NANS, usualBias, type Definition } from "./float_format.ts";
import { InputError } from "./parse.ts";

/** The accepted ranges, both ends included. */
export const LIMITS = {
  exponentBits: { low: 1, high: 11 },
  fractionBits: { low: 0, high: 52 },
  bias: { low: -4096, high: 4096 },
} as const;

/** A definition; omitted fields are those of IEEE 754, with the usual bias. */
export type CustomDefinition = Pick<Definition, "name" | "exponentBits" | "fractionBits"> & Partial<Definition>;

/** The format with this definition. Throws InputError if it is invalid. */
export function customFormat(definition: CustomDefinition): FloatFormat {
  const { exponentBits, fractionBits } = definition;
  checkInteger("exponentBits", exponentBits);
  checkInteger("fractionBits", fractionBits);
  const whole: Definition = {
    bias: usualBias(exponentBits),
    signed: true,
    infinity: "ieee",
    nan: "ieee",
    hasZero: true,
    ...definition,
  };
  checkInteger("bias", whole.bias);
  checkChoice("infinity", whole.infinity, INFINITIES);
  checkChoice("nan", whole.nan, NANS);
  if ((whole.infinity === "ieee") !== (whole.nan === "ieee")) throw new InputError("custom.ieee_pair", {});
  if (whole.nan === "ieee" && (exponentBits < 2 || fractionBits < 1)) throw new InputError("custom.ieee_width", {});
  if (whole.nan === "negative_zero" && !(whole.signed && whole.hasZero)) throw new InputError("custom.nan_place", {});
  const specials = BigInt(whole.nan === "top") + BigInt(whole.infinity === "top");
  if ((1n << BigInt(exponentBits + fractionBits)) - specials < 2n) throw new InputError("custom.empty", {});
  return new FloatFormat(whole);
}

function checkInteger(field: keyof typeof LIMITS, came: number): void {
  const { low, high } = LIMITS[field];
  if (Number.isInteger(came) && came >= low && came <= high) return;
  throw new InputError("custom.integer", { field, low: String(low), high: String(high), came: String(came) });
}

function checkChoice(field: string, came: string, accepted: readonly string[]): void {
  if (accepted.includes(came)) return;
  throw new InputError("custom.choice", { field, accepted: accepted.join(", "), came: String(came) });
}
