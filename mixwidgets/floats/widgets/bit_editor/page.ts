// BitEditor: flip, type or step. Everything is computed here; the kernel is told when a burst of edits is over. From top to
// bottom: the format, a tensor's elements (elements.ts), the answer and the fields, the bits, their formula and a sentence
// about them, the number line, the buttons (controls.ts), and two tables that unfold (tables.ts).

import type { RenderProps } from "@anywidget/types";
import { computed, type ReadonlySignal } from "@preact/signals-core";
import { formats, getFormat } from "#core/formats/catalogue.ts";
import { classify, fields, isFinite, shortest, toDecimal } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { announcer } from "#ui/announcer.ts";
import { bitGrid } from "#ui/bit_grid/bit_grid.ts";
import { card } from "#ui/card.ts";
import { chipsAndMore } from "#ui/choices.ts";
import { cut, figure, twoTo, withMinus } from "#ui/digits.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { attempt, textField } from "#ui/fields.ts";
import { listed, t } from "#ui/messages.ts";
import { addHandle, lineBoard } from "#ui/number_line/board.ts";
import { drawMarks, drawRow, LINE } from "#ui/number_line/drawing.ts";
import { labelOf, marksAndFar } from "#ui/number_line/marks.ts";
import { endsOf } from "#ui/number_line/viewport.ts";
import { raised } from "#ui/powers.ts";
import { addQuestions, answeredByTraits } from "#ui/questions/questions.ts";
import { explained } from "#ui/term.ts";
import { keepHeight, viewOf, type View } from "#ui/view.ts";
import { controls } from "./controls.ts";
import { elementsOf, elementStepper } from "./elements.ts";
import { accept, editable, editHistory, inFormat, movedTo, sameNumber, stepped, typed, withCode, type EditedNumber, type State } from "./state.ts";
import { everyFormat, moreReadouts } from "./tables.ts";
import { classLine, integerForm, showSentence } from "./words.ts";
import steps from "./stage.json";

