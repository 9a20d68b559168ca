// A question as the kernel sends it, in one language, and what is said of an answer to it.

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

/** Whether an answer may stand in a record of this question. */
export function isAnswer(question: Question, answer: string): boolean {
  if (question.kind === "choice") return question.options.some((option) => option.answer === answer);
  return readOr(() => numberOf(question, answer) !== null, false);
}
