// LossScaleExplorer: slide a loss scale over real gradients. Every answer is looked up in the page; the kernel
// hears of a new scale once, when the slider is let go.

import type { RenderProps } from "@anywidget/types";
import { button } from "#ui/buttons.ts";
import { card } from "#ui/card.ts";
import { chipsAndMore } from "#ui/choices.ts";
import { h, set, setText } from "#ui/dom.ts";
import { greet } from "#ui/kernel.ts";
import { t } from "#ui/messages.ts";
import { bitInspector } from "#ui/ruler/bit_inspector.ts";
import { histogram } from "#ui/ruler/histogram.ts";
import { textures } from "#ui/ruler/textures.ts";
import { integer } from "#ui/digits.ts";
import { addQuestions, answeredByTraits } from "#ui/stage_sequence.ts";
import { viewOf } from "#ui/view.ts";
import { blockFormats } from "./block_formats.ts";
import { comparison } from "./comparison.ts";
import { edges } from "./edges.ts";
import { heatMap } from "./heat_map.ts";
import { figures, notes, outcome } from "./readout.ts";
import { scaleControl } from "./scale_control.ts";
import { accept, choices, explore, type State } from "./state.ts";
import { tensorRows } from "./tensor_rows.ts";
import { timeline } from "./timeline.ts";
import steps from "./stage.json";

const USUAL = ["float8_e4m3fn", "float8_e5m2", "bfloat16", "float16"];

function render({ model, el }: RenderProps<State>): () => void {
  const view = viewOf(model);
  const explored = explore(view);
  const { answers, all, settled, isEmpty, tensor, narrow, shownNames } = explored;
  const title = view.trait("title");
  const { root, head } = card(view, el, "mw-loss-scale-explorer", "");
  const subtitle = h("span", { class: "mw-subtitle" });
  const picker = chipsAndMore(t("common.formats"), USUAL, choices.map(({ name }) => name), (name) => view.send("format", name));
  const everything = button("", () => {
    narrow(null);
    rows.focus(); // the button is gone
  }, { class: "mw-everything" });
  head.append(subtitle, everything, picker.element);

  const fills = textures();
  const control = scaleControl(explored, fills);
  const plot = histogram(explored, fills);
  const rows = tensorRows(explored, fills);
  const error = h("p", { class: "mw-error", role: "alert" });
  const waiting = h("p", { class: "mw-muted" }, t("explorer.waiting"));
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  const body = h("div", { class: "mw-stack" },
    h("div", { class: "mw-explorer-top" }, figures(explored, fills), control.readout),
    bitInspector({
      ...explored, names: shownNames, hand: explored, binade: view.trait("binade"), choose: (exponent) => view.send("binade", exponent),
    }, plot), control.element, timeline(explored), rows.element,
    heatMap(explored, fills, rows.lost, plot.width), comparison(explored), blockFormats(explored), notes(explored));
  plot.element.after(...edges(explored, plot));
  root.append(error, waiting, body, spoken, fills.element);

  view.effect(() => setText(head.querySelector("h3")!, title.value ?? t("explorer.title")));
  view.effect(() => setText(error, explored.fault.value));
  view.effect(() => {
    body.hidden = isEmpty.value;
    waiting.hidden = !isEmpty.value;
  });
  view.effect(() => {
    const { total, format } = answers.value;
    const tensors = all.value.summaries.length;
    picker.show(format.name);
    const kind = tensor.value !== null ? "subtitle_of" : tensors === 1 ? "subtitle_one" : "subtitle";
    const count = { values: integer(total.count), tensors, format: format.name, name: tensor.value ?? "" };
    setText(subtitle, isEmpty.value ? "" : t(`explorer.${kind}`, count));
    everything.hidden = tensor.value === null;
    setText(everything, tensor.value === null ? "" : t("explorer.everything", { count: tensors }));
  });
  view.effect(() => {
    const { answers, log2 } = settled.value;
    const words = isEmpty.value ? "" : outcome(answers, log2);
    set(plot.element, { "aria-label": words });
    setText(spoken, words);
  });

  addQuestions(view, root, answeredByTraits(view, steps));
  view.onClose(greet(model));
  return view.close;
}

export default { render, accept };