const USUAL = ["float64", "float32", "bfloat16", "float16", "float8_e4m3fn"]; // formats that have a chip
const EASY_TEXT = 24; // characters of an exact value that the field shows before it prefers the shortest
const ONE_LINE = 64; // digits; more are folded away
// The number line, in pixels from its top
const LAYOUT = { midpoint: 12, input: 30, axis: 54, tick: 7, labels: 80 };
const HEIGHT = LAYOUT.labels + LINE + 4;
const SHARES = { midpoint: 0.15, exact: 0.22 }; // room for the values beyond the neighbours

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
  const written = formula(view, number);
  const elements = elementsOf(model);
  const announce = announcer(view);
  const stroke = { start: () => history.record(number.value), cancel: () => back("undo") };
  root.append(
    elements ? elementStepper(elements, number, soon) : "",
    h("div", { class: "mw-bit-top" },
      answer.figure,
      h("div", { class: "mw-bit-fields mw-row" }, value.element, code.element),
      answer.details),
    bitGrid(view, number, {
      edit: (change, when) => apply(changed(change), when),
      step,
      stroke: { ...stroke, paint: (change) => edit(changed(change), "soon") },
    }),
    written,
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

  const fmt = computed(() => number.value.fmt);
  for (const part of [...answer.lines, written, callout]) keepHeight(view, part, fmt);
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

/** The choice of a format, and the error where one was refused: `choose` returns it, or an empty text. */
function formatChoice(view: View<State>, number: ReadonlySignal<EditedNumber>, choose: (fmt: FloatFormat) => string): HTMLElement {
  const error = h("p", { class: "mw-error", role: "alert" });
  const choice = chipsAndMore(t("common.formats"), USUAL, formats.map(({ name }) => name), (name) => {
    const wrong = choose(getFormat(name)!);
    choice.show(number.value.fmt.name); // of a refused format, back to the current one
    setText(error, wrong);
  });
  view.effect(() => {
    setText(error, "");
    choice.show(number.value.fmt.name);
  });
  return h("div", {}, choice.element, error);
}

/** The answer: the value large; what it is, and every digit of it. */
function readout(view: View<State>, number: ReadonlySignal<EditedNumber>): { figure: HTMLElement; details: HTMLElement; lines: HTMLElement[] } {
  const large = h("div", { class: "mw-figure" });
  const kind = h("p", { class: "mw-muted mw-bit-kind" });
  const integer = h("span", { class: "mw-num" });
  const inline = h("span", { class: "mw-num" });
  const summary = h("summary", {});
  const all = h("p", { class: "mw-num mw-bit-all-digits", tabindex: 0, role: "group", "aria-label": t("bits.all_digits") });
  const folded = h("details", { class: "mw-bit-folded" }, summary, all);
  const exactly = h("div", { class: "mw-bit-exact" }, h("span", { class: "mw-muted" }, t("bits.exactly")), integer, inline, folded);

  let lastLine = "";
  view.effect(() => {
    const { fmt, code } = number.value;
    const { text } = figure(fmt, code);
    large.style.setProperty("--chars", String(Math.max([...text].length, 5)));
    setText(large, text);
    const line = classLine(fmt, code);
    if (line !== lastLine) kind.replaceChildren(...explained((lastLine = line))); // an open explanation stays open
    const finite = isFinite(fmt, code);
    exactly.classList.toggle("mw-bit-invisible", !finite); // its room stays
    const digits = withMinus(toDecimal(fmt, code));
    const long = finite && digits.length > ONE_LINE;
    folded.hidden = !long;
    if (!finite) return;
    const { significand, power } = integerForm(fmt, code);
    integer.replaceChildren(...raised(`${significand} × ${twoTo(power)}`));
    setText(inline, long ? "" : `=\u00a0${digits}`);
    if (!long) return;
    setText(summary, t("bits.digits", { count: digits.replace(/^[−0.]+/, "").replace(".", "").length }));
    setText(all, digits);
  });
  return { figure: h("div", { class: "mw-bit-figure" }, large), details: h("div", {}, kind, exactly), lines: [kind, exactly] };
}

/** What the value field holds: the last input, else the value, in a form that reads back to the same bits. */
function fieldText({ fmt, code, input }: EditedNumber): string {
  if (input !== "") return input;
  const all = toDecimal(fmt, code);
  return isFinite(fmt, code) && all.length > EASY_TEXT ? shortest(fmt, code) : all;
}

/** (−1)^S × 2^E × (1 + F) with this code's numbers, each part with the letter and colour of its field. */
function formula(view: View<State>, number: ReadonlySignal<EditedNumber>): HTMLElement {
  const element = h("p", { class: "mw-bit-formula mw-num", role: "math" });
  view.effect(() => {
    const parts = partsOf(number.value.fmt, number.value.code);
    const label = h("span", {}, ...parts.flatMap(({ text }) => [" ", ...raised(text)])).textContent.trim();
    set(element, { "aria-label": label });
    element.replaceChildren(
      ...parts.map(({ text, field }) =>
        h("span", { class: field ? `mw-bit-term mw-bit-${field}` : "mw-bit-term" },
          h("span", {}, ...raised(text)),
          h("span", { class: "mw-bit-letter" }, field ? { sign: "S", exponent: "E", fraction: "F" }[field] : "")),
      ),
    );
  });
  return element;
}

interface Part {
  readonly text: string;
  readonly field?: "sign" | "exponent" | "fraction";
}

function partsOf(fmt: FloatFormat, code: bigint): readonly Part[] {
  const { sign, biasedExponent, fraction } = fields(fmt, code);
  const { text, isExact } = figure(fmt, code);
  const times: Part = { text: "×" };
  const signParts: Part[] = fmt.signed ? [{ text: sign ? "(−1)" : "(+1)", field: "sign" }, times] : [];
  const kind = classify(fmt, code);
  if (kind === "infinity" && fmt.infinity === "ieee") return [...signParts, { text: "∞" }, { text: "=" }, { text }];
  if (kind === "nan" && fmt.nan === "ieee") {
    return [
      { text: t("bits.formula_ones"), field: "exponent" },
      { text: t("bits.formula_and") },
      { text: `${fraction} ≠ 0`, field: "fraction" },
      { text: "=" },
      { text },
    ];
  }
  if (!isFinite(fmt, code)) return [{ text: fmt.toHex(code) }, { text: "=" }, { text }];
  const lead = fmt.hasZero && biasedExponent === 0 ? 0 : 1;
  const unit = 1n << BigInt(fmt.fractionBits);
  const significand: Part[] = fmt.fractionBits ? [times, { text: `(${lead} + ${fraction}/${unit})`, field: "fraction" }] : [];
  if (!fmt.fractionBits && lead === 0) significand.push(times, { text: "0" });
  return [
    ...signParts,
    { text: twoTo(fmt.exponentOf(biasedExponent)), field: "exponent" },
    ...significand,
    { text: isExact ? "=" : "≈" },
    { text },
  ];
}

interface LineActions {
  edit(next: EditedNumber): void;
  /** A drag: its paints are one edit. */
  stroke: { start(): void; paint(next: EditedNumber): void; cancel(): void };
  say(words: string): void;
}

/** The number among its neighbours, drawn to scale. */
function numberLine(view: View<State>, number: ReadonlySignal<EditedNumber>, { edit, stroke, say }: LineActions): HTMLElement {
  const marks = computed(() => marksAndFar(number.value));
  const fmt = computed(() => number.value.fmt);
  const board = lineBoard(view, {
    fmt, marks, shares: SHARES,
    step: (direction) => edit(stepped(number.value, direction)),
    looked() {
      const [from, to] = endsOf(row.value.view);
      say(t("bits.line_part", { from: cut(from, 17), to: cut(to, 17) }));
    },
  });
  const { row } = board;
  const [values, marked] = [s("g"), s("g")];
  const svg = s("svg", { class: "mw-nl", role: "img" }, values, marked);
  board.element.append(svg);
  view.effect(() => {
    set(svg, { viewBox: `0 0 ${row.value.view.width} ${HEIGHT}`, height: HEIGHT });
    values.replaceChildren(...drawRow(row.value, LAYOUT));
  });
  view.effect(() => {
    const labels = listed(marks.value.map(labelOf));
    set(svg, { "aria-label": labels ? t("bits.line", { marks: labels }) : t("bits.line_nan") });
    marked.replaceChildren(...drawMarks(marks.value, row.value.view, LAYOUT));
  });
  addHandle(view, board, number, LAYOUT.axis, {
    grab: stroke.start,
    take: (target, isDrag) => (isDrag ? stroke.paint : edit)(movedTo(number.value, target)),
    back: stroke.cancel,
  });
  return h("div", { class: "mw-bit-line" }, board.element);
}

export default { render, accept };
