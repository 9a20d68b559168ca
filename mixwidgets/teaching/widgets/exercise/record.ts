// The record of one question: all steps in order, as one text. The twin of mixwidgets/teaching/exercises/record.py, which
// defines it.

import { isAnswer, verdictOf, type Question, type Verdict } from "./question.ts";

export const MOST_STEPS = 100;
export const LONGEST_ANSWER = 100; // characters

interface Attempt extends Verdict {
  readonly answer: string;
}

export interface Step {
  readonly kind: "attempt" | "hint" | "shown";
  readonly attempt: Attempt | null;
  /** Whether the hint is first shown here. */
  readonly tellsHint: boolean;
}

/** The steps of a record; null if the text is not a record of this question. */
export function readRecord(question: Question, text: string): readonly Step[] | null {
  const lines = text === "" ? [] : text.split("\n");
  if (lines.length > MOST_STEPS) return null;
  const steps: Step[] = [];
  for (const line of lines) {
    const step = isOver(steps) ? null : stepOf(question, line, steps);
    if (!step) return null;
    steps.push(step);
  }
  return steps;
}

function stepOf(question: Question, line: string, before: readonly Step[]): Step | null {
  const isKnown = isHintTold(before);
  if (before.length > 0 && line === "!") return { kind: "shown", attempt: null, tellsHint: false };
  if (before.length > 0 && line === "?" && !isKnown) return { kind: "hint", attempt: null, tellsHint: true };
  const answer = line.slice(1);
  if (!line.startsWith("=") || [...answer].length > LONGEST_ANSWER || !isAnswer(question, answer)) return null;
  const attempt = { answer, ...verdictOf(question, answer) };
  return { kind: "attempt", attempt, tellsHint: !isKnown && attempt.isHint };
}

/** Whether the answer was found or shown. */
export function isOver(steps: readonly Step[]): boolean {
  return steps.at(-1)?.kind === "shown" || isSolved(steps);
}

/** Whether a right answer was given. */
export function isSolved(steps: readonly Step[]): boolean {
  return attemptsOf(steps).some(({ isRight }) => isRight);
}

export function isHintTold(steps: readonly Step[]): boolean {
  return steps.some(({ tellsHint }) => tellsHint);
}

/** The answers in order. */
export function attemptsOf(steps: readonly Step[]): readonly Attempt[] {
  return steps.flatMap(({ attempt }) => attempt ?? []);
}
