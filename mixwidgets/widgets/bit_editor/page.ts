// BitEditor: flip, type or step. Everything is computed here; the kernel is told when a burst of edits is over.

import type { RenderProps } from "@anywidget/types";
import { isFinite, shortest, toDecimal } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { announcer } from "#ui/announcer.ts";
import { attempt } from "#ui/attempt.ts";
import { card } from "#ui/card.ts";
import { emphasised, h } from "#ui/dom.ts";
import { pieces, t } from "#ui/messages.ts";
import { bitGrid } from "./bits.ts";
import { controls } from "./controls.ts";
import { figure } from "#ui/digits.ts";
import { elementsOf, elementWalk } from "./elements.ts";
import { textField } from "#ui/fields.ts";
import { formatChoice } from "./format_choice.ts";
import { editHistory } from "#ui/edit_history.ts";
import { numberLine } from "./number_line.ts";
import { formula, readout } from "./readout.ts";
import { accept, inFormat, numberLink, sameNumber, stepped, typed, withCode, type EditedNumber, type State } from "./state.ts";
import { everyFormat, moreReadouts } from "./tables.ts";
import { classLine, sentence } from "./words.ts";

const LONGEST_TEXT = 20_000; // characters that a field takes; what is too long to read is an error, not a cut
const EASY_TEXT = 24; // characters of an exact value that the field shows before it prefers the shortest

function render({ model, el }: RenderProps<State>): () => void {
  const { root, head } = card(el, t("bits.title"));
  root.classList.add("mw-bit-editor");

  const history = editHistory<EditedNumber>();
  const become = (next: EditedNumber, when: "now" | "soon") => {
    if (sameNumber(next, link.number)) return;
    history.record(link.number);
    link.edit(next, when);
  };
  const back = (to: (now: EditedNumber) => EditedNumber | undefined) => {
    const next = to(link.number);
    if (next) link.edit(next, "soon");
  };
  const flip = (position: number) => withCode(link.number, link.number.code ^ (1n << BigInt(position)));
  const step = (direction: 1 | -1) => become(stepped(link.number, direction), "soon");

  const toFormat = (fmt: FloatFormat) => attempt(() => become(inFormat(link.number, fmt), "now"));
  const choice = formatChoice(toFormat);
  head.append(choice.element);
  const answer = readout();
  const value = textField(t("common.value"), LONGEST_TEXT, (text) => attempt(() => become(typed(link.number, text), "now")));
  const code = textField(t("common.code"), LONGEST_TEXT, (text) =>
    attempt(() => become(withCode(link.number, link.number.fmt.toCode(text)), "now")),
  );
  const bits = bitGrid({
    flip: (position) => become(flip(position), "soon"),
    step,
    setField: (low, width, field) => {
      const mask = ((1n << BigInt(width)) - 1n) << BigInt(low);
      const rest = link.number.code & ~mask;
      become(withCode(link.number, rest | (field << BigInt(low))), "now");
    },
    stroke: {
      start: () => history.record(link.number),
      paint: (position) => link.edit(flip(position), "soon"),
      cancel: () => back(history.undo),
    },
  });
  const terms = formula();
  const callout = h("p", { class: "mw-callout" });
  const line = numberLine();
  const row = controls({
    number: () => link.number,
    step,
    undo: () => back(history.undo),
    redo: () => back(history.redo),
    reset: () => become(first, "now"),
    become: (next) => become(next, "now"),
  });
  const readouts = moreReadouts();
  const everywhere = everyFormat(toFormat);
  const elements = elementsOf(model);
  const walk = elements && elementWalk(elements, () => link.number, (next) => become(next, "soon"));
  const spoken = announcer();

  root.append(
    ...(walk ? [walk] : []),
    h(
      "div",
      { class: "mw-bit-top" },
      answer.figure,
      h("div", { class: "mw-bit-fields" }, h("div", { class: "mw-row" }, value.element, code.element), value.error, code.error),
      answer.details,
    ),
    bits.element,
    terms.element,
    callout,
    line.element,
    row.element,
    h("div", {}, readouts.element, everywhere.element),
    spoken.element,
  );

  const paint = (number: EditedNumber) => {
    const { fmt } = number;
    root.dataset.width = fmt.bits > 32 ? "64" : fmt.bits > 16 ? "32" : "16"; // sizes cells and reserves room
    choice.show(fmt);
    answer.show(fmt, number.code);
    value.show(fieldText(number));
    code.show(fmt.toHex(number.code));
    bits.show(fmt, number.code);
    terms.show(fmt, number.code);
    const { key, args, tone } = sentence(number);
    callout.dataset.tone = tone;
    callout.replaceChildren(...emphasised(pieces(key, args)));
    line.show(number);
    readouts.show(number);
    everywhere.show(number);
    row.show(number, { undo: history.canUndo, redo: history.canRedo, reset: !sameNumber(number, first) });
  };
  const link = numberLink(model, (number) => {
    paint(number);
    spoken.say(`${figure(number.fmt, number.code).text} · ${classLine(number.fmt, number.code)}`);
  });
  const first = link.number;
  paint(first);

  const listening = new AbortController();
  const { signal } = listening;
  root.addEventListener("focusout", (event) => {
    if (!(event.relatedTarget instanceof Node && root.contains(event.relatedTarget))) link.flush();
  }, { signal });
  root.addEventListener("keydown", (event) => {
    const to = event.altKey || !(event.ctrlKey || event.metaKey) ? undefined : backKey(event);
    if (!to) return;
    event.preventDefault();
    event.stopPropagation(); // the notebook would undo one of its own edits
    back(history[to]);
  }, { signal });
  document.addEventListener("visibilitychange", link.flush, { signal });
  window.addEventListener("pagehide", link.flush, { signal });
  return () => {
    spoken.close();
    listening.abort();
    line.close();
    link.close();
    root.remove();
  };
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
