// Requests to the kernel and their answers, with a word when none comes.

import type { AnyModel } from "@anywidget/types";
import type { Answer, State } from "./state.ts";

const PATIENCE_MS = 4000;

/**
 * `ask` sends a request; `changed` is told whether one is waiting for its answer, `slow` when it has waited
 * long (a busy or a dead kernel look alike from here), `refused` what the kernel says against it.
 */
export function kernelLink(
  model: AnyModel<State>,
  tell: { waiting: (kind: string | null) => void; slow: (kind: string) => void; refused: (kind: string, message: string) => void },
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
    if (!open || answer?.request !== open.request) return;
    const { kind } = open;
    settle();
    if (answer.kind === "refused") tell.refused(kind, String(answer.message ?? ""));
  };
  model.on("msg:custom", answered);
  model.send({ kind: "hello" });

  const close = () => {
    if (open) clearTimeout(open.timer);
    model.off("msg:custom", answered);
  };
  return { ask, close };
}
