// A question as the kernel sends it, in one language, and the feedback on an answer.

import { finite, readNumber, type Units } from "./answers.ts";
import { accepts, formatOf, type Rule } from "./rule.ts";
import { decoded } from "#core/formats/decode.ts";
import { type Exact, readOr, signed, splitUnit, toExact } from "#core/formats/parse.ts";
import { multiply, rational } from "#core/formats/rational.ts";
import { figure } from "#ui/digits.ts";
import { t } from "#ui/messages.ts";

const IN_THREES = /^[-+−–]?[1-9][0-9]{0,2}\.[0-9]{3}$/; // 65.504, where a point may separate thousands

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
  readonly units: Units;
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
  const mistakeOf = (value: Exact) => mistakes.find((mistake) => accepts(mistake.if, value));
  // A mistake is wrong within the tolerance too, such as 2^128 for the largest FP32.
  const isRight = number ? accepts(rule, number, true) || (!mistakeOf(number) && accepts(rule, number)) : answer === rule.option;
  if (isRight) return { isRight, says: explanation, isHint: false };
  if (kind === "choice") return { isRight, says: options.find((option) => option.answer === answer)?.says ?? hint, isHint: false };
  const known = mistakeOf(number!);
  if (IN_THREES.test(answer.trim())) {
    const thousandfold = finite(multiply(signed(number!), rational(1000n)));
    const isMeant = accepts(rule, thousandfold) || (!known && mistakeOf(thousandfold));
    if (isMeant) return { isRight, says: t("exercise.did_you_mean", { came: answer.trim(), number: answer.trim().replace(".", "") }), isHint: false };
  }
  return { isRight, says: known?.says ?? hint, isHint: !known };
}

/** How an answer was read, where that may surprise: without its commas, or as a code. */
export function readingOf({ kind, rule }: Question, answer: string): string {
  if (kind !== "number") return "";
  const fmt = formatOf(rule);
  const exact = readOr(() => toExact(splitUnit(answer)[0]), null);
  if (exact?.kind === "pattern") return fmt ? t("exercise.read_as_code", { code: answer.trim(), value: figure(fmt, exact.code).text }) : "";
  return exact?.readAs ? t("exercise.read_as", { number: exact.readAs }) : "";
}

export function numberOf({ kind, rule, units }: Question, answer: string): Exact {
  const fmt = formatOf(rule);
  return kind === "bits" && fmt ? decoded(fmt, fmt.toCode(answer)) : readNumber(answer, fmt, units);
}

/** Whether a text is an answer to this question, right or wrong. */
export function isAnswer(question: Question, answer: string): boolean {
  if (question.kind === "choice") return question.options.some((option) => option.answer === answer);
  return readOr(() => numberOf(question, answer) !== null, false);
}
