// A run's gradients in a LossScaleExplorer under the lab; where the host shows no widget in a widget, the line of
// Python that opens it.

import { h, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { panel, type Panel } from "./panel.ts";

/** What ipywidgets' manager offers, beyond what anywidget's types tell. */
export interface ViewManager {
  get_model(id: string): Promise<unknown>;
  create_view(model: unknown): Promise<{ el: HTMLElement; remove(): void }>;
}

export interface GradientsPanel extends Pick<Panel, "element" | "expect"> {
  /** `reference` names the explorer of the run; null where none can be shown. */
  show(run: { path: string; name: string } | undefined, reference: string | null): void;
  remove(): void;
}

export const managerOf = (model: { widget_manager?: unknown }): ViewManager | undefined => {
  const manager = model.widget_manager as Partial<ViewManager> | undefined;
  return typeof manager?.create_view === "function" && typeof manager.get_model === "function" ? (manager as ViewManager) : undefined;
};

export function gradientsPanel(manager: ViewManager | undefined, close: () => void): GradientsPanel {
  const { element, body, title, expect } = panel(close);
  const why = h("p", { class: "mw-note", id: uniqueId("why") }, t("lab.gradients_by_hand"));
  const line = h("code", { class: "mw-num mw-python", tabindex: 0, role: "group", "aria-labelledby": why.id });
  const byHand = h("div", { class: "mw-stack-tight" }, why, line);
  let shown: string | null = null;
  let view: { remove(): void } | undefined;

  const clear = () => {
    view?.remove();
    view = undefined;
    body.replaceChildren();
  };

  const open = async (reference: string) => {
    try {
      const model = await manager!.get_model(reference.replace(/^IPY_MODEL_/, ""));
      if (shown !== reference) return;
      const made = await manager!.create_view(model);
      if (shown !== reference) return made.remove();
      view = made;
      body.replaceChildren(made.el);
    } catch {
      if (shown === reference) body.replaceChildren(byHand); // the kernel that had it is gone
    }
  };

  const show: GradientsPanel["show"] = (run, reference) => {
    title(run && t("lab.gradients_of", { name: run.name }));
    setText(line, run ? `mw.LossScaleExplorer(mw.open_run(${JSON.stringify(run.path)}))` : "");
    const wanted = run ? (manager && reference) || "" : null;
    if (wanted === shown) return;
    clear();
    shown = wanted;
    if (wanted) void open(wanted);
    else if (run) body.replaceChildren(byHand);
  };
  const remove = () => {
    shown = null; // what is still on its way comes too late
    clear();
  };
  return { element, expect, show, remove };
}
