// Exercise: a question and a prediction, judged in the page. The record of what was done is all that is synced, and all
// that a saved page's address keeps.

import type { RenderProps } from "@anywidget/types";
import { computed } from "@preact/signals-core";
import { encode } from "#core/formats/encode.ts";
import { attempt as reading } from "#ui/fields.ts";
import { action } from "#ui/buttons.ts";
import { card } from "#ui/card.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { viewOf } from "#ui/view.ts";
import { answerField } from "./fields.ts";
import { verdictOf, type Question } from "./question.ts";
import { attemptsOf, isHintTold, isOver, isSolved, MOST_STEPS, readRecord, type Step } from "./record.ts";
import { forTeacher, shown } from "./report.ts";
import { formatOf, target } from "./rule.ts";
import { said, strong } from "./words.ts";

interface Traits {
  exercise: string;
  _record: string;
  _question: Question;
}

function render({ model, el }: RenderProps<Traits>): () => void {
  const view = viewOf(model);
  const question = model.get("_question");
  const record = view.trait("_record");
  const steps = computed(() => readRecord(question, record.value));
  const { root, head } = card(view, el, "mw-exercise", t("exercise.title"));
  head.firstElementChild!.append(h("span", { class: "mw-muted mw-exercise-id" }, ` · ${question.id}`));
  const state = h("span", { class: "mw-exercise-state" });
  head.append(state);

  const field = answerField(view, question);
  const error = h("p", { id: uniqueId("error"), class: "mw-error", role: "alert" });
  const check = action(t("exercise.check"), () => predict(), "mw-primary");
  const hint = action(t("exercise.hint"), () => append("?"));
  const show = action(t("exercise.show"), () => append("!"));
  const again = action(t("exercise.again"), () => {
    view.send("_record", "");
    field.focus();
  });
  const form = h("form", { class: "mw-stack" }, field.element, h("div", { class: "mw-error-line" }, error), h("div", { class: "mw-row" }, check.element, hint.element, show.element, again.element));
  check.element.type = "submit"; // so that Enter in the field checks
  form.addEventListener("submit", (event) => event.preventDefault());
  const callout = h("div", { class: "mw-callout mw-stack-tight" });
  const live = h("div", { role: "status" }, callout);
  const attempts = h("ol", { "aria-label": t("exercise.attempts"), class: "mw-exercise-attempts" });
  const teacher = forTeacher(question);
  root.append(h("p", { class: "mw-exercise-question" }, ...strong(question.question)), form, live, attempts, teacher.element);

  function predict(): void {
    const answer = field.read();
    const wrong = answer === "" ? t(question.kind === "choice" ? "exercise.choose" : "exercise.write") : reading(() => verdictOf(question, answer));
    setText(error, wrong);
    field.refuse(wrong && error.id);
    if (wrong) return field.focus();
    const last = (steps.value ?? []).at(-1)?.attempt?.answer;
    if (answer !== last) append(`=${answer}`); // the same again is no new attempt
  }

  function append(step: string): void {
    view.send("_record", steps.value && record.value !== "" ? `${record.value}\n${step}` : step);
  }

  let drawn: string | undefined;
  view.effect(() => {
    const done = steps.value ?? [];
    setText(error, steps.value ? "" : t("exercise.unreadable"));
    field.refuse("");
    const tried = attemptsOf(done);
    const ends = isOver(done);
    if (record.value !== drawn) field.show(ends && !isSolved(done) ? theAnswer(done) : (tried.at(-1)?.answer ?? ""));
    drawn = record.value;
    field.allow(!ends);
    const first = tried.length > 0 ? "" : t("exercise.predict_first");
    const last = ends ? t("exercise.over") : "";
    check.allow(last || (done.length >= MOST_STEPS - 1 ? t("exercise.enough") : ""));
    hint.allow(first || last || (isHintTold(done) ? t("exercise.hint_told") : done.length >= MOST_STEPS - 1 ? t("exercise.enough") : ""));
    show.allow(first || last);
    again.element.hidden = !ends && steps.value !== null;
    const word = isSolved(done) ? t("exercise.solved") : ends ? t("exercise.shown") : tried.length > 0 ? t("exercise.attempt", { number: tried.length }) : "";
    setText(state, word);
    set(state, { "data-tone": isSolved(done) ? "right" : undefined });
    callout.replaceChildren(...said(question, done));
    set(callout, { hidden: tried.length === 0, "data-tone": isSolved(done) ? "right" : ends ? "told" : undefined });
    attempts.replaceChildren(...tried.map(({ answer, isRight }) => h("li", { class: "mw-num" }, `${shown(question, answer)} `, mark(isRight))));
    set(attempts, { hidden: tried.length === 0 });
    set(teacher.element, { hidden: tried.length === 0 });
    teacher.show(done);
    if (ends) root.dispatchEvent(new Event("mw-over", { bubbles: true })); // a lesson's page shows what follows
  });

  /** What the field shows once the answer was shown: the right option or code; of numbers, what was typed last. */
  function theAnswer(done: readonly Step[]): string {
    const fmt = formatOf(question.rule);
    const right = target(question.rule);
    if (question.kind === "bits" && fmt && right) return fmt.toHex(encode(fmt, right));
    if (question.kind === "choice") return question.options.find(({ answer }) => verdictOf(question, answer).isRight)?.answer ?? "";
    return attemptsOf(done).at(-1)?.answer ?? "";
  }

  return view.close;
}

/** A sign and a word, not only a colour. */
function mark(isRight: boolean): HTMLElement {
  return h("span", { class: "mw-exercise-mark", "data-tone": isRight ? "right" : undefined },
    h("span", { "aria-hidden": "true" }, isRight ? "✓" : "✗"),
    h("span", { class: "mw-hidden" }, t(isRight ? "exercise.is_right" : "exercise.is_wrong")));
}

/** A state from an address, if it is one of this question. */
function accept(wanted: Pick<Traits, "exercise" | "_record">, get: (name: string) => unknown): typeof wanted | null {
  const question = get("_question") as Question;
  return wanted.exercise === question.id && readRecord(question, wanted._record) ? wanted : null;
}

export default { render, accept };
