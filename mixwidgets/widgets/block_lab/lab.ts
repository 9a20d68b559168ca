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
  const values = Float32Array.from({ length: _codes.length / 8 }, (_, i) => decoded(_codes.slice(8 * i, 8 * i + 8)));
  return values.every(Number.isFinite) ? { format: known, rule, values } : null;
}

export function codesOf(values: Float32Array): string {
  const view = new DataView(new ArrayBuffer(4));
  return Array.from(values, (x) => {
    view.setFloat32(0, x);
    return view.getUint32(0).toString(16).padStart(8, "0");
  }).join("");
}

/** The float32 number with this code (eight hex digits). */
export function decoded(code: string): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, Number.parseInt(code, 16));
  return view.getFloat32(0);
}
