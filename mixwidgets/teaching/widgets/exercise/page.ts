// Exercise: a question and a prediction, judged in the page. The record of all steps is the only trait that the page changes;
// a saved page's address keeps it.

import type { RenderProps } from "@anywidget/types";
import { computed, signal } from "@preact/signals-core";
import { encode } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { signed } from "#core/formats/parse.ts";
import { multiply, rational } from "#core/formats/rational.ts";
import { attempt as errorIn } from "#ui/fields.ts";
import { bitGrid } from "#ui/bit_grid/bit_grid.ts";
import { action, button } from "#ui/buttons.ts";
import { card } from "#ui/card.ts";
import { copy } from "#ui/clipboard.ts";
import { cut } from "#ui/digits.ts";
import { emphasised, h, set, setText, uniqueId } from "#ui/dom.ts";
import { marked, type MessageKey, type Piece, pieces, sentences, t } from "#ui/messages.ts";
import { type View, viewOf } from "#ui/view.ts";
import { answerLine, lineOf } from "./line.ts";
import { readNumber } from "./answers.ts";
import { readingOf, verdictOf, type Question } from "./question.ts";
import { attemptsOf, isHintTold, isOver, isSolved, LONGEST_ANSWER, MOST_STEPS, readRecord, type Step } from "./record.ts";
import { readable, report } from "./report.ts";
import { formatOf, type Rule, target } from "./rule.ts";

const DIGITS = 3; // of a tolerance in percent

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
  const state = h("span", { class: "mw-exercise-state" });
  head.append(state);

  const field = answerField(view, question);
  const error = h("p", { id: uniqueId("error"), class: "mw-error", role: "alert" });
  const refusal = signal(""); // why the text in the field was not taken
  const check = action(t("exercise.check"), () => predict(), "mw-primary");
  const hint = action(t("exercise.hint"), () => append("?"));
  const show = action(t("exercise.show"), () => append("!"));
  const again = action(t("exercise.again"), () => {
    view.send("_record", "");
    field.focus();
  });
  const form = h("form", { class: "mw-stack" }, field.element, error, h("div", { class: "mw-row" }, check.element, hint.element, show.element, again.element));
  check.element.type = "submit"; // so that Enter in the field checks
  form.addEventListener("submit", (event) => event.preventDefault());
  const callout = h("div", { class: "mw-callout mw-stack-tight" });
  const live = h("div", { role: "status" }, callout);
  const attempts = h("ol", { "aria-label": t("exercise.attempts"), class: "mw-exercise-attempts" });
  const teacher = forTeacher(question);
  const asked = h("p", { class: "mw-exercise-question", id: uniqueId("question") }, ...emphasised(marked(question.question)));
  set(root, { "aria-labelledby": `${root.getAttribute("aria-labelledby")} ${asked.id}`, "data-exercise": question.id }); // a lesson has several
  root.append(asked, form, live, answerLine(view, computed(() => lineOf(question, steps.value ?? []))), attempts, teacher.element);

  function predict(): void {
    const answer = field.read();
    const wrong = answer === "" ? t(question.kind === "choice" ? "exercise.choose" : "exercise.write") : errorIn(() => verdictOf(question, answer));
    refusal.value = wrong;
    if (wrong) return field.focus();
    const last = (steps.value ?? []).at(-1)?.attempt?.answer;
    if (answer !== last) append(`=${answer}`); // the same answer again is not a new attempt
  }

  function append(step: string): void {
    view.send("_record", steps.value && record.value !== "" ? `${record.value}\n${step}` : step);
  }

  const wasKept = record.value !== ""; // from before: who comes back may start over at once
  let drawn: string | undefined;
  view.effect(() => {
    const done = steps.value ?? [];
    if (record.value !== drawn) refusal.value = "";
    setText(error, steps.value ? refusal.value : t("exercise.unreadable"));
    field.refuse(refusal.value && error.id);
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
    again.element.hidden = !ends && steps.value !== null && !(wasKept && record.value !== "");
    const word = isSolved(done) ? t("exercise.solved") : ends ? t("exercise.shown") : tried.length > 0 ? t("exercise.attempt", { number: tried.length }) : "";
    setText(state, word);
    set(state, { "data-tone": isSolved(done) ? "right" : undefined });
    callout.replaceChildren(...feedback(question, done));
    set(callout, { hidden: tried.length === 0 || refusal.value !== "", "data-tone": isSolved(done) ? "right" : ends ? "told" : undefined });
    attempts.replaceChildren(...tried.map(({ answer, isRight }) => h("li", { class: "mw-num" }, `${readable(question, answer)} `, mark(isRight))));
    set(attempts, { hidden: tried.length === 0 });
    set(teacher.element, { hidden: tried.length === 0 });
    teacher.show(done);
    if (ends) root.dispatchEvent(new Event("mw-over", { bubbles: true })); // a lesson's page shows what follows
  });

  /** What the field shows after "Show the answer": the right option or code; for a number, the last attempt. */
  function theAnswer(done: readonly Step[]): string {
    const fmt = formatOf(question.rule);
    const right = target(question.rule);
    if (question.kind === "bits" && fmt && right) return fmt.toHex(encode(fmt, right));
    if (question.kind === "choice") return question.options.find(({ answer }) => verdictOf(question, answer).isRight)?.answer ?? "";
    return attemptsOf(done).at(-1)?.answer ?? "";
  }

  return view.close;
}

