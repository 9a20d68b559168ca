// The snapshots that the kernel has sent: those that the trait had when the page got it, and those told since.

import type { AnyModel } from "@anywidget/types";
import { History, readSnapshots } from "#core/gradients/snapshots.ts";
import type { State } from "./state.ts";

export interface Received {
  readonly history: History;
  close(): void;
}

interface Actions {
  /** Other gradients, in place of all before. */
  replaced(): void;
  /** Some came, or were let go. */
  changed(): void;
  unreadable(fault: unknown): void;
}

/** Reads the trait at once, without a word; `actions` tell of what comes later. */
export function received(model: AnyModel<State>, { replaced, changed, unreadable }: Actions): Received {
  const history = new History();

  function load(): void {
    try {
      const found = readSnapshots(model.get("_snapshots"));
      history.keep([]);
      history.take(found);
    } catch (fault) {
      unreadable(fault);
    }
  }

  function reload(): void {
    load();
    replaced();
  }

  function hear(message: { kind?: string; steps?: number[] }, buffers: DataView[]): void {
    if (message.kind !== "snapshots") return;
    history.take(buffers.flatMap(readSnapshots));
    history.keep(message.steps ?? []);
    changed();
  }

  model.on("change:_snapshots", reload);
  model.on("msg:custom", hear);
  load();
  const newest = history.at(0)?.step ?? 0;
  if (newest !== model.get("_newest")) model.send({ kind: "snapshots", after: newest || -1 }); // came before this view

  return {
    history,
    close() {
      model.off("change:_snapshots", reload);
      model.off("msg:custom", hear);
    },
  };
}
