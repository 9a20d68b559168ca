// What can be done with the runs that are selected: compare them, open the gradients of one.

import { action } from "#ui/buttons.ts";
import { h, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { isAlive, type Row } from "./state.ts";

export interface Selection {
  readonly element: HTMLElement;
  readonly compare: HTMLButtonElement;
  readonly open: HTMLButtonElement;
  /** `refusal` is why nothing can be asked of the kernel; "" where it can. */
  show(selected: readonly Row[], refusal: string, openNeedsKernel: boolean): void;
}

export function selection(on: { compare: (ids: string[]) => void; open: (id: string) => void }): Selection {
  let over: Row[] = [];
  let one: Row | undefined;
  const compare = action(t("lab.compare"), () => on.compare(over.map((row) => row.id)));
  const open = action(t("lab.open_gradients"), () => one && on.open(one.id));
  const note = h("p", { class: "mw-note", id: uniqueId("selection") }, t("lab.selection_note"));
  const element = h("div", { class: "mw-stack-tight" }, h("div", { class: "mw-row" }, compare.element, open.element), note);

  const show: Selection["show"] = (selected, refusal, openNeedsKernel) => {
    over = selected.filter((row) => !isAlive(row));
    one = selected.length === 1 ? selected[0] : undefined;
    compare.allow(over.length < 2 ? t("lab.compare_needs") : refusal);
    open.allow(!one ? t("lab.open_needs_one") : !one.gradients ? t("lab.open_needs_snapshot") : openNeedsKernel ? refusal : "");
  };
  return { element, compare: compare.element, open: open.element, show };
}
