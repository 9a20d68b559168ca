// The engine: see types.ts.

import type { DigitRows, Settings, Trainer } from "./types.ts";

/** `digits` is needed by the task of that name only. */
export declare function createTrainer(settings: Settings, digits?: DigitRows): Trainer;
