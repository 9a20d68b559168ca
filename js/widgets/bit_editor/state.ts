// The number under edit, between the model and its views: painted at once, saved when the hand rests.

import type { AnyModel } from "@anywidget/types";
import { getFormat } from "../../formats/catalogue.ts";
import { toDecimal } from "../../formats/decode.ts";
import { encode } from "../../formats/encode.ts";
import type { FloatFormat } from "../../formats/float_format.ts";
import { InputError, toExact } from "../../formats/parse.ts";

/** The synced traits. `_input` is what was last typed or assigned, and empty once bits were edited. */
export interface State {
  format: string;
  code: string;
  _input: string;
}

export interface EditedNumber {
  readonly fmt: FloatFormat;
  readonly code: bigint;
  readonly input: string;
}

const QUIET_MS = 150; // after the last of a burst of clicks

export interface NumberLink {
  readonly number: EditedNumber;
  /** Take an edit: paint it, and tell the kernel now, or once the hand rests. */
  edit(next: EditedNumber, when: "now" | "soon"): void;
  /** Tell the kernel what it has not heard of yet. */
  flush(): void;
  close(): void;
}

/** `paint` is called for every change, made here, in another view or in the kernel. */
export function numberLink(model: AnyModel<State>, paint: (number: EditedNumber) => void): NumberLink {
  const one = getFormat("float16")!;
  let current = read(model) ?? { fmt: one, code: encode(one, "1"), input: "" };
  let saved = current; // what the kernel had when this burst of edits began
  let timer: ReturnType<typeof setTimeout> | undefined;
  let settling = false;
  let closed = false;

  const write = () => {
    model.set("format", current.fmt.name);
    model.set("code", current.fmt.toHex(current.code));
    model.set("_input", current.input);
  };
  const flush = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    model.save_changes();
  };
  const settle = () => {
    settling = false;
    const arrived = read(model);
    if (closed || !arrived || same(arrived, current)) return;
    if (timer !== undefined && same(arrived, saved)) {
      write(); // the kernel's echo of what was saved before: this view is ahead of it
      return;
    }
    clearTimeout(timer);
    timer = undefined;
    current = arrived;
    paint(current);
  };
  // The traits change one after the other: look once they all have.
  const changed = () => {
    if (!settling) queueMicrotask(settle);
    settling = true;
  };
  const events = ["change:format", "change:code", "change:_input"] as const;
  for (const event of events) model.on(event, changed);

  return {
    get number() {
      return current;
    },
    edit(next, when) {
      if (same(next, current)) return;
      if (timer === undefined) saved = current;
      clearTimeout(timer);
      current = next;
      write();
      paint(current);
      timer = setTimeout(flush, QUIET_MS);
      if (when === "now") flush();
    },
    flush,
    close() {
      closed = true;
      flush();
      for (const event of events) model.off(event, changed);
    },
  };
}

/** What the model holds, or null while its traits do not fit each other. */
export function read(model: Pick<AnyModel<State>, "get">): EditedNumber | null {
  const fmt = getFormat(model.get("format"));
  const text: unknown = model.get("code");
  if (!fmt || typeof text !== "string") return null;
  try {
    const code = fmt.toCode(text);
    if (fmt.toHex(code) !== text) return null; // the width of another format
    return { fmt, code, input: roundsTo(fmt, model.get("_input"), code) };
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

/** The input if it rounds to the code, else none: it would say nothing of these bits. */
function roundsTo(fmt: FloatFormat, input: unknown, code: bigint): string {
  try {
    return typeof input === "string" && encode(fmt, input) === code ? input : "";
  } catch (error) {
    if (error instanceof InputError) return "";
    throw error;
  }
}

function same(a: EditedNumber, b: EditedNumber): boolean {
  return a.fmt === b.fmt && a.code === b.code && a.input === b.input;
}

/** The number in another format: the last exact input rounded anew. */
export function inFormat({ fmt, code, input }: EditedNumber, next: FloatFormat): EditedNumber {
  const typed = input !== "" && toExact(input).kind !== "pattern";
  const text = typed ? input : toDecimal(fmt, code);
  return { fmt: next, code: encode(next, text), input: text };
}

/** The same format with other bits. */
export function withCode({ fmt }: EditedNumber, code: bigint): EditedNumber {
  return { fmt, code, input: "" };
}
