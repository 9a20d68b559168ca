// Messages to the kernel: that a page shows the widget, and requests with their answers.

import type { AnyModel } from "@anywidget/types";

const PATIENCE_MS = 4000;
const FURTHER_HELLOS_MS = [700, 2000, 5000];

/** What the kernel says to a request; "no_kernel" is the word of a saved page. */
interface Answer {
  kind: "done" | "refused" | "hello" | "no_kernel";
  request?: string;
  message?: string;
}

/** `Kind`: the names of what can be asked. */
interface Told<Kind extends string> {
  /** A request has been sent, or one is answered or slow: which kinds wait now. */
  waiting(kinds: ReadonlySet<Kind>): void;
  /** It has waited long: a busy and a dead kernel look alike from here. */
  slow(kind: Kind): void;
  /** What the kernel says against it; "" where it had nothing against one that was slow. */
  refused(message: string, kind: Kind): void;
  /** This is a saved page, which has none. */
  absent(): void;
}

export interface KernelLink<Kind extends string> {
  /** Send a request; an earlier one of the same kind is waited for no more. */
  ask(kind: Kind, fields?: object): void;
  close(): void;
}

type Messages = Pick<AnyModel, "send" | "on" | "off">;

/** Send, also from a page that outlived its kernel: JupyterLab then throws. A missing answer says all there is to say. */
function send(model: Messages, message: object): void {
  try {
    model.send(message);
  } catch (error) {
    console.warn("mixwidgets: not sent,", error);
  }
}

/** Tell the kernel that a page shows the widget, so that it goes on following what is shown. Returns the farewell. */
export function greet(model: Messages): () => void {
  const view = Math.random().toString(36).slice(2);
  // The kernel answers a hello on the loop that it came by, and receives the next message there too. JupyterLab
  // gives widgets a loop of their own, which no running cell blocks, but only some time after the first one.
  const hello = () => send(model, { kind: "hello", view });
  const hellos = FURTHER_HELLOS_MS.map((delay) => setTimeout(hello, delay));
  const stop = () => hellos.forEach(clearTimeout);
  const answered = (answer: Answer) => answer?.kind === "no_kernel" && stop();
  model.on("msg:custom", answered);
  hello();
  return () => {
    stop();
    model.off("msg:custom", answered);
    send(model, { kind: "bye", view }); // what no page shows need not be followed
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
