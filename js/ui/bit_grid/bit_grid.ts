// The bits as a grid of switches with one tab stop: a row for each field. They are flipped one by one, or painted: every bit
// that a drag crosses gets the new state of the first.

import type { ReadonlySignal } from "@preact/signals-core";
import { fields, isFinite } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { wholeIn } from "#core/formats/parse.ts";
import { twoTo, withMinus } from "#ui/digits.ts";
import { h, set, setText } from "#ui/dom.ts";
import { bareField } from "#ui/fields.ts";
import { hasModifier, oneStop } from "#ui/keys.ts";
import { t } from "#ui/messages.ts";
import type { View } from "#ui/view.ts";

type FieldName = "sign" | "exponent" | "fraction";

interface Field {
  readonly name: FieldName;
  readonly letter: string;
  readonly width: number;
  /** Position of the field's lowest bit in the code. */
  readonly low: number;
}

type Change = (code: bigint) => bigint;

interface Actions {
  /** Change the code: "now" where a number was typed, "soon" where more may follow. */
  edit(change: Change, when: "now" | "soon"): void;
  step(direction: 1 | -1): void;
  stroke: Omit<Stroke, "paint"> & { paint(change: Change): void };
}

/** A format and one of its codes. */
export interface Coded {
  readonly fmt: FloatFormat;
  readonly code: bigint;
}

export function bitGrid(view: View, coded: ReadonlySignal<Coded>, { edit, step, stroke }: Actions): HTMLElement {
  const element = h("div", { role: "grid", "aria-label": t("grid.title"), class: "mw-bits" });
  let shown: FloatFormat | null = null;
  let buttons: HTMLButtonElement[] = []; // by their bit's position in the code
  let labels: { of: Field; number: HTMLElement; entry: ReturnType<typeof numberField> | null }[] = [];
  const stop = oneStop(element, () => [buttons.toReversed()]);
  const positionOf = (target: EventTarget | null) => buttons.findIndex((b) => target instanceof Node && b.contains(target));
  const isOn = (position: number) => ((coded.value.code >> BigInt(position)) & 1n) === 1n;
  const flipped = (position: number): Change => (code) => code ^ (1n << BigInt(position));
  const isOfStroke = paintByDrag(element, positionOf, isOn, { ...stroke, paint: (position) => stroke.paint(flipped(position)) });
  element.addEventListener("click", (event) => {
    const position = positionOf(event.target);
    if (!isOfStroke(event) && position >= 0) edit(flipped(position), "soon"); // by key, or by a screen reader
  });
  element.addEventListener("keydown", (event) => {
    if (hasModifier(event) || positionOf(event.target) < 0) return;
    if (event.key === "ArrowUp") step(1);
    if (event.key === "ArrowDown") step(-1);
  });

  const build = (fmt: FloatFormat) => {
    const fromEnd = buttons.findIndex(({ tabIndex }) => tabIndex === 0) - buttons.length; // the tab stop, from the highest bit
    buttons = new Array<HTMLButtonElement>(fmt.bits);
    labels = [];
    const rows = fieldsOf(fmt).map((field) => {
      const number = h("span", { class: "mw-num" });
      number.style.minWidth = `calc(${longestRest(fmt, field)}ch + 2px)`; // so that the bits do not move when it changes
      const entry = field.name === "sign" ? null : numberField(field.name, field, edit);
      labels.push({ of: field, number, entry });
      const name = h("span", {}, h("b", {}, field.letter), ` ${t(`grid.${field.name}`)}`);
      const head = h(
        "div",
        { role: "rowheader", class: "mw-bit-field-head" },
        name,
        entry && h("span", { class: "mw-bit-field-number" }, entry.element, number),
      );
      const cells = h("div", { role: "none", class: "mw-bit-field-bits" });
      for (let position = field.low + field.width - 1; position >= field.low; position -= 1) {
        // A group has the bits of one hex digit of the code.
        if (!cells.lastElementChild || position % 4 === 3) cells.append(h("div", { role: "none", class: "mw-bit-nibble" }));
        const button = h(
          "button",
          { type: "button", role: "switch", class: "mw-bit" },
          h("span", { class: "mw-bit-digit" }),
          h("span", { class: "mw-bit-weight" }, weightOf(field, position)),
        );
        buttons[position] = button;
        cells.lastElementChild!.append(h("span", { role: "gridcell" }, button));
      }
      return h("div", { role: "row", class: `mw-bit-field mw-entry mw-bit-${field.name}` }, head, cells, entry?.error);
    });
    const focused = element.matches(":focus-within");
    element.replaceChildren(...rows);
    element.dataset.width = fmt.bits > 32 ? "64" : fmt.bits > 16 ? "32" : "16"; // sets the size of the cells and the room around them
    const next = buttons.at(Math.max(fromEnd, -buttons.length))!;
    stop(next);
    if (focused) next.focus(); // as when an edit of another format is undone
    shown = fmt;
  };

  view.effect(() => {
    const { fmt, code } = coded.value;
    if (fmt !== shown) build(fmt);
    const read = fields(fmt, code);
    for (const { of, number, entry } of labels) {
      entry?.show(String(of.name === "exponent" ? read.biasedExponent : read.fraction));
      setText(number, restOf(fmt, of, read.biasedExponent, isFinite(fmt, code)));
    }
    for (const { of } of labels) {
      for (let position = of.low; position < of.low + of.width; position += 1) {
        const on = isOn(position);
        const button = buttons[position]!;
        if (button.getAttribute("aria-checked") === String(on)) continue;
        set(button, { "aria-checked": String(on), "aria-label": nameOf(of, position, on) });
        setText(button.firstElementChild!, on ? "1" : "0");
      }
    }
  });
  return element;
}

