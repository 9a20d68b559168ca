// LossScaleExplorer: slide a loss scale over real gradients. Every answer is looked up in the page; the kernel hears of a new
// scale once, when the slider is let go. From top to bottom: what is lost, in a sentence (headline.ts), the share of each
// class, the histogram with the best scale and the format's edges (edges.ts), the scale (scale_control.ts), the format, the
// steps of a run (timeline.ts), a row and a heat map for the tensors (tensors.ts), other formats (format_tables.ts), and what
// the view leaves out.

import type { RenderProps } from "@anywidget/types";
import { computed } from "@preact/signals-core";
import type { Answers } from "#core/gradients/answers.ts";
import { CLASSES } from "#core/gradients/boundaries.ts";
import { KINDS } from "#core/gradients/snapshots.ts";
import { button } from "#ui/buttons.ts";
import { card } from "#ui/card.ts";
import { chips, chipsAndMore } from "#ui/choices.ts";
import { integer } from "#ui/digits.ts";
import { h, set, setText } from "#ui/dom.ts";
import { greet } from "#ui/kernel.ts";
import { listed, t } from "#ui/messages.ts";
import { bitInspector } from "#ui/ruler/bit_inspector.ts";
import { tallest } from "#ui/ruler/geometry.ts";
import { histogram } from "#ui/ruler/histogram.ts";
import { swatch, textures, type Textures } from "#ui/ruler/textures.ts";
import { share, spokenScale } from "#ui/ruler/words.ts";
import { addQuestions, answeredByTraits } from "#ui/questions/questions.ts";
import { explained } from "#ui/term.ts";
import { viewOf } from "#ui/view.ts";
import { edges } from "./edges.ts";
import { blockFormats, comparison } from "./format_tables.ts";
import { bestOutline, headline } from "./headline.ts";
import { scaleControl } from "./scale_control.ts";
import { accept, choices, explore, type Explored, type State } from "./state.ts";
import { heatMap, tensorRows } from "./tensors.ts";
import { timeline } from "./timeline.ts";
import steps from "./stage.json";

const ROOM = 1.16; // times the tallest bar: above it is the name of the best scale's outline
const USUAL = ["float8_e4m3fn", "float8_e5m2", "bfloat16", "float16"];

function render({ model, el }: RenderProps<State>): () => void {
  const view = viewOf(model);
  const explored = explore(view);
  const { answers, all, settled, isEmpty, snapshot, kind, tensor, narrow, shownNames } = explored;
  const title = view.trait("title");
  const { root, head } = card(view, el, "mw-loss-scale-explorer", "");
  const subtitle = h("span", { class: "mw-subtitle" });
  const picker = chipsAndMore(t("common.formats"), USUAL, choices.map(({ name }) => name), (name) => view.send("format", name));
  const everything = button("", () => {
    narrow(null);
    rows.focus(); // the button is gone
  }, { class: "mw-everything" });
  const kinds = chips(t("explorer.kind"), KINDS, explored.turnTo, (name) => t(`explorer.kind_${name}`));
  head.append(subtitle, everything);

  const fills = textures();
  const most = computed(() => ROOM * tallest(answers.value.total));
  const plot = histogram({ ...explored, most }, fills);
  const rows = tensorRows(explored, fills);
  const error = h("p", { class: "mw-error", role: "alert" });
  const waiting = h("p", { class: "mw-muted" }, t("explorer.waiting"));
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  const body = h("div", { class: "mw-stack" },
    headline(explored), figures(explored, fills),
    bitInspector({
      ...explored, names: shownNames, binade: view.trait("binade"), choose: (exponent) => view.send("binade", exponent),
    }, plot), scaleControl(explored, fills), h("div", { class: "mw-row" }, picker.element, kinds.element), timeline(explored), rows.element,
    heatMap(explored, fills, rows.lost, plot.width), comparison(explored), blockFormats(explored), notes(explored));
  bestOutline(explored, plot);
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
    const words = tensor.value !== null ? "subtitle_of" : tensors === 1 ? "subtitle_one" : "subtitle";
    const count = { values: integer(total.count), tensors, format: format.name, name: tensor.value ?? "" };
    setText(subtitle, isEmpty.value ? "" : t(`explorer.${kind.value === "outputs" ? "dy_" : ""}${words}`, count));
    everything.hidden = tensor.value === null;
    setText(everything, tensor.value === null ? "" : t("explorer.everything", { count: tensors }));
  });
  view.effect(() => {
    kinds.element.hidden = snapshot.value.outputs.names.length === 0;
    kinds.show(kind.value);
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

/** What becomes of the gradients, as large shares with their counts. */
function figures({ view, answers, scale }: Explored, textures: Textures): HTMLElement {
  const parts = CLASSES.map((kind) => {
    const number = h("div", { class: "mw-figure" });
    const count = h("div", { class: "mw-num mw-muted mw-figure-count" });
    const name = h("div", { class: "mw-figure-name" }, swatch(kind, textures), h("span", {}, ...explained(t(`explorer.class_${kind}`))));
    return { number, count, box: h("div", {}, number, name, count) };
  });
  view.effect(() => {
    const counts = answers.value.totals(scale.value);
    parts.forEach(({ number, count }, kind) => {
      setText(number, share(counts[kind]!, answers.value.total.finite));
      setText(count, integer(counts[kind]!));
    });
  });
  return h("div", { class: "mw-figures" }, ...parts.map(({ box }) => box));
}

/** The figures in a sentence. */
function outcome(answers: Answers, log2LossScale: number): string {
  const counts = answers.totals(log2LossScale);
  const parts = CLASSES.map((kind, i) => `${share(counts[i]!, answers.total.finite)} ${t(`explorer.class_${kind}`)}`);
  return t("common.named", { name: spokenScale(log2LossScale), what: listed(parts) });
}

/** What the view leaves out: zeros, values that are not finite, tensors without a gradient. */
function notes({ view, answers, kind }: Explored): HTMLElement {
  const element = h("div", { class: "mw-note mw-stack-tight" });
  const withoutGradient = view.trait("_without_gradient");
  view.effect(() => {
    const { total: { zero, inf, nan, count }, format } = answers.value;
    const lines = [
      t("explorer.zeros", { share: share(zero, count), zero: integer(zero), count: integer(count) }),
      t("explorer.after_the_fact", { format: format.name }),
    ];
    if (kind.value === "outputs") lines.push(t("explorer.dy_note"));
    if (inf + nan > 0) lines.push(t("explorer.not_finite", { inf: integer(inf), nan: integer(nan) }));
    if (withoutGradient.value.length > 0) lines.push(t("explorer.without", { names: listed(withoutGradient.value) }));
    element.replaceChildren(...lines.map((line) => h("p", {}, line)));
  });
  return element;
}

export default { render, accept };