/** The feedback after these steps, in paragraphs. */
function feedback(question: Question, steps: readonly Step[]): HTMLElement[] {
  const last = attemptsOf(steps).at(-1);
  if (!last) return [];
  const reading = isOver(steps) && !isSolved(steps) ? "" : readingOf(question, last.answer);
  const read = reading === "" ? [] : [paragraph([{ text: reading, strong: false }])];
  if (isOver(steps)) {
    const example = question.example === "" || isSolved(steps) ? [] : [paragraph(pieces("exercise.example", { example: question.example }))];
    return [...read, opened(isSolved(steps) ? "exercise.right" : "exercise.the_answer", question.explanation), ...example];
  }
  const hint = isHintTold(steps) && !last.isHint ? [opened("exercise.the_hint", question.hint)] : [];
  return [...read, opened("exercise.not_yet", last.says), ...hint];
}

/** A paragraph with a text of the question after the page's own words, such as "Not yet.". */
function opened(key: MessageKey, text: string): HTMLElement {
  return paragraph(marked(sentences([t(key), text])));
}

function paragraph(words: readonly Piece[]): HTMLElement {
  return h("p", {}, ...emphasised(words));
}

/** A sign and a word, so that colour is not the only difference. */
function mark(isRight: boolean): HTMLElement {
  return h("span", { class: "mw-exercise-mark", "data-tone": isRight ? "right" : undefined },
    h("span", { "aria-hidden": "true" }, isRight ? "✓" : "✗"),
    h("span", { class: "mw-hidden" }, t(isRight ? "exercise.is_right" : "exercise.is_wrong")));
}

