// Settings with formats by name, or by definition: as JSON, a story or an address holds them.

import { getFormat } from "#core/formats/catalogue.ts";
import { customFormat, type CustomDefinition } from "#core/formats/custom.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { SettingsError, startingSettings } from "./settings.ts";
import type { Settings, Task } from "./types.ts";

export const FORMAT_FIELDS = ["weightFormat", "activationFormat", "gradientFormat", "optimizerFormat"] as const;
type FormatField = (typeof FORMAT_FIELDS)[number];

/** Some settings; what is left out stays as it is, or starts as `startingSettings` of the task has it. */
export type Request = Partial<{ readonly [K in keyof Settings]: K extends FormatField ? string | CustomDefinition : Settings[K] }>;

/** `settings`, with what the request says. Throws SettingsError for an unknown format, InputError for a wrong definition. */
export function changed(settings: Settings, request: Request): Settings {
  const formats = FORMAT_FIELDS.map((field) => [field, formatOf(field, request[field]) ?? settings[field]]);
  return { ...settings, ...(request as Partial<Settings>), ...(Object.fromEntries(formats) as Pick<Settings, FormatField>) };
}

export function settingsOf(request: Request & { readonly task: Task }): Settings {
  return changed(startingSettings(request.task), request);
}

function formatOf(field: string, given: string | CustomDefinition | undefined): FloatFormat | undefined {
  if (given === undefined) return undefined;
  const found = typeof given === "string" ? getFormat(given) : customFormat(given);
  if (!found) throw new SettingsError(field, { kind: "format" }, given);
  return found;
}
