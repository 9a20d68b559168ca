// ModuleErrors: a row for each call of a module, its error beside what rounding explains, and the chosen tensor's values.

import type { RenderProps } from "@anywidget/types";
import { signal } from "@preact/signals-core";
import { readFrame, rowsOf, unpacked } from "#core/frame.ts";
import { card } from "#ui/card.ts";
import { emphasised, h } from "#ui/dom.ts";
import { pieces, t } from "#ui/messages.ts";
import { addQuestions } from "#ui/stage.ts";
import { viewOf } from "#ui/view.ts";
import { axisOf } from "./axis.ts";
import { errorKey, moduleList } from "./list.ts";
import { tensorPanel } from "./tensor_panel.ts";
import { type Row, type Told } from "./words.ts";

interface State {
  _rows: Told[];
  _tensors: DataView; // a frame: of each tensor its error and what rounding explains, and its summaries in the recipe's precision and in the reference's
  _format: string;
  _loss_scale: number;
}

function render({ model, el }: RenderProps<State>): () => void {
  const view = viewOf(model);
  const sent = readFrame(model.get("_tensors"));
  const [errors, summaries] = [rowsOf(sent.arrays.get("errors")!), unpacked(sent)];
  let at = -1;
  const rows: Row[] = model.get("_rows").map((told) => ({
    ...told,
    tensors: told.tensors.map((name) => {
      at++;
      const [error, explained] = errors[at]!;
      return { name, error: error!, explained: explained!, found: summaries[2 * at]!, reference: summaries[2 * at + 1]! };
    }),
  }));
  const first = rows.find(({ verdict }) => verdict !== "ok");
  const chosen = signal(first ?? rows[0]);

  const { root } = card(view, el, "mw-difference", t("difference.title"));
  const axis = axisOf(rows.flatMap(({ tensors: [worst] }) => (worst ? [worst.error, worst.explained] : [])));
  root.append(
    h("div", { class: "mw-callout mw-stack-tight" }, ...(first
      ? [h("p", {}, ...emphasised(pieces("difference.first", { module: first.module, direction: t(`difference.${first.direction}`) }))), h("p", {}, first.reason)]
      : [h("p", {}, t("difference.none", { count: new Set(rows.map(({ module }) => module)).size }))])),
    errorKey(model.get("_format")),
    moduleList(view, rows, axis, chosen),
    h("p", { class: "mw-note" }, t("difference.hint")),
    tensorPanel(view, chosen, first, model.get("_format"), model.get("_loss_scale")));
  addQuestions(view, root, [{ ask: t("difference.question"), isAnswered: () => true, answer() {} }]);
  return view.close;
}

export default { render };