/** The report, which unfolds, and a button to copy it. */
function forTeacher(question: Question): { element: HTMLElement; show(steps: readonly Step[]): void } {
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

/** The field of a prediction: a line of text, a few options, or the bits of a code. */
interface AnswerField {
  readonly element: HTMLElement;
  /** The answer as a record has it; "" if the field is empty. */
  read(): string;
  /** Show an answer; "" clears the field. */
  show(answer: string): void;
  /** Whether the answer may be changed. */
  allow(isOpen: boolean): void;
  focus(): void;
  /** Mark the field as wrong, described by the element of this id; "" removes the mark. */
  refuse(errorId: string): void;
}

function answerField(view: View, question: Question): AnswerField {
  const fmt = formatOf(question.rule);
  if (question.kind === "choice") return optionsField(question.options);
  return question.kind === "bits" && fmt ? bitsField(view, fmt) : textField(question.rule);
}

function textField(rule: Rule): AnswerField {
  const id = uniqueId("prediction");
  const tolerance = rule.within === undefined ? "" : t("exercise.within", { share: cut(multiply(signed(readNumber(rule.within)), rational(100n)), DIGITS) });
  const note = h("p", { id: uniqueId("note"), class: "mw-note" }, sentences([t(formatOf(rule) ? "exercise.how_or_code" : "exercise.how"), tolerance]));
  const input = h("input", {
    id, type: "text", class: "mw-exercise-line", maxlength: LONGEST_ANSWER, autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": note.id,
  });
  return {
    element: h("div", { class: "mw-stack-tight" }, h("label", { for: id, class: "mw-muted" }, t("exercise.prediction")), input, note),
    read: () => input.value.trim(),
    show: (answer) => {
      input.value = answer;
    },
    allow: (isOpen) => set(input, { readonly: !isOpen }),
    focus: () => input.focus(),
    refuse: (errorId) => set(input, { "aria-invalid": errorId !== "" && "true", "aria-describedby": `${errorId} ${note.id}`.trim() }),
  };
}

function optionsField(options: Question["options"]): AnswerField {
  const name = uniqueId("options");
  const inputs = options.map(({ answer }) => h("input", { type: "radio", name, value: answer }));
  const rows = options.map(({ text }, i) => h("label", {}, inputs[i]!, h("span", {}, ...emphasised(marked(text)))));
  const element = h("fieldset", { class: "mw-exercise-options" }, h("legend", { class: "mw-muted" }, t("exercise.prediction")), ...rows);
  const checked = () => inputs.find((input) => input.checked);
  return {
    element,
    read: () => checked()?.value ?? "",
    show: (answer) => {
      for (const input of inputs) input.checked = input.value === answer;
    },
    allow: (isOpen) => {
      for (const input of inputs) set(input, { disabled: !isOpen });
    },
    focus: () => (checked() ?? inputs[0])?.focus(),
    refuse: (errorId) => set(element, { "aria-describedby": errorId || undefined }),
  };
}

function bitsField(view: View, fmt: FloatFormat): AnswerField {
  const last = (1n << BigInt(fmt.bits)) - 1n;
  const coded = signal({ fmt, code: 0n });
  let before = 0n; // the code at the start of a stroke
  let isOpen = true;
  const edit = (change: (code: bigint) => bigint) => {
    if (isOpen) coded.value = { fmt, code: change(coded.value.code) & last };
  };
  const grid = bitGrid(view, coded, {
    edit,
    step: (direction) => edit((code) => code + BigInt(direction) + last + 1n),
    stroke: {
      start: () => {
        before = coded.value.code;
      },
      paint: edit,
      cancel: () => edit(() => before),
    },
  });
  // Enter in a field of the grid sets a number there; it must not submit the form.
  grid.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
  });
  return {
    element: h("div", { class: "mw-stack-tight" }, h("p", { class: "mw-muted" }, t("exercise.prediction")), grid),
    read: () => fmt.toHex(coded.value.code),
    show: (answer) => {
      coded.value = { fmt, code: answer === "" ? 0n : fmt.toCode(answer) };
    },
    allow: (wanted) => {
      isOpen = wanted;
      set(grid, { "aria-readonly": !isOpen && "true" });
    },
    focus: () => grid.querySelector<HTMLElement>("[role=switch][tabindex='0']")?.focus(),
    refuse: () => {}, // every code is an answer
  };
}

/** The state in an address, if it is one of this question. */
function accept(wanted: Pick<Traits, "exercise" | "_record">, get: (name: string) => unknown): typeof wanted | null {
  const question = get("_question") as Question;
  return wanted.exercise === question.id && readRecord(question, wanted._record) ? wanted : null;
}

export default { render, accept };
