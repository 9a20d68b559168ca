// BitEditor: flip, type or step. Everything is computed here; the kernel is told when a burst of edits is over.

import type { RenderProps } from "@anywidget/types";
import { isFinite, shortest, toDecimal } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { announcer } from "#ui/announcer.ts";
import { attempt } from "#ui/attempt.ts";
import { bitGrid } from "#ui/bit_grid/bit_grid.ts";
import { card } from "#ui/card.ts";
import { h } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { addQuestions, answeredByTraits } from "#ui/stage_sequence.ts";
import { viewOf } from "#ui/view.ts";
import { controls } from "./controls.ts";
import { figure } from "#ui/digits.ts";
import { elementsOf, elementStepper } from "./elements.ts";
import { textField } from "#ui/fields.ts";
import { formatChoice } from "./format_choice.ts";
import { editHistory } from "./edit_history.ts";
import { numberLine } from "./number_line.ts";
import { formula, readout } from "./readout.ts";
import { accept, editable, inFormat, sameNumber, stepped, typed, withCode, type EditedNumber, type State } from "./state.ts";
import { everyFormat, moreReadouts } from "./tables.ts";
import { classLine, showSentence } from "./words.ts";
import steps from "./stage.json";

const EASY_TEXT = 24; // characters of an exact value that the field shows before it prefers the shortest

function render({ model, el }: RenderProps<State>): () => void {
  const view = viewOf(model);
  const { root, head } = card(view, el, "mw-bit-editor", t("bits.title"));

  const history = editHistory<EditedNumber>();
  const { number, edit, flush } = editable(view);
  const first = number.value;
  const apply = (next: EditedNumber, when: "now" | "soon") => {
    if (sameNumber(next, number.value)) return;
    history.record(number.value);
    edit(next, when);
  };
  const soon = (next: EditedNumber) => apply(next, "soon");
  const now = (next: EditedNumber) => apply(next, "now");
  const back = (to: "undo" | "redo") => {
    const next = history[to](number.value);
    if (next) edit(next, "soon");
  };
  const changed = (change: (code: bigint) => bigint) => withCode(number.value, change(number.value.code));
  const step = (direction: 1 | -1) => soon(stepped(number.value, direction));
  const toFormat = (fmt: FloatFormat) => attempt(() => now(inFormat(number.value, fmt)));

  head.append(formatChoice(view, number, toFormat));
  const answer = readout(view, number);
  const value = textField(t("common.value"), (text) => attempt(() => now(typed(number.value, text))));
  const code = textField(t("common.code"), (text) => attempt(() => now(withCode(number.value, number.value.fmt.toCode(text)))));
  const callout = h("p", { class: "mw-callout" });
  const elements = elementsOf(model);
  const announce = announcer(view);
  const stroke = { start: () => history.record(number.value), cancel: () => back("undo") };
  root.append(
    elements ? elementStepper(elements, number, soon) : "",
    h("div", { class: "mw-bit-top" },
      answer.figure,
      h("div", { class: "mw-bit-fields" }, h("div", { class: "mw-row" }, value.element, code.element), h("div", { class: "mw-error-line" }, value.error, code.error)),
      answer.details),
    bitGrid(view, number, {
      edit: (change, when) => apply(changed(change), when),
      step,
      stroke: { ...stroke, paint: (change) => edit(changed(change), "soon") },
    }),
    formula(view, number),
    callout,
    numberLine(view, number, { edit: soon, stroke: { ...stroke, paint: (next) => edit(next, "soon") }, say: announce.say }),
    controls(view, number, {
      step,
      undo: () => back("undo"),
      redo: () => back("redo"),
      reset: () => now(first),
      edit: now,
      able: () => ({ undo: history.canUndo, redo: history.canRedo, reset: !sameNumber(number.value, first) }),
    }),
    h("div", {}, moreReadouts(view, number), everyFormat(view, number, toFormat)),
    announce.element,
  );

  view.effect(() => {
    value.show(fieldText(number.value));
    code.show(number.value.fmt.toHex(number.value.code));
    showSentence(callout, number.value);
  });
  view.onChange(number, ({ fmt, code }) => announce.say(`${figure(fmt, code).text} · ${classLine(fmt, code)}`));

  addQuestions(view, root, answeredByTraits(view, steps));
  root.addEventListener("focusout", (event) => {
    if (!(event.relatedTarget instanceof Node && root.contains(event.relatedTarget))) flush();
  });
  root.addEventListener("keydown", (event) => {
    const to = event.altKey || !(event.ctrlKey || event.metaKey) ? undefined : backKey(event);
    if (!to) return;
    event.preventDefault();
    event.stopPropagation(); // the notebook would undo one of its own edits
    back(to);
  });
  const listening = new AbortController();
  const { signal } = listening;
  document.addEventListener("visibilitychange", flush, { signal });
  window.addEventListener("pagehide", flush, { signal });
  view.onClose(() => listening.abort());
  return view.close;
}

/** Ctrl+Z is undo, Ctrl+Shift+Z and Ctrl+Y are redo. */
function backKey({ key, shiftKey }: KeyboardEvent): "undo" | "redo" | undefined {
  if (key.toLowerCase() === "z") return shiftKey ? "redo" : "undo";
  return key.toLowerCase() === "y" ? "redo" : undefined;
}

/** What the value field holds: the last input, else the value, in a form that reads back to the same bits. */
function fieldText({ fmt, code, input }: EditedNumber): string {
  if (input !== "") return input;
  const all = toDecimal(fmt, code);
  return isFinite(fmt, code) && all.length > EASY_TEXT ? shortest(fmt, code) : all;
}

export default { render, accept };
