// The card around every widget.

import { h, uniqueId } from "./dom.ts";
import { keepKeys } from "./keys.ts";
import { t } from "./messages.ts";
import { stageButton } from "./stage.ts";
import { adoptStyle } from "./style.ts";
import type { View } from "./view.ts";

/** The root element of a widget, of the class `kind`, in `el` until the view closes. It keeps its keys from the notebook's
 * command mode, and declares its own language. */
export function card(view: View, el: HTMLElement, kind: string, title: string): { root: HTMLElement; head: HTMLElement } {
  const id = uniqueId("title");
  const head = h("div", { class: "mw-head" }, h("h3", { id }, title));
  const root = h("section", { class: `mw mw-stack ${kind}`, lang: t("common.lang"), "aria-labelledby": id });
  root.append(h("div", { class: "mw-card-top" }, head, stageButton(root)));
  keepKeys(root);
  adoptStyle(el);
  el.classList.add("mw-place"); // some hosts give it no width, or a colour
  el.append(root);
  view.onClose(() => root.remove());
  return { root, head };
}
