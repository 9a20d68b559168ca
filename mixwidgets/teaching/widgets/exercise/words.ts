// The question's own texts in the page: what is between asterisks is strong, all else is plain text.

import { emphasised, h } from "#ui/dom.ts";
import { marked, type MessageKey, type Piece, pieces, sentences, t } from "#ui/messages.ts";
import type { Question } from "./question.ts";
import { attemptsOf, isHintTold, isOver, isSolved, type Step } from "./record.ts";

/** A text of the catalogue as nodes. */
export function strong(text: string): (HTMLElement | Text)[] {
  return emphasised(marked(text));
}

/** What is said after these steps, a paragraph each. */
export function said(question: Question, steps: readonly Step[]): HTMLElement[] {
  const last = attemptsOf(steps).at(-1);
  if (!last) return [];
  if (isOver(steps)) {
    const example = question.example === "" || isSolved(steps) ? [] : [paragraph(pieces("exercise.example", { example: question.example }))];
    return [begun(isSolved(steps) ? "exercise.right" : "exercise.the_answer", question.explanation), ...example];
  }
  const hint = isHintTold(steps) && !last.isHint ? [begun("exercise.the_hint", question.hint)] : [];
  return [begun("exercise.not_yet", last.says), ...hint];
}

function begun(key: MessageKey, text: string): HTMLElement {
  return paragraph(marked(sentences([t(key), text])));
}

function paragraph(words: readonly Piece[]): HTMLElement {
  return h("p", {}, ...emphasised(words));
}