function fieldsOf(fmt: FloatFormat): readonly Field[] {
  const all: readonly Field[] = [
    { name: "sign", letter: "S", width: Number(fmt.signed), low: fmt.bits - 1 },
    { name: "exponent", letter: "E", width: fmt.exponentBits, low: fmt.fractionBits },
    { name: "fraction", letter: "F", width: fmt.fractionBits, low: 0 },
  ];
  return all.filter(({ width }) => width > 0);
}

/** A field's bits as one decimal integer. */
function numberField(name: Exclude<FieldName, "sign">, { width, low }: Field, edit: Actions["edit"]) {
  const last = (1n << BigInt(width)) - 1n;
  const digits = String(last).length;
  const field = bareField({ inputmode: "numeric", "aria-label": t(`grid.${name}_number`), class: "mw-bit-number", maxlength: 99 }, (text) => {
    const value = wholeIn(text, 0n, last);
    if (value === null) return t("grid.field_range", { last: String(last), came: text.trim().slice(0, 24) });
    edit((code) => (code & ~(last << BigInt(low))) | (value << BigInt(low)), "now");
    return "";
  });
  field.element.style.width = `calc(${digits}ch + 14px)`;
  return field;
}

/** The text after a field's number: the exponent that it encodes, or the unit of the fraction. */
function restOf(fmt: FloatFormat, { name }: Field, biasedExponent: number, finite: boolean): string {
  if (name === "fraction") return `/ ${1n << BigInt(fmt.fractionBits)}`;
  if (!finite) return fmt.nan === "ieee" ? t("grid.all_ones") : t("grid.reserved");
  const value = fmt.exponentOf(biasedExponent);
  const lifted = value + fmt.bias === biasedExponent ? "" : `→ ${value + fmt.bias} `;
  return withMinus(`${lifted}- ${fmt.bias} = ${value}`);
}

function longestRest(fmt: FloatFormat, field: Field): number {
  if (field.name === "sign") return 0;
  const texts = [0, 1, 2 ** fmt.exponentBits - 1].map((exponent) => restOf(fmt, field, exponent, true));
  const reserved = fmt.infCode === null && fmt.nanCode === null ? [] : [restOf(fmt, field, 0, false)];
  return Math.max(...[...texts, ...reserved].map((text) => text.length));
}

/** The place value under a bit. */
function weightOf({ name, low, width }: Field, position: number): string {
  if (name === "sign") return "±";
  if (name === "exponent") return String(2 ** (position - low));
  const power = position - width;
  return { [-1]: "½", [-2]: "¼", [-3]: "⅛" }[power] ?? twoTo(power);
}

function nameOf({ name, low, width }: Field, position: number, on: boolean): string {
  const state = t(on ? "grid.on" : "grid.off");
  if (name === "sign") return t("grid.sign_bit", { state });
  const weight = name === "exponent" ? String(2 ** (position - low)) : withMinus(`2^${position - width}`);
  return t(`grid.${name}_bit`, { number: low + width - position, width, weight, state });
}

const STRIDE = 10; // pixels between the points that are tested, less than the narrowest cell

/** A stroke of the pointer: all its `paint`s are one edit. */
export interface Stroke {
  start(): void;
  /** Flip the state of a cell. */
  paint(cell: number): void;
  /** Revert the stroke, for example because the finger scrolls. */
  cancel(): void;
}

/** Paint the cells in `element`. `cellOf`: the number of the cell that contains a node, negative if there is none. Returns a
 * test of whether a click was already handled as a stroke. */
export function paintByDrag(
  element: HTMLElement, cellOf: (node: EventTarget | null) => number, isOn: (cell: number) => boolean, { start, paint, cancel }: Stroke,
): (click: MouseEvent) => boolean {
  let stroke: { on: boolean; x: number; y: number; pointer: number; ends: AbortController } | null = null;
  let painted = false;

  const paintTo = (x: number, y: number) => {
    if (!stroke) return;
    const root = element.getRootNode() as Document | ShadowRoot;
    const steps = Math.max(1, Math.ceil(Math.hypot(x - stroke.x, y - stroke.y) / STRIDE));
    for (let i = 1; i <= steps; i += 1) {
      const at = (from: number, to: number) => from + ((to - from) * i) / steps;
      const cell = cellOf(root.elementFromPoint(at(stroke.x, x), at(stroke.y, y)));
      if (cell >= 0 && isOn(cell) !== stroke.on) paint(cell);
    }
    Object.assign(stroke, { x, y });
  };
  const end = (event: PointerEvent) => {
    if (event.pointerId !== stroke?.pointer) return;
    stroke.ends.abort();
    stroke = null;
    if (event.type === "pointercancel") cancel();
    // No click follows if it is released elsewhere or cancelled.
    if (event.type === "pointercancel" || !event.composedPath().includes(element)) painted = false;
  };
  element.addEventListener("pointerdown", (event) => {
    const cell = cellOf(event.target);
    if (cell < 0 || event.button !== 0 || stroke) return;
    const ends = new AbortController();
    stroke = { on: !isOn(cell), x: event.clientX, y: event.clientY, pointer: event.pointerId, ends };
    painted = true;
    start();
    paint(cell);
    const move = (moved: PointerEvent) => {
      if (moved.pointerId === stroke?.pointer) paintTo(moved.clientX, moved.clientY);
    };
    // On the window, because a captured pointer would take the focus from the cell under it.
    window.addEventListener("pointermove", move, { signal: ends.signal });
    window.addEventListener("pointerup", end, { signal: ends.signal, capture: true });
    window.addEventListener("pointercancel", end, { signal: ends.signal, capture: true });
  });
  return ({ detail }) => {
    // A click by key has detail 0. Safari sends no click after a stroke that changed the cell.
    const was = painted && detail > 0;
    painted = false;
    return was;
  };
}
