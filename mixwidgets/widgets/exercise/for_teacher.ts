// The text for a teacher: folded away, to read and to copy.

import { h, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { copy } from "#widgets/bit_editor/copies.ts";
import type { Question } from "./question.ts";
import type { Step } from "./record.ts";
import { report } from "./report.ts";

export function forTeacher(question: Question): { element: HTMLElement; show(steps: readonly Step[]): void } {
  const text = h("pre", { class: "mw-exercise-report", tabindex: 0, role: "region", "aria-label": t("exercise.teacher") });
  const button = h("button", { type: "button" }, t("exercise.copy"));
  const done = h("span", { class: "mw-note", role: "status" });
  button.addEventListener("click", async () => {
    setText(done, t((await copy(text.textContent, text)) ? "exercise.copied" : "bits.selected"));
  });
  const element = h(
    "details",
    { class: "mw-exercise-teacher" },
    h("summary", {}, t("exercise.teacher")),
    text,
    h("div", { class: "mw-row" }, button, done),
  );
  const show = (steps: readonly Step[]) => {
    setText(text, report(question, steps));
    setText(done, "");
  };
  return { element, show };
}
