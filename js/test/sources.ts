// The files of the front end, its tests left out.

import { globSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The paths of all files whose names end so. */
export function sources(ending: ".ts" | ".css"): string[] {
  return ["js/{core,host,training,ui}", "mixwidgets/*/widgets"].flatMap((folder) => globSync(`${root}/${folder}/**/*${ending}`));
}
