// The stories: presets of all settings, from the same file that Python reads.

import file from "./stories.json";
import type { Choice } from "./state.ts";

/** The settings that each story departs with from the usual ones, by its name. */
export const stories: Readonly<Record<string, Partial<Choice>>> = file.stories;
