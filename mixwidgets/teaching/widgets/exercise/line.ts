// A wrong number on a number line: beside the answer once that is known, before beside the number that was tried before.

import type { ReadonlySignal } from "@preact/signals-core";
import { type Exact, readOr, signed } from "#core/formats/parse.ts";
import { compare, divide, magnitudeOf, rational, type Rational, subtract, toNumber } from "#core/formats/rational.ts";
import { cut } from "#ui/digits.ts";
import { h, set } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import type { View } from "#ui/view.ts";
import { readNumber } from "./answers.ts";
import { numberOf, type Question } from "./question.ts";
import { attemptsOf, isOver, type Step } from "./record.ts";
import { formatOf, target } from "./rule.ts";

const LONGEST = 24; // characters of a number as it was typed
const [DIGITS, ROUGH] = [17, 4]; // significant digits of a number, and of a factor
const MARGIN = 0.12; // of the line, beyond the two numbers

interface Placed {
  readonly value: Rational;
  readonly text: string;
}

export interface Line {
  /** The wrong numbers, the newest last. */
  readonly wrong: readonly Placed[];
  /** Null until it is known: its place would give it away. */
  readonly answer: Placed | null;
}

/** Null if no finite number was wrong. */
export function lineOf(question: Question, steps: readonly Step[]): Line | null {
  if (question.kind !== "number") return null;
  const wrong = attemptsOf(steps).flatMap(({ isRight, answer }) => (isRight ? [] : finiteNumber(numberOf(question, answer), answer.trim())));
  if (wrong.length === 0) return null;
  const example = () => readOr(() => readNumber(question.example, formatOf(question.rule), question.units), null); // where many are right
  const answer = isOver(steps) ? finiteNumber(target(question.rule) ?? example(), "")[0] : null;
  return { wrong, answer: answer ?? null };
}

function finiteNumber(number: Exact | null, typed: string): Placed[] {
  if (number?.kind !== "finite") return [];
  const value = signed(number);
  return [{ value, text: typed !== "" && typed.length <= LONGEST ? typed : cut(value, DIGITS) }];
}

/** What a wrong number is, measured by the answer: the difference where both are near, else their ratio. */
function wrongWords({ value, text }: Placed, answer: Placed | null): string {
  if (!answer) return t("exercise.line_wrong", { number: text });
  const difference = subtract(value, answer.value);
  const ratio = answer.value.numerator === 0n ? 1 : toNumber(divide(value, answer.value));
  const args = { number: text, answer: answer.text };
  if (ratio > 2 || ratio < 0.5) return t("exercise.line_times", { ...args, factor: cut(divide(value, answer.value), ROUGH) });
  return t(difference.numerator > 0n ? "exercise.line_more" : "exercise.line_less", { ...args, difference: cut(magnitudeOf(difference), DIGITS) });
}

export function answerLine(view: View, shown: ReadonlySignal<Line | null>): HTMLElement {
  const element = h("div", { class: "mw-exercise-place", role: "img" });
  view.effect(() => {
    set(element, { hidden: shown.value === null });
    if (!shown.value) return;
    const { wrong, answer } = shown.value;
    const newest = wrong.at(-1)!;
    const earlier = wrong.filter(({ value }) => compare(value, newest.value) !== 0);
    const zero = { value: rational(0n), text: "0" };
    const other = answer ?? earlier.at(-1) ?? zero;
    const [low, high] = [newest.value, other.value].sort(compare) as [Rational, Rational];
    const size = subtract(high, low);
    const place = ({ value }: Placed) => (size.numerator === 0n ? 0.5 : MARGIN + (1 - 2 * MARGIN) * toNumber(divide(subtract(value, low), size)));
    const words = [wrongWords(newest, answer), answer ? t("exercise.line_right", { number: answer.text }) : other.text];
    set(element, { "aria-label": t("exercise.line", { numbers: listed(words) }) });
    const isSeen = (one: Placed) => place(one) >= 0 && place(one) <= 1;
    element.replaceChildren(
      ...earlier.filter(isSeen).map((one) => standing("×", place(one), "earlier")),
      ...(other === zero ? [standing("|", place(zero), "earlier")] : []), standing("×", place(newest), "newest"), ...(answer ? [standing("●", place(answer), "answer")] : []),
      standing(words[0]!, place(newest), "above"), standing(words[1]!, place(other), answer ? "below" : "beside"));
  });
  return element;
}

/** A sign or a text at a share of the line, within its ends. */
function standing(words: string, share: number, kind: string): HTMLElement {
  const element = h("span", { "data-kind": kind }, words);
  Object.assign(element.style, { left: `${100 * share}%`, translate: `${words.length > 1 ? -100 * share : -50}% 0` });
  return element;
}
