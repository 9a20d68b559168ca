// A question as the kernel sends it, in one language, and what is said of an answer to it.

import { decoded, readNumber } from "./answers.ts";
import { accepts, formatOf, type Rule } from "./rule.ts";
import type { Exact } from "#core/formats/parse.ts";

export interface Question {
  readonly id: string;
  readonly lesson: string;
  readonly kind: "number" | "choice" | "bits";
  readonly question: string;
  readonly hint: string;
  readonly explanation: string;
  readonly rule: Rule;
  readonly mistakes: readonly { readonly if: Rule; readonly says: string }[];
  readonly options: readonly { readonly answer: string; readonly text: string; readonly says?: string }[];
  readonly example: string;
  /** The sentences of the text for a teacher. */
  readonly report: Readonly<Record<"title" | "right" | "wrong" | "hint" | "open" | "solved" | "shown" | "note", string>>;
}

export interface Verdict {
  readonly isRight: boolean;
  readonly says: string;
  /** Whether the mistake is not a known one, so that `says` is the hint. */
  readonly isHint: boolean;
}

/** What is said of an answer: a number as text, an option's `answer`, a code in hex. Throws InputError. */
export function verdictOf(question: Question, answer: string): Verdict {
  if (question.kind === "choice") return ofOption(question, answer);
  const number = numberOf(question, answer);
  if (accepts(question.rule, number)) return right(question);
  const known = question.mistakes.find((mistake) => accepts(mistake.if, number));
  return { isRight: false, says: known?.says ?? question.hint, isHint: !known };
}

function ofOption(question: Question, answer: string): Verdict {
  const { rule } = question;
  const isRight = rule.option === undefined ? accepts(rule, readNumber(answer, formatOf(rule))) : answer === rule.option;
  if (isRight) return right(question);
  const says = question.options.find((option) => option.answer === answer)?.says;
  return { isRight, says: says ?? question.hint, isHint: false };
}

function right(question: Question): Verdict {
  return { isRight: true, says: question.explanation, isHint: false };
}

function numberOf({ kind, rule }: Question, answer: string): Exact {
  const fmt = formatOf(rule);
  return kind === "bits" && fmt ? decoded(fmt, fmt.toCode(answer)) : readNumber(answer, fmt);
}

/** Whether an answer may stand in a record of this question. */
export function isAnswer(question: Question, answer: string): boolean {
  if (question.kind === "choice") return question.options.some((option) => option.answer === answer);
  try {
    return numberOf(question, answer) !== null;
  } catch {
    return false;
  }
}
