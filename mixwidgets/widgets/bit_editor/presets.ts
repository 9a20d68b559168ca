// Numbers worth a look in the format at hand.

import { InputError } from "#core/formats/parse.ts";
import { t } from "#ui/messages.ts";
import { typed, withCode, type EditedNumber } from "./state.ts";
import { landmarks } from "./words.ts";

const TEXTS = ["0.1", "65504", "65505", "65520", "inf", "nan"];
const THIRD = "0." + "3".repeat(25); // too close to 1/3 to round otherwise in a format of up to 53 significant bits

export interface Preset {
  readonly label: string;
  readonly number: EditedNumber;
}

/** A few decimals, as far as the format takes them, and the format's own landmarks. */
export function presetsOf(number: EditedNumber): readonly Preset[] {
  const { fmt } = number;
  return [
    ...[...TEXTS.map((text) => [text, text] as const), [t("bits.third"), THIRD] as const].flatMap(([label, text]) => {
      try {
        return [{ label, number: typed(number, text) }];
      } catch (error) {
        if (error instanceof InputError) return []; // as NaN, in a format that has none
        throw error;
      }
    }),
    ...landmarks(fmt).map(([code, key]) => ({ label: t(key, { format: fmt.name }), number: withCode(number, code) })),
  ];
}
