// A run's gradients in a LossScaleExplorer under the lab; where the host shows no widget in a widget, the line of
// Python that opens it.

import { signal } from "@preact/signals-core";
import { h, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import type { Lab } from "./lab.ts";
import { panel } from "./panel.ts";

/** What ipywidgets' manager offers, beyond what anywidget's types tell. */
interface ViewManager {
  get_model(id: string): Promise<unknown>;
  create_view(model: unknown): Promise<{ el: HTMLElement; remove(): void }>;
}

const managerOf = (model: { widget_manager?: unknown }): ViewManager | undefined => {
  const manager = model.widget_manager as Partial<ViewManager> | undefined;
  return typeof manager?.create_view === "function" && typeof manager.get_model === "function" ? (manager as ViewManager) : undefined;
};

export type GradientsPanel = ReturnType<typeof gradientsPanel>;

export function gradientsPanel({ view, names, drawn, hasKernel, ask }: Lab) {
  const manager = managerOf(view.model);
  const [explorer, explorerRun] = [view.trait("_explorer"), view.trait("_explorer_run")]; // a reference, and whose gradients it shows
  const byHand = signal<string | null>(null); // the run whose gradients the page offers without the kernel
  const { element, body, title, opener, expect } = panel(() => {
    byHand.value = null;
    if (manager && hasKernel.value) ask("gradients", { run: null });
    else view.send("_explorer", null);
  });
  const why = h("p", { class: "mw-note", id: uniqueId("why") }, t("lab.gradients_by_hand"));
  const line = h("code", { class: "mw-num mw-python", tabindex: 0, role: "group", "aria-labelledby": why.id });
  const python = h("div", { class: "mw-stack-tight" }, why, line);
  let shown: string | null = null; // a reference; "" for the line of Python
  let inside: { remove(): void } | undefined;

  const clear = () => {
    inside?.remove();
    inside = undefined;
    body.replaceChildren();
  };
  const put = async (reference: string) => {
    try {
      const model = await manager!.get_model(reference.replace(/^IPY_MODEL_/, ""));
      if (shown !== reference) return;
      const made = await manager!.create_view(model);
      if (shown !== reference) return made.remove();
      inside = made;
      body.replaceChildren(made.el);
    } catch {
      if (shown === reference) body.replaceChildren(python); // the kernel that had it is gone
    }
  };

  view.effect(() => {
    const run = byHand.value ?? (explorer.value ? explorerRun.value : null);
    title(run ? t("lab.gradients_of", { name: names.value.get(run) ?? run }) : undefined);
    setText(line, run ? `mw.LossScaleExplorer(mw.open_run(${JSON.stringify(`${view.model.get("_runs_dir")}/${run}`)}))` : "");
    const wanted = run ? (manager && explorer.value) || "" : null;
    if (wanted === shown) return;
    clear();
    shown = wanted;
    if (wanted) void put(wanted);
    else if (run) body.replaceChildren(python);
  });
  view.onClose(() => {
    shown = null; // what is still on its way comes too late
    clear();
  });
  return {
    element,
    opener,
    needsKernel: manager !== undefined,
    /** Ask for a run's gradients, by a button; of its newest step, if none is named. */
    open(by: HTMLElement, wanted: { run: string; step?: number }) {
      expect(by);
      if (manager) ask("gradients", wanted);
      else byHand.value = wanted.run;
    },
    /** Show those of another step; 0: the newest. */
    follow(step: number) {
      const run = explorerRun.value;
      if (explorer.value && drawn.value.some(({ row }) => row.id === run)) ask("gradients", { run, step });
    },
  };
}
