// The figures by the names of their files, in the language of the messages. js/build.mjs writes them.

import { fiveSteps, fiveStepsStanding } from "./five_steps.ts";
import { trainingStep, trainingStepStanding } from "./training_step.ts";

export const figures: Readonly<Record<string, () => string>> = {
  five_steps: fiveSteps, five_steps_standing: fiveStepsStanding, training_step: trainingStep, training_step_standing: trainingStepStanding,
};
