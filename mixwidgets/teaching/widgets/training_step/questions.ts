// The questions of the stage, about steps of the usual network. Their numbers and answers are computed from these steps.

import type { DigitRows } from "#training/data.ts";
import { counted, type Fate, fatesOf } from "#training/fate.ts";
import { look, weightStep, type WeightStep } from "#training/look.ts";
import { HIGHEST, strip } from "#training/strip.ts";
import { keptFormat } from "#training/settings.ts";
import { t } from "#ui/messages.ts";
import type { Question } from "#ui/questions/questions.ts";
import { brief, digits, scaleText, weightText } from "./names.ts";
import { type Choice, placeOf, trainerOf, usual } from "./state.ts";
import { sentence } from "./words.ts";

const MORE_STEPS = 300; // of the run that the last question is about
const STILL: readonly Fate[] = ["flushed", "flushed_on_the_way", "update_lost", "skipped", "inf_in_both"];

interface Asked {
  readonly ask: string;
  /** The state that shows the answer, and the answer in words. */
  answer(): { readonly state: Partial<Choice>; readonly told: string };
}

export function stageQuestions(rows: DigitRows, show: (state: Choice, told: string) => void): Question[] {
  return asked(rows).map((make) => {
    let made: Asked | undefined;
    const once = () => (made ??= make());
    return {
      get ask() { return once().ask; },
      answer() {
        const { state, told } = once().answer();
        show({ ...usual, ...state }, told);
      },
    };
  });
}

function asked(rows: DigitRows): (() => Asked)[] {
  const at = (state: Partial<Choice>) => {
    const choice = { ...usual, ...state };
    const [trainer, place] = [trainerOf(choice, rows), placeOf(choice)];
    const seen = look(trainer);
    const row = strip(trainer);
    return { seen, row, place, fates: row.of(place), own: weightStep(seen, place), twin: weightStep(seen.twin, place), all: seen.kept.reduce((sum, { length }) => sum + length, 0) };
  };
  /** The sentence about a step, where it went in another way than the question's words expect. */
  const plainly = ({ seen, row, place }: ReturnType<typeof at>): string => sentence(seen, row, place).headline.map(({ text }) => text).join("");
  const moved = ({ next, kept }: WeightStep) => brief(next - kept);

  return [
    () => ({
      ask: t("step.ui.ask_smallest"),
      answer() {
        const log2 = at({}).fates.findIndex((fate) => !STILL.includes(fate));
        const there = at({ log2_loss_scale: Math.max(0, log2) });
        return { state: { log2_loss_scale: Math.max(0, log2) }, told: log2 < 0 ? plainly(there) : t("step.ui.told_smallest", { scale: scaleText(log2), moved: moved(there.own), wanted: moved(there.twin) }) };
      },
    }),
    () => ({
      ask: t("step.ui.ask_larger"),
      answer() {
        const there = at({ log2_loss_scale: 16 });
        const ratio = Math.abs(there.own.update / there.twin.update);
        return { state: { log2_loss_scale: 16 }, told: t("step.ui.told_larger", { ratio: digits(ratio, 4), moved: moved(there.own), wanted: moved(there.twin) }) };
      },
    }),
    () => {
      const there = at({ log2_loss_scale: 39 });
      return {
        ask: t("step.ui.ask_fits", { value: digits(there.own.gradient, 5) }),
        answer: () => ({ state: { log2_loss_scale: 39 }, told: there.seen.skipped ? t("step.ui.told_fits", { count: there.seen.notFinite }) : plainly(there) }),
      };
    },
    () => ({
      ask: t("step.ui.ask_skips"),
      answer() {
        const first = { log2_loss_scale: HIGHEST, loss_scale: "dynamic" };
        const trainer = trainerOf({ ...usual, ...first }, rows);
        let skips = 0;
        while (skips < HIGHEST && trainer.step().skipped) skips++;
        return { state: { ...first, steps: skips }, told: t("step.ui.told_skips", { count: skips, scale: scaleText(HIGHEST - skips) }) };
      },
    }),
    () => {
      const there = at({});
      return {
        ask: t("step.ui.ask_alike", { all: there.all }),
        answer: () => ({ state: { all_weights: true }, told: t("step.ui.told_alike", { count: counted(fatesOf(there.seen).flat()).as_float32, all: there.all }) }),
      };
    },
    () => {
      const state = { master_weights: false, float32_steps: 0, steps: MORE_STEPS, log2_loss_scale: 16 };
      const there = at(state);
      const format = keptFormat(there.seen.settings);
      const helps = there.fates.findIndex((fate, log2) => log2 > 16 && !STILL.includes(fate));
      return {
        ask: t("step.ui.ask_update", { weight: weightText(there.own.kept, format), update: brief(0 - there.own.update), format: format.name }),
        answer: () => ({ state, told: there.own.next !== there.own.kept ? plainly(there) : helps < 0 ? t("step.ui.told_update") : t("step.ui.told_update_helps", { scale: scaleText(helps) }) }),
      };
    },
    () => {
      const there = at({});
      return {
        ask: t("step.ui.ask_run", { count: counted(fatesOf(there.seen).flat()).as_float32, all: there.all }),
        answer() {
          const run = (log2: number, steps: number) => {
            const trainer = trainerOf({ ...usual, log2_loss_scale: log2 }, rows);
            for (let i = 0; i < steps; i++) trainer.step();
            return trainer.evaluate(trainer.data.test).loss;
          };
          const losses = { before: digits(run(0, 0), 3), after: digits(run(0, MORE_STEPS), 3), other: digits(run(16, MORE_STEPS), 3) };
          return { state: { steps: MORE_STEPS }, told: t("step.ui.told_run", { steps: MORE_STEPS, ...losses }) };
        },
      };
    },
  ];
}
