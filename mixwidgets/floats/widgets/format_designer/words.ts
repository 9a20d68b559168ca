// What a format is, in a sentence made from its numbers and in four figures.

import type { FloatFormat } from "#core/formats/float_format.ts";
import { rational } from "#core/formats/rational.ts";
import { brief, integer, rounded, twoTo } from "#ui/digits.ts";
import { pieces, t, type MessageKey, type Piece } from "#ui/messages.ts";
import { finiteValues, known, type Design } from "./design.ts";

const DIGITS = 4;
const MANY = 10_000_000n; // values that are not written one by one
const FINEST = 10; // fraction bits, up to which a step is a percentage

export const largest = (fmt: FloatFormat): string => brief(fmt.magnitude(fmt.maxCode), DIGITS);
const smallest = (fmt: FloatFormat): string => brief(fmt.magnitude(fmt.smallestCode), DIGITS);
const hasNormal = (fmt: FloatFormat): boolean => fmt.smallestNormalCode <= fmt.maxCode;

/** The widest gap between normal numbers, as a share of the number below it. */
function step(fmt: FloatFormat): string {
  if (!hasNormal(fmt)) return t("designer.none");
  return fmt.fractionBits > FINEST ? twoTo(-fmt.fractionBits) : `${rounded(rational(100n, 1n << BigInt(fmt.fractionBits)), 3)} %`;
}

function values(fmt: FloatFormat): string {
  const count = finiteValues(fmt);
  return count < MANY ? integer(count) : rounded(rational(count), DIGITS);
}

/** "4 exponent bits reach from 2⁻⁹ to 448; with 3 fraction bits, numbers from 2⁻⁶ on are at most 12.5 % apart." */
export function lead(fmt: FloatFormat): Piece[] {
  const args = { exponent: fmt.exponentBits, fraction: fmt.fractionBits, low: smallest(fmt), high: largest(fmt) };
  if (!hasNormal(fmt)) return pieces("designer.lead_even", args);
  return pieces("designer.lead", { ...args, normal: brief(fmt.magnitude(fmt.smallestNormalCode), DIGITS), step: step(fmt) });
}

/** Which known format the design is, if any. */
export function verdict(design: Design): Piece[] {
  const format = known(design);
  if (!format) return pieces("designer.new");
  return pieces(format.experimental ? "designer.is_experimental" : "designer.is_known", { name: format.name, citation: format.citation });
}

/** Four figures that tell formats apart. */
export const FIGURES: readonly (readonly [MessageKey, (fmt: FloatFormat) => string])[] = [
  ["designer.largest", largest],
  ["designer.smallest", smallest],
  ["designer.step", step],
  ["designer.values", values],
];
