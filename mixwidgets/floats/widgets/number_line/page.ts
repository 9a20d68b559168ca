// NumberLine: a number between its neighbours, on a line that zooms through every scale.

import type { RenderProps } from "@anywidget/types";
import { computed, type ReadonlySignal } from "@preact/signals-core";
import { formats, getFormat } from "#core/formats/catalogue.ts";
import { toDecimal } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { announcer } from "#ui/announcer.ts";
import { button } from "#ui/buttons.ts";
import { card } from "#ui/card.ts";
import { labelled, menuOf } from "#ui/choices.ts";
import { h, set, setText, uniqueId } from "#ui/dom.ts";
import { attempt, textField } from "#ui/fields.ts";
import { t } from "#ui/messages.ts";
import { addHandle, lineBoard } from "#ui/number_line/board.ts";
import { marksOf, targetOf, type Mark, type Target } from "#ui/number_line/marks.ts";
import { addQuestions, answeredByTraits } from "#ui/questions/questions.ts";
import { keysNote } from "#ui/term.ts";
import { keepHeight, viewOf, type View } from "#ui/view.ts";
import {
  accept, editable, exactInput, inFormat, movedTo, stepped, typed, type EditedNumber, type State as NumberState,
} from "#mixwidgets/floats/widgets/bit_editor/state.ts";
import { showSentence } from "#mixwidgets/floats/widgets/bit_editor/words.ts";
import { comparison, LAYOUT } from "./comparison.ts";
import steps from "./stage.json";

export interface State extends NumberState {
  /** Names of the formats in the rows below. */
  formats: string[];
}

function render({ model, el }: RenderProps<State>): () => void {
  const view = viewOf(model);
  const { root, head } = card(view, el, "mw-number-line", t("line.title"));
  const { number, edit } = editable(view as View);
  const names = view.trait("formats");

  const select = menuOf(formats.map((fmt) => fmt.name), (name) => {
    const error = attempt(() => edit(inFormat(number.value, getFormat(name)!), "now"));
    select.value = number.value.fmt.name;
    setText(wrong, error);
  });
  const value = textField(t("common.value"), (text) => attempt(() => edit(typed(number.value, text), "now")));
  const wrong = h("span", { class: "mw-error", id: uniqueId("error"), role: "alert" });
  head.append(h("div", { class: "mw-row" }, labelled(t("line.format"), select, wrong), value.element));
  const callout = h("p", { class: "mw-callout" });
  const announce = announcer(view);

  const marks = computed(() => marksOf(number.value));
  const fmt = computed(() => number.value.fmt);
  const board = lineBoard(view, {
    fmt, marks,
    step: (direction) => edit(stepped(number.value, direction), "soon"),
    looked: () => announce.say(svg.getAttribute("aria-label")!),
  });
  const { row } = board;
  const others = computed(() => othersOf(names.value, fmt.value));
  const svg = comparison(view, { row, marks, others, text: computed(() => exactInput(number.value)) });
  board.element.append(svg);

  view.effect(() => {
    select.value = number.value.fmt.name;
    setText(wrong, "");
    value.show(number.value.input || toDecimal(number.value.fmt, number.value.code));
  });
  showSentence(callout, number.value);
  view.onChange(number, () => announce.say(showSentence(callout, number.value)));

  const take = (target: Target) => edit(movedTo(number.value, target), "soon");
  let before = number.value; // a drag of the dot
  addHandle(view, board, number, LAYOUT.axis, { grab: () => (before = number.value), take, back: () => edit(before, "soon") });

  root.append(
    callout, decision(view, number, marks, take), board.element,
    h("div", { class: "mw-row" },
      button(t("line.zoom_out_sign"), () => board.zoom(4), { "aria-label": t("line.zoom_out") }),
      button(t("line.zoom_in_sign"), () => board.zoom(-4), { "aria-label": t("line.zoom_in") }),
      button(t("line.left_sign"), () => board.pan(-1 / 4), { "aria-label": t("line.left") }),
      button(t("line.right_sign"), () => board.pan(1 / 4), { "aria-label": t("line.right") }),
      button(t("line.fit"), board.fit),
      button(t("line.whole"), board.whole),
      keysNote("line.keys")),
    announce.element,
  );
  keepHeight(view, callout, fmt);
  addQuestions(view, root, answeredByTraits(view, steps));
  return view.close;
}

/** The formats of the rows: the known ones of `names`, without the line's own. */
function othersOf(names: unknown, fmt: FloatFormat): FloatFormat[] {
  const known = Array.isArray(names) ? names.map((name) => getFormat(name)) : [];
  return [...new Set(known)].filter((other): other is FloatFormat => other !== undefined && other !== fmt);
}

/** The decision as three cells: the neighbour below, the midpoint, the neighbour above, and which was taken. A click on a
 * cell sets the number to its value. */
function decision(view: View, number: ReadonlySignal<EditedNumber>, marks: ReadonlySignal<readonly Mark[]>, take: (target: Target) => void): HTMLElement {
  const isRounded = () => marks.value.some(({ role }) => role === "midpoint");
  const shown = computed(() => marks.value.filter(({ role }) => role !== "input" || !isRounded()));
  const cells = [0, 1, 2].map((i) => {
    const [name, taken, value, note] = [h("span"), h("b"), h("span", { class: "mw-num" }), h("span", { class: "mw-nl-parity" })];
    const button = h("button", { type: "button", class: "mw-nl-cell", title: t("line.take") },
      h("span", { class: "mw-nl-cell-name" }, name, taken), value, note);
    const cell = h("li", {}, button);
    button.addEventListener("click", () => {
      take(targetOf(shown.value[i]!));
      cells.find(({ dataset }) => dataset.taken)?.querySelector("button")!.focus();
    });
    view.effect(() => {
      const mark = shown.value[i];
      cell.hidden = !mark;
      if (!mark) return;
      set(cell, { "data-taken": mark.taken ? "true" : undefined });
      setText(name, mark.role === "input" ? t("line.this") : t(`line.${mark.role as "below" | "midpoint" | "above"}`));
      setText(taken, mark.taken && isRounded() ? t("line.taken") : "");
      setText(value, mark.label);
      setText(note, noteOf(number.value, mark));
    });
    return cell;
  });
  return h("ul", { class: "mw-nl-decision" }, ...cells);
}

function noteOf({ fmt, rounding }: EditedNumber, { role, code, even, beyond }: Mark): string {
  if (role === "midpoint") return t(rounding?.startsWith("ties") === false ? "line.turns_not" : "line.turns");
  if (code === null) return t("line.no_code");
  const parity = even === null ? fmt.toHex(code) : t(even ? "line.even" : "line.odd", { code: fmt.toHex(code) });
  return beyond ? `${parity} · ${t("line.overflows")}` : parity;
}

export default { render, accept };
