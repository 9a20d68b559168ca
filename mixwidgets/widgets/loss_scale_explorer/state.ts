// What the page and the kernel share, and what of it an address may ask for.

import { formats } from "#core/formats/catalogue.ts";
import { HIGHEST, LOWEST } from "#core/gradients/answers.ts";

export interface State {
  format: string;
  log2_loss_scale: number;
  step: number;
  binade: number | null;
  title: string | null;
  compare: string[];
  _snapshots: DataView;
  _newest: number;
  _seen: number;
  _loss: DataView;
  _without_gradient: string[];
}

const MAX_BITS = 32; // gradients are cast to formats no wider than the master weights
/** The formats that gradients may be cast to, the narrowest first. */
export const choices = formats.filter(({ bits, signed }) => signed && bits <= MAX_BITS).sort((a, b) => a.bits - b.bits);

/** What the address of a saved page may ask for. */
export function accept(wanted: Pick<State, "format" | "log2_loss_scale" | "step">): typeof wanted | null {
  const { format, log2_loss_scale: log2, step } = wanted;
  const fits = log2 >= LOWEST && log2 <= HIGHEST && step >= 0 && step < 2 ** 32;
  return fits && choices.some(({ name }) => name === format) ? wanted : null;
}
