// Requests to the kernel and their answers, with a word when none comes.

import type { AnyModel } from "@anywidget/types";
import type { Answer, State } from "./state.ts";

const PATIENCE_MS = 4000;
const SECOND_HELLO_MS = 700;

/**
 * `ask` sends a request; `changed` is told whether one is waiting for its answer, `slow` when it has waited
 * long (a busy or a dead kernel look alike from here), `refused` what the kernel says against it, and `absent` that
 * this is a saved page, which has none.
 */
export function kernelLink(
  model: AnyModel<State>,
  tell: { waiting: (kind: string | null) => void; slow: (kind: string) => void; refused: (kind: string, message: string) => void; absent: () => void },
): { ask: (kind: string, fields: object) => void; close: () => void } {
  let open: { kind: string; request: string; timer: ReturnType<typeof setTimeout> } | null = null;

  const settle = () => {
    if (open) clearTimeout(open.timer);
    open = null;
    tell.waiting(null);
  };
  const ask = (kind: string, fields: object) => {
    const request = Math.random().toString(36).slice(2);
    if (open) clearTimeout(open.timer);
    const timer = setTimeout(() => {
      tell.waiting(null); // the user may try again
      tell.slow(kind);
    }, PATIENCE_MS);
    open = { kind, request, timer };
    tell.waiting(kind);
    model.send({ kind, request, ...fields });
  };
  const answered = (answer: Answer) => {
    if (answer?.kind === "no_kernel") tell.absent();
    if (!open || answer?.request !== open.request) return;
    const { kind } = open;
    settle();
    if (answer.kind === "refused") tell.refused(kind, String(answer.message ?? ""));
  };
  model.on("msg:custom", answered);

  // The kernel answers a hello on the loop that it came by, and hears the next message there too. JupyterLab
  // gives widgets a loop of their own, which no running cell blocks, but only shortly after the first one.
  const hello = () => model.send({ kind: "hello" });
  hello();
  const secondHello = setTimeout(hello, SECOND_HELLO_MS);

  const close = () => {
    clearTimeout(secondHello);
    if (open) clearTimeout(open.timer);
    model.off("msg:custom", answered);
  };
  return { ask, close };
}
