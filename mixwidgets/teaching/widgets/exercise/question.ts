// A question as the kernel sends it, in one language, and the feedback on an answer.

import { readNumber } from "./answers.ts";
import { accepts, formatOf, type Rule } from "./rule.ts";
import { decoded } from "#core/formats/decode.ts";
import { type Exact, readOr } from "#core/formats/parse.ts";

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
  /** The sentences of the report for a teacher. */
  readonly report: Readonly<Record<"title" | "right" | "wrong" | "hint" | "open" | "solved" | "shown" | "note", string>>;
}

export interface Verdict {
  readonly isRight: boolean;
  readonly says: string;
  /** Whether `says` is the hint, because the mistake has no feedback of its own. */
  readonly isHint: boolean;
}

/** The feedback on an answer: a number as text, an option's `answer`, or a code in hex. Throws InputError if it is none. */
export function verdictOf(question: Question, answer: string): Verdict {
  const { kind, rule, options, mistakes, hint, explanation } = question;
  const number = rule.option === undefined ? numberOf(question, answer) : null;
  const isRight = number ? accepts(rule, number) : answer === rule.option;
  if (isRight) return { isRight, says: explanation, isHint: false };
  if (kind === "choice") return { isRight, says: options.find((option) => option.answer === answer)?.says ?? hint, isHint: false };
  const known = mistakes.find((mistake) => accepts(mistake.if, number!));
  return { isRight, says: known?.says ?? hint, isHint: !known };
}

function numberOf({ kind, rule }: Question, answer: string): Exact {
  const fmt = formatOf(rule);
  return kind === "bits" && fmt ? decoded(fmt, fmt.toCode(answer)) : readNumber(answer, fmt);
}

/** Whether a text is an answer to this question, right or wrong. */
export function isAnswer(question: Question, answer: string): boolean {
  if (question.kind === "choice") return question.options.some((option) => option.answer === answer);
  return readOr(() => numberOf(question, answer) !== null, false);
}
