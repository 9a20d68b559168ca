// What a teacher reads of an exercise: plain text, to read and to copy. The twin of mixwidgets/teaching/exercises/report.py.

import { shortest } from "#core/formats/decode.ts";
import { button } from "#ui/buttons.ts";
import { copy } from "#ui/clipboard.ts";
import { h, setText } from "#ui/dom.ts";
import { fill, t } from "#ui/messages.ts";
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
      lines.push(fill(words[attempt.isRight ? "right" : "wrong"], { number, answer: shown(question, attempt.answer) }));
    }
    if (tellsHint) lines.push(words.hint);
  }
  const end = isSolved(steps) ? "solved" : isOver(steps) ? "shown" : "open";
  lines.push(fill(words[end], { count: attemptsOf(steps).length }), words.note);
  return lines.join("\n");
}

/** An answer as a person reads it: an option's text, a code with its value, a number as it was typed. */
export function shown({ kind, options, rule }: Question, answer: string): string {
  if (kind === "choice") return plain(options.find((option) => option.answer === answer)!.text);
  const fmt = formatOf(rule);
  if (kind !== "bits" || !fmt) return answer;
  const code = fmt.toCode(answer);
  return `${fmt.toHex(code)} (${shortest(fmt, code)})`;
}

/** A text without its marks for what is strong. */
export function plain(text: string): string {
  return text.replaceAll("*", "");
}

/** The report, folded away. */
export function forTeacher(question: Question): { element: HTMLElement; show(steps: readonly Step[]): void } {
  const text = h("pre", { class: "mw-exercise-report", tabindex: 0, role: "region", "aria-label": t("exercise.teacher") });
  const done = h("span", { class: "mw-note", role: "status" });
  const copying = button(t("exercise.copy"), async () => {
    setText(done, t((await copy(text.textContent, text)) ? "exercise.copied" : "clipboard.selected"));
  });
  const element = h("details", { class: "mw-unfolding mw-exercise-teacher" },
    h("summary", {}, t("exercise.teacher")), text, h("div", { class: "mw-row" }, copying, done));
  const show = (steps: readonly Step[]) => {
    setText(text, report(question, steps));
    setText(done, "");
  };
  return { element, show };
}
