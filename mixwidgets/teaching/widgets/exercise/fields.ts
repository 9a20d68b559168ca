// The field of a prediction: a line to type in, a few options, or the bits of a code.

import { signal } from "@preact/signals-core";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { bitGrid } from "#ui/bit_grid/bit_grid.ts";
import { h, set, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { View } from "#ui/view.ts";
import { strong } from "./words.ts";
import type { Question } from "./question.ts";
import { LONGEST_ANSWER } from "./record.ts";
import { formatOf } from "./rule.ts";

interface AnswerField {
  readonly element: HTMLElement;
  /** The answer as a record keeps it; "" where none was given. */
  read(): string;
  /** Show an answer; "" clears the field. */
  show(answer: string): void;
  /** Whether it may be changed. */
  allow(isOpen: boolean): void;
  focus(): void;
  /** Mark the field as wrong, described by this error; "" takes the mark away. */
  refuse(errorId: string): void;
}

export function answerField(view: View, question: Question): AnswerField {
  const fmt = formatOf(question.rule);
  if (question.kind === "choice") return choice(question.options);
  return question.kind === "bits" && fmt ? bits(view, fmt) : line(fmt !== undefined);
}

function line(hasFormat: boolean): AnswerField {
  const id = uniqueId("prediction");
  const note = h("p", { id: uniqueId("note"), class: "mw-note" }, t(hasFormat ? "exercise.how_or_code" : "exercise.how"));
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

function choice(options: Question["options"]): AnswerField {
  const name = uniqueId("options");
  const inputs = options.map(({ answer }) => h("input", { type: "radio", name, value: answer }));
  const rows = options.map(({ text }, i) => h("label", {}, inputs[i]!, h("span", {}, ...strong(text))));
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

function bits(view: View, fmt: FloatFormat): AnswerField {
  const last = (1n << BigInt(fmt.bits)) - 1n;
  const coded = signal({ fmt, code: 0n });
  let before = 0n; // the current stroke
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
  // A field of the grid takes its number by Enter; that is no answer yet.
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
