// For tests and benchmarks, which train without a page: settings from JSON, and the bytes of everything that training changes.
// Nothing here needs Node, so that tests can run it in a browser too.

import { getFormat } from "#core/formats/catalogue.ts";
import { customFormat, type CustomDefinition, type FloatFormat } from "#core/formats/float_format.ts";
import { FORMAT_FIELDS, SettingsError, startingSettings, type Settings, type Task } from "./settings.ts";
import type { Trainer } from "./trainer.ts";

type FormatField = (typeof FORMAT_FIELDS)[number];

/** Some settings; a format is a name or a definition. */
export type Request = Partial<{ readonly [K in keyof Settings]: K extends FormatField ? string | CustomDefinition : Settings[K] }>;

/** `settings` with those of the request. Throws SettingsError for an unknown format, InputError for a wrong definition. */
export function changed(settings: Settings, request: Request): Settings {
  const formats = FORMAT_FIELDS.map((field) => [field, formatOf(field, request[field]) ?? settings[field]]);
  return { ...settings, ...(request as Partial<Settings>), ...(Object.fromEntries(formats) as Pick<Settings, FormatField>) };
}

/** The same, from `startingSettings` of the task. */
export function settingsOf(request: Request & { readonly task: Task }): Settings {
  return changed(startingSettings(request.task), request);
}

function formatOf(field: string, definition: string | CustomDefinition | undefined): FloatFormat | undefined {
  if (definition === undefined) return undefined;
  const format = typeof definition === "string" ? getFormat(definition) : customFormat(definition);
  if (!format) throw new SettingsError(field, { kind: "format" }, definition);
  return format;
}

/** The weights that are kept and the last gradients, tensor by tensor. */
export const allBits = ({ tensors }: Trainer): Uint8Array<ArrayBuffer> => bitsOf(tensors.flatMap(({ kept, gradient }) => [kept, gradient]));

/** Arrays one after another, as little-endian float32. Every NaN has the same bits. */
export function bitsOf(arrays: readonly Float32Array[]): Uint8Array<ArrayBuffer> {
  const values = arrays.flatMap((array) => Array.from(array, (value) => (Number.isNaN(value) ? NaN : value)));
  return new Uint8Array(Float32Array.from(values).buffer);
}
