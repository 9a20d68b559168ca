// Reads and checks the lab's traits.

import { type BlockFormat, getBlockFormat } from "#core/blocks/catalogue.ts";
import { SCALE_RULES, type ScaleRule } from "#core/blocks/scale_rules.ts";

export interface Traits {
  format: string;
  scale_rule: string;
  /** The codes of 16 or 32 finite float32 elements, eight hex digits each. */
  _codes: string;
}

export interface Lab {
  readonly format: BlockFormat;
  readonly rule: ScaleRule;
  readonly values: Float32Array;
}

/** The lab that the traits describe; null if they are invalid. */
export function readLab({ format, scale_rule, _codes }: Traits): Lab | null {
  const known = getBlockFormat(format);
  const rule = SCALE_RULES.find((one) => one === scale_rule);
  if (!known || !rule || !/^(?:[0-9a-f]{128}){1,2}$/i.test(_codes)) return null;
  const values = decoded(_codes.match(/.{8}/g)!);
  return values.every(Number.isFinite) ? { format: known, rule, values } : null;
}

export function codesOf(values: Float32Array): string {
  return Array.from(new Uint32Array(values.slice().buffer), (code) => code.toString(16).padStart(8, "0")).join("");
}

/** The float32 numbers with these codes, in hex. */
export function decoded(codes: readonly string[]): Float32Array {
  return new Float32Array(Uint32Array.from(codes, (code) => Number.parseInt(code, 16)).buffer);
}
