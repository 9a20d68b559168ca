// LossScaleExplorer: slide a loss scale over real gradients. Every answer is looked up in the page; the kernel
// hears of a new scale once, when the slider is let go.

import type { RenderProps } from "@anywidget/types";
import { formats, getFormat } from "../formats/catalogue.ts";
import { Answers, HIGHEST, LOWEST } from "../gradients/answers.ts";
import { type GradientSummary, readSummaries } from "../gradients/summary.ts";
import { card, chipsAndMore } from "../ui/card.ts";
import { h, setText } from "../ui/dom.ts";
import { t } from "../ui/messages.ts";
import { histogram } from "./loss_scale_explorer/histogram.ts";
import { figures, notes } from "./loss_scale_explorer/readout.ts";
import { scaleControl } from "./loss_scale_explorer/scale_control.ts";
import { tensorRows } from "./loss_scale_explorer/tensor_rows.ts";
import { textures } from "./loss_scale_explorer/textures.ts";
import { integer } from "./loss_scale_explorer/words.ts";

interface State {
  format: string;
  log2_loss_scale: number;
  title: string | null;
  _names: string[];
  _summaries: DataView;
  _without_gradient: string[];
}

const MAX_BITS = 32; // gradients are cast to formats no wider than the master weights
const USUAL = ["float8_e4m3fn", "float8_e5m2", "bfloat16", "float16"];
const choices = formats.filter(({ bits, signed }) => signed && bits <= MAX_BITS).sort((a, b) => a.bits - b.bits);

function render({ model, el }: RenderProps<State>): () => void {
  const { root, head } = card(el, "");
  const heading = head.querySelector("h3")!;
  const subtitle = h("span", { class: "mw-subtitle" });
  const names = choices.map(({ name }) => name);
  const others = names.filter((name) => !USUAL.includes(name));
  const picker = chipsAndMore(t("common.formats"), USUAL, others, (name) => send("format", name));
  head.append(subtitle, picker.element);

  const fills = textures();
  const shares = figures(fills);
  const control = scaleControl(fills, { draw, commit: (log2) => send("log2_loss_scale", log2) });
  const plot = histogram(fills);
  const rows = tensorRows(fills);
  const truths = notes();
  const error = h("p", { class: "mw-error", role: "alert" });
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  const top = h("div", { class: "mw-explorer-top" }, shares.element, control.readout);
  const body = h("div", { class: "mw-stack" }, top, plot.element, control.element, rows.element, truths.element);
  root.append(error, body, spoken, fills.element);

  let summaries: GradientSummary[] = [];
  let answers: Answers | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  function send<K extends "format" | "log2_loss_scale">(name: K, value: State[K]): void {
    if (model.get(name) === value) return;
    model.set(name, value);
    model.save_changes();
  }

  /** New gradients: everything from the bytes on. */
  function load(): void {
    try {
      const found = readSummaries(model.get("_summaries"));
      if (found.length !== model.get("_names").length) throw new RangeError("names and gradients differ in number");
      summaries = found;
    } catch (fault) {
      setText(error, t("explorer.unreadable", { reason: String((fault as Error).message) }));
      return;
    }
    rows.replace(model.get("_names"));
    choose();
  }

  /** Another format, or new gradients: work out every answer. */
  function choose(): void {
    const format = getFormat(model.get("format"));
    if (!format || !choices.includes(format)) {
      setText(error, t("explorer.unknown_format", { came: model.get("format"), accepted: names.join(", ") }));
      return;
    }
    setText(error, "");
    answers = new Answers(summaries, format);
    picker.show(format.name);
    const count = { values: integer(answers.total.count), tensors: summaries.length, format: format.name };
    setText(subtitle, t(summaries.length === 1 ? "explorer.subtitle_one" : "explorer.subtitle", count));
    control.propose(answers);
    truths.show(answers, model.get("_without_gradient"));
    resize();
    settle();
  }

  /** A drag: only what changes with the scale. */
  function draw(log2: number): void {
    if (!answers) return;
    shares.draw(answers.totals(log2));
    plot.draw(log2);
    rows.draw(answers, log2);
  }

  /** The model's scale has changed. What the kernel echoes late must not pull the slider from under the hand. */
  function follow(): void {
    clearTimeout(waiting);
    if (model.get("log2_loss_scale") === control.value() || control.inHand() <= 0) settle();
    else waiting = setTimeout(follow, control.inHand());
  }

  /** The scale is settled: also what would be restless during a drag. */
  function settle(): void {
    if (!answers) return;
    const log2 = model.get("log2_loss_scale");
    control.show(log2);
    shares.draw(answers.totals(log2));
    plot.draw(log2);
    rows.arrange(answers, log2);
    const words = shares.words(answers.totals(log2), log2);
    plot.describe(words);
    setText(spoken, words);
  }

  function resize(): void {
    if (!answers) return;
    plot.layout(answers.total, answers.format, plot.element.clientWidth);
    plot.draw(control.value());
    control.layout(answers);
  }

  function retitle(): void {
    setText(heading, model.get("title") ?? t("explorer.title"));
  }

  const subscriptions = {
    "change:format": choose,
    "change:log2_loss_scale": follow,
    "change:_summaries": load,
    "change:title": retitle,
  };
  for (const [name, handler] of Object.entries(subscriptions)) model.on(name, handler);
  const observer = new ResizeObserver(resize);
  observer.observe(plot.element);
  retitle();
  load();

  return () => {
    for (const [name, handler] of Object.entries(subscriptions)) model.off(name, handler);
    observer.disconnect();
    clearTimeout(waiting);
    root.remove();
  };
}

/** What the address of a saved page may ask for. */
function accept(wanted: Pick<State, "format" | "log2_loss_scale">): typeof wanted | null {
  const { format, log2_loss_scale: log2 } = wanted;
  return choices.some(({ name }) => name === format) && log2 >= LOWEST && log2 <= HIGHEST ? wanted : null;
}

export default { render, accept };
