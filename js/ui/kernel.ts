// Messages to the kernel: a page shows the widget or no longer does, and requests with their answers.

import type { AnyModel } from "@anywidget/types";

const PATIENCE_MS = 4000;
const FURTHER_HELLOS_MS = [700, 2000, 5000];

/** The kernel's answer to a request; "no_kernel" is a saved page's. */
interface Answer {
  kind: "done" | "refused" | "hello" | "no_kernel";
  request?: string;
  message?: string;
}

/** Callbacks of requests. `Kind`: the names of the requests. */
interface Told<Kind extends string> {
  /** The set of waiting requests has changed. */
  waiting(kinds: ReadonlySet<Kind>): void;
  /** A request has no answer yet: the kernel is busy or dead, which the page cannot tell apart. */
  slow(kind: Kind): void;
  /** The kernel's reason for refusing a request; "" if it accepted one that was slow. */
  refused(message: string, kind: Kind): void;
  /** This is a saved page, without a kernel. */
  absent(): void;
}

export interface KernelLink<Kind extends string> {
  /** Send a request. The answer to an earlier one of the same kind is ignored. */
  ask(kind: Kind, fields?: object): void;
  close(): void;
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

export function kernelLink<Kind extends string>(model: Messages, tell: Told<Kind>): KernelLink<Kind> {
  const open = new Map<Kind, { request: string; timer: ReturnType<typeof setTimeout> }>();
  const waiting = new Set<Kind>();

  const ask = (kind: Kind, fields: object = {}) => {
    const request = Math.random().toString(36).slice(2);
    clearTimeout(open.get(kind)?.timer);
    const timer = setTimeout(() => {
      waiting.delete(kind); // the user may try again
      tell.waiting(waiting);
      tell.slow(kind);
    }, PATIENCE_MS);
    open.set(kind, { request, timer });
    waiting.add(kind);
    tell.waiting(waiting);
    send(model, { kind, request, ...fields });
  };
  const forget = () => {
    for (const { timer } of open.values()) clearTimeout(timer);
    open.clear();
    waiting.clear();
  };
  const answered = (answer: Answer) => {
    if (answer?.kind === "no_kernel") {
      forget();
      return tell.absent();
    }
    const [kind, asked] = [...open].find(([, { request }]) => request === answer?.request) ?? [];
    if (!kind || !asked) return;
    clearTimeout(asked.timer);
    open.delete(kind);
    const isLate = !waiting.delete(kind);
    tell.waiting(waiting);
    if (answer.kind === "refused") tell.refused(String(answer.message ?? ""), kind);
    else if (isLate) tell.refused("", kind);
  };
  model.on("msg:custom", answered);
  const sayGoodbye = greet(model);
  const close = () => {
    forget();
    model.off("msg:custom", answered);
    sayGoodbye();
  };
  return { ask, close };
}
