// The number as source text for other tools; as a code where a decimal could lose something.

import { hexFloat, isFinite, shortest, toDecimal } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { t } from "#ui/messages.ts";

const IN_NUMPY = new Set(["float64", "float32", "float16"]);
const IN_ML_DTYPES = new Set([
  "bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e4m3", "float8_e3m4", "float8_e4m3fnuz", "float8_e5m2fnuz",
  "float8_e4m3b11fnuz", "float8_e8m0fnu", "float6_e3m2fn", "float6_e2m3fn", "float4_e2m1fn",
]);
const IN_TORCH = new Set([
  "float64", "float32", "float16", "bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2fnuz",
  "float8_e8m0fnu",
]);

/** What the number may be copied as; a stack that lacks the format is left out. */
export function copiesOf(fmt: FloatFormat, code: bigint): { label: string; text: string }[] {
  const hex = fmt.toHex(code);
  const container = [8, 16, 32, 64].find((bits) => bits >= fmt.bits)!;
  const copies = [
    { label: t("bits.copy_shortest"), text: shortest(fmt, code) },
    { label: t("bits.copy_exact"), text: toDecimal(fmt, code) },
    { label: t("bits.copy_code"), text: hex },
    { label: t("bits.copy_hex_float"), text: hexFloat(fmt, code) },
    IN_NUMPY.has(fmt.name) && { label: t("bits.copy_numpy"), text: `np.uint${container}(${hex}).view(np.${fmt.name})` },
    IN_ML_DTYPES.has(fmt.name) && { label: t("bits.copy_numpy"), text: `np.uint${container}(${hex}).view(ml_dtypes.${fmt.name})` },
    IN_TORCH.has(fmt.name) && {
      label: t("bits.copy_torch"),
      text: `torch.tensor(${hex}, dtype=torch.uint${container}).view(torch.${fmt.name})`,
    },
    { label: t("bits.copy_c"), text: inC(fmt, code) ?? `UINT${container}_C(${hex})` },
  ];
  return copies.filter((copy) => copy !== false);
}

/** A C literal of the value, in the formats that C has always had. */
function inC(fmt: FloatFormat, code: bigint): string | undefined {
  const suffix = { float64: "", float32: "f" }[fmt.name];
  return suffix === undefined || !isFinite(fmt, code) ? undefined : hexFloat(fmt, code) + suffix;
}
