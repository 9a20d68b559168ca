// The number under edit as a signal: changed at once, saved when a burst of edits is over; and what an edit makes of a number.

import { batch, type ReadonlySignal, signal } from "@preact/signals-core";
import { getFormat } from "#core/formats/catalogue.ts";
import { nextDown, nextUp, toDecimal } from "#core/formats/decode.ts";
import { encode, OVERFLOWS, ROUNDINGS, type Overflow, type Rounding } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { readOr, toExact } from "#core/formats/parse.ts";
import type { Rounded, Target } from "#ui/number_line/marks.ts";
import type { View } from "#ui/view.ts";

/** The synced traits. `_input` is what was last typed or assigned; it is ignored where it does not round to the code. */
export interface State {
  format: string;
  code: string;
  _input: string;
  rounding: string;
  overflow: string;
  /** A frame with the first codes of a tensor; empty without one. */
  _elements?: DataView;
}

/** A number, and how the next value is rounded to its format. */
export type EditedNumber = Rounded;

const QUIET_MS = 150; // after the last of a burst of clicks
const DEPTH = 500; // edits that can be taken back

export function editable(view: View<State>) {
  const { model } = view;
  const traits = (["format", "code", "_input", "rounding", "overflow"] as const).map((name) => view.trait(name));
  const number = signal(read(model) ?? typed({ fmt: getFormat("float16")!, code: 0n, input: "", rounding: ROUNDINGS[0], overflow: OVERFLOWS[0] }, "1"));
  let saved = number.value; // what the kernel had when this burst of edits began
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  function write(): void {
    const { fmt, code, input: _input, rounding, overflow } = number.peek();
    const how = Object.entries({ rounding, overflow }).filter(([name]) => model.get(name as keyof State) !== undefined); // not every widget has them
    view.set({ format: fmt.name, code: fmt.toHex(code), _input, ...Object.fromEntries(how) });
  }

  /** Save what is not saved yet. */
  function flush(): void {
    if (timer !== undefined) model.save_changes();
    forget();
  }

  function forget(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function settle(): void {
    const arrived = isClosed ? null : read(model);
    if (!arrived || sameNumber(arrived, number.peek())) return;
    if (timer !== undefined && sameNumber(arrived, saved)) return write(); // the kernel's echo of what was saved before
    forget();
    number.value = arrived;
  }

  view.effect(() => {
    traits.forEach((trait) => trait.value);
    queueMicrotask(settle); // a link in the page sets one trait after the other
  });
  view.onClose(() => {
    isClosed = true;
    flush();
  });
  return {
    /** The number as it is now: edited here, in another view or in the kernel. */
    number: number as ReadonlySignal<EditedNumber>,
    /** Take an edit, and save it now, or soon, once no other has followed. */
    edit(next: EditedNumber, when: "now" | "soon"): void {
      if (sameNumber(next, number.peek())) return;
      if (timer === undefined) saved = number.peek();
      clearTimeout(timer);
      batch(() => {
        number.value = next;
        write();
      });
      timer = setTimeout(flush, QUIET_MS);
      if (when === "now") flush();
    },
    flush,
  };
}

/** What the model holds, or null while its traits do not fit each other. */
export function read(model: { get(name: keyof State): unknown }): EditedNumber | null {
  const fmt = getFormat(model.get("format"));
  const text: unknown = model.get("code");
  const rounding = oneOf(ROUNDINGS, model.get("rounding"));
  const overflow = oneOf(OVERFLOWS, model.get("overflow"));
  if (!fmt || typeof text !== "string" || !rounding || !overflow) return null;
  const code = readOr(() => fmt.toCode(text), null);
  if (code === null || fmt.toHex(code) !== text) return null; // the width of another format
  const number = { fmt, code, input: "", rounding, overflow };
  return { ...number, input: inputOf(number, model.get("_input")) };
}

/** The traits of a state from an address, the code at its format's width; null where they do not fit each other. */
export function accept(wanted: State): State | null {
  const fmt = getFormat(wanted.format);
  if (!fmt) return null;
  const traits = { ...wanted, code: fmt.toHex(BigInt(wanted.code)) };
  const number = read({ get: (name) => traits[name] });
  return number?.input === traits._input ? traits : null;
}

/** A name of the list, the first where a model has no such trait; undefined for any other value. */
function oneOf<T>(names: readonly T[], name: unknown): T | undefined {
  return names.find((known) => known === (name ?? names[0]));
}

/** The input if it rounds to the code, else none. */
function inputOf(number: EditedNumber, input: unknown): string {
  return readOr(() => (typeof input === "string" && encode(number.fmt, toExact(input), number) === number.code ? input : ""), "");
}

/** Undo and redo of whole values, so that what was changed together goes back together. */
export function editHistory<T>() {
  const past: T[] = [];
  let future: T[] = [];
  const move = (from: T[], to: T[], now: T) => {
    const next = from.pop();
    if (next) to.push(now);
    return next;
  };
  return {
    get canUndo() {
      return past.length > 0;
    },
    get canRedo() {
      return future.length > 0;
    },
    /** Remember the value as it was before an edit. What was undone can no longer be redone. */
    record(before: T) {
      past.push(before);
      if (past.length > DEPTH) past.shift();
      future = [];
    },
    /** The value before the last edit; undefined where there is none. `now` is kept for redo. */
    undo: (now: T) => move(past, future, now),
    redo: (now: T) => move(future, past, now),
  };
}

export function sameNumber(a: EditedNumber, b: EditedNumber): boolean {
  return (["fmt", "code", "input", "rounding", "overflow"] as const).every((name) => a[name] === b[name]);
}

/** What is rounded to another format: the last exact input, else the value of the bits. */
export function exactInput({ fmt, code, input }: EditedNumber): string {
  return input !== "" && toExact(input).kind !== "pattern" ? input : toDecimal(fmt, code);
}

/** The number in another format: the last exact input, rounded to it. Throws InputError where it has no such value. */
export function inFormat(number: EditedNumber, fmt: FloatFormat): EditedNumber {
  return typed({ ...number, fmt }, exactInput(number));
}

/** The number rounded in another way: from the last exact input; edited bits stay as they are. */
export function roundedBy(number: EditedNumber, how: { rounding?: Rounding; overflow?: Overflow }): EditedNumber {
  const next = { ...number, ...how };
  return number.input === "" ? next : typed(next, number.input);
}

/** The same format with the value of a text, which is kept as it was read: without commas. Throws InputError. */
export function typed(number: EditedNumber, text: string): EditedNumber {
  const exact = toExact(text);
  const input = (exact.kind !== "pattern" && exact.readAs) || text.trim();
  return { ...number, code: encode(number.fmt, exact, number), input };
}

/** The number moved along a line; as it is where the format has no such value. */
export function movedTo(number: EditedNumber, target: Target): EditedNumber {
  if ("code" in target) return withCode(number, target.code);
  return readOr(() => typed(number, target.text), number); // as below zero, in an unsigned format
}

/** The next number of the format, up or down. */
export function stepped(number: EditedNumber, direction: 1 | -1): EditedNumber {
  const next = direction > 0 ? nextUp : nextDown;
  return withCode(number, next(number.fmt, number.code));
}

/** The same format with other bits. */
export function withCode(number: EditedNumber, code: bigint): EditedNumber {
  return { ...number, code, input: "" };
}
