// How a run computes its products, from the English of its record into the page's language. No DOM.

import { listed, type MessageKey, t } from "#ui/messages.ts";

// What mixwidgets.training writes: Precision.name, AmpTrainer.arithmetic, and a watcher's word.
const PRODUCTS: [RegExp, MessageKey][] = [
  [/^(\w+) storage, float32 products$/, "lab.products_widened"],
  [/^native (\w+) products$/, "lab.products_native"],
  [/^torch\.autocast to (\w+)$/, "lab.products_autocast"],
  [/^torch\.autocast to (\w+), whose products this CPU emulates, slowly$/, "lab.products_emulated"],
  [/^the watched loop's own()$/, "lab.products_watched"],
];
const OPERANDS = /, (?:operands of linear layers rounded to|(native) products of linear layers in) (\w+)$/;
const CPU = / \((no )?(\w+(?:(?:, | or )\w+)*)\)/; // the features of the CPU that decided, which older records lack

/** A record's `backend` in words; an unknown one unchanged. */
export function arithmetic(backend: string): string {
  const [, isNative, operands] = OPERANDS.exec(backend) ?? [];
  const [, lacking, features] = CPU.exec(backend) ?? [];
  const products = backend.replace(OPERANDS, "").replace(CPU, "");
  for (const [pattern, key] of PRODUCTS) {
    const format = pattern.exec(products)?.[1];
    if (format === undefined) continue;
    const cpu = features === undefined ? "" : lacking ? t("lab.products_lacking", { features: features.replaceAll(" or ", ", ") }) : features;
    return listed([t(key, { format }), cpu, operands === undefined ? "" : t(isNative ? "lab.products_operands_native" : "lab.products_operands", { format: operands })]);
  }
  return backend;
}
