// For tests and benchmarks, which train without a page: settings as JSON has them, and all that training has changed, as bytes.

import { getFormat } from "#core/formats/catalogue.ts";
import { customFormat, type CustomDefinition, type FloatFormat } from "#core/formats/float_format.ts";
import { FORMAT_FIELDS, SettingsError, startingSettings } from "./settings.ts";
import type { Trainer } from "./trainer.ts";
import type { Settings, Task } from "./types.ts";

type FormatField = (typeof FORMAT_FIELDS)[number];

/** Some settings; what is left out stays as it is, or starts as `startingSettings` of the task has it. */
export type Request = Partial<{ readonly [K in keyof Settings]: K extends FormatField ? string | CustomDefinition : Settings[K] }>;

/** `settings`, with what the request says. Throws SettingsError for an unknown format, InputError for a wrong definition. */
export function changed(settings: Settings, request: Request): Settings {
  const formats = FORMAT_FIELDS.map((field) => [field, formatOf(field, request[field]) ?? settings[field]]);
  return { ...settings, ...(request as Partial<Settings>), ...(Object.fromEntries(formats) as Pick<Settings, FormatField>) };
}

/** Settings whose formats are given by name, or by definition. */
export function settingsOf(request: Request & { readonly task: Task }): Settings {
  return changed(startingSettings(request.task), request);
}

function formatOf(field: string, given: string | CustomDefinition | undefined): FloatFormat | undefined {
  if (given === undefined) return undefined;
  const found = typeof given === "string" ? getFormat(given) : customFormat(given);
  if (!found) throw new SettingsError(field, { kind: "format" }, given);
  return found;
}

/** The weights that are kept and the last gradients, tensor by tensor, as little-endian float32; of all NaN the same one. */
export function allBits({ tensors }: Trainer): Uint8Array<ArrayBuffer> {
  const values = tensors.flatMap(({ kept, gradient }) => [...kept, ...gradient].map((value) => (Number.isNaN(value) ? NaN : value)));
  return new Uint8Array(Float32Array.from(values).buffer);
}
