// The report of an exercise for a teacher, as plain text. The twin of mixwidgets/teaching/exercises/report.py.

import { shortest } from "#core/formats/decode.ts";
import { fill } from "#ui/messages.ts";
import type { Question } from "./question.ts";
import { attemptsOf, isOver, isSolved, type Step } from "./record.ts";
import { formatOf } from "./rule.ts";

export function report(question: Question, steps: readonly Step[]): string {
  const { id, lesson, report: words } = question;
  const lines = [fill(words.title, { id, lesson }), plain(question.question)];
  let number = 0;
  for (const { attempt, tellsHint } of steps) {
    if (attempt) {
      number += 1;
      lines.push(fill(words[attempt.isRight ? "right" : "wrong"], { number, answer: readable(question, attempt.answer) }));
    }
    if (tellsHint) lines.push(words.hint);
  }
  const end = isSolved(steps) ? "solved" : isOver(steps) ? "shown" : "open";
  lines.push(fill(words[end], { count: attemptsOf(steps).length }), words.note);
  return lines.join("\n");
}

/** A readable answer: an option's text, a code with its value, a number as typed. */
export function readable({ kind, options, rule }: Question, answer: string): string {
  if (kind === "choice") return plain(options.find((option) => option.answer === answer)!.text);
  const fmt = formatOf(rule);
  if (kind !== "bits" || !fmt) return answer;
  const code = fmt.toCode(answer);
  return `${fmt.toHex(code)} (${shortest(fmt, code)})`;
}

/** A text without the asterisks around what is strong. */
function plain(text: string): string {
  return text.replaceAll("*", "");
}
