// Messages to the kernel: a page shows the widget or no longer does, and requests with their answers.

import type { AnyModel } from "@anywidget/types";
import { batch, signal } from "@preact/signals-core";
import { type MessageKey, t } from "./messages.ts";

const PATIENCE_MS = 4000;
const FURTHER_HELLOS_MS = [700, 2000, 5000];

/** The kernel's answer to a request; "no_kernel" is a saved page's. */
interface Answer {
  kind: "done" | "refused" | "hello" | "no_kernel";
  request?: string;
  message?: string;
}

/** The text about the last request; "" for none. An error is the kernel's reason for refusing it. */
interface Said<Kind extends string> {
  readonly text: string;
  readonly kind?: Kind;
  readonly isError?: boolean;
}

type Messages = Pick<AnyModel, "send" | "on" | "off">;

/** Send a message. JupyterLab throws if the kernel is gone; the missing answer is then reported as slow. */
function send(model: Messages, message: object): void {
  try {
    model.send(message);
  } catch (error) {
    console.warn("mixwidgets: not sent,", error);
  }
}

/** Tell the kernel that a page shows the widget, so that it follows what is shown. Returns a function that ends this. */
export function greet(model: Messages): () => void {
  const view = Math.random().toString(36).slice(2);
  // The kernel answers on the event loop by which a message came, and receives the next one there. JupyterLab gives
  // widgets an event loop of their own, which no running cell blocks, but only after a while: so say hello again.
  const hello = () => send(model, { kind: "hello", view });
  const hellos = FURTHER_HELLOS_MS.map((delay) => setTimeout(hello, delay));
  const stop = () => hellos.forEach(clearTimeout);
  const answered = (answer: Answer) => answer?.kind === "no_kernel" && stop();
  model.on("msg:custom", answered);
  hello();
  return () => {
    stop();
    model.off("msg:custom", answered);
    send(model, { kind: "bye", view }); // the kernel need not follow what no page shows
  };
}

/** `Kind`: the names of the requests. `slow`: the text while a request has no answer. The kernel is busy or dead, and the page
 * cannot know which. */
export function kernelLink<Kind extends string>(
  { model, onClose }: { model: Messages; onClose(end: () => void): void }, slow: Readonly<Record<Kind, MessageKey>>,
) {
  const open = new Map<Kind, { request: string; timer: ReturnType<typeof setTimeout> }>();
  const [waiting, said] = [signal<ReadonlySet<Kind>>(new Set()), signal<Said<Kind>>({ text: "" })];
  const hasKernel = signal(true); // false in a saved page
  const without = (kind: Kind) => new Set([...waiting.value].filter((other) => other !== kind));

  /** Send a request. The answer to an earlier one of the same kind is ignored. */
  const ask = (kind: Kind, fields: object = {}) => {
    const request = Math.random().toString(36).slice(2);
    clearTimeout(open.get(kind)?.timer);
    const timer = setTimeout(() => batch(() => {
      waiting.value = without(kind); // the user may try again
      said.value = { kind, text: t(slow[kind]) };
    }), PATIENCE_MS);
    open.set(kind, { request, timer });
    batch(() => {
      waiting.value = without(kind).add(kind);
      said.value = { text: "" };
    });
    send(model, { kind, request, ...fields });
  };
  const forget = () => {
    for (const { timer } of open.values()) clearTimeout(timer);
    open.clear();
  };
  const answered = (answer: Answer) => {
    if (answer?.kind === "no_kernel") {
      forget();
      hasKernel.value = false;
    }
    const [kind, asked] = [...open].find(([, { request }]) => request === answer?.request) ?? [];
    if (!kind || !asked) return;
    clearTimeout(asked.timer);
    open.delete(kind);
    batch(() => {
      if (answer.kind === "refused") said.value = { kind, text: String(answer.message ?? ""), isError: true };
      else if (!waiting.value.has(kind)) said.value = { text: "" }; // it was slow
      waiting.value = without(kind);
    });
  };
  model.on("msg:custom", answered);
  onClose(greet(model));
  onClose(() => {
    forget();
    model.off("msg:custom", answered);
  });
  return { ask, waiting, said, hasKernel };
}
