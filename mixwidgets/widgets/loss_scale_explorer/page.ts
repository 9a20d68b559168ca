// LossScaleExplorer: slide a loss scale over real gradients. Every answer is looked up in the page; the kernel
// hears of a new scale once, when the slider is let go.

import type { RenderProps } from "@anywidget/types";
import { getFormat } from "#core/formats/catalogue.ts";
import { Answers } from "#core/gradients/answers.ts";
import type { Snapshot } from "#core/gradients/snapshots.ts";
import type { GradientSummary } from "#core/gradients/summary.ts";
import { card, chipsAndMore } from "#ui/card.ts";
import { h, setText } from "#ui/dom.ts";
import { listed, t } from "#ui/messages.ts";
import { observePixels } from "#ui/pixels.ts";
import { comparison } from "./comparison.ts";
import { heatMap } from "./heat_map.ts";
import { histogram } from "./histogram.ts";
import { bitInspector } from "./bit_inspector.ts";
import { figures, notes } from "./readout.ts";
import { received } from "./received.ts";
import { scaleControl } from "./scale_control.ts";
import { accept, choices, type State } from "./state.ts";
import { tensorRows } from "./tensor_rows.ts";
import { timeline } from "./timeline.ts";
import { textures } from "./textures.ts";
import { integer } from "./words.ts";

const USUAL = ["float8_e4m3fn", "float8_e5m2", "bfloat16", "float16"];

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
  const look = bitInspector(plot, (exponent) => send("binade", exponent));
  const time = timeline({ look: open, commit: lookAt });
  const rows = tensorRows(fills);
  const map = heatMap(fills);
  const beside = comparison(choices, (compared) => send("compare", compared));
  const truths = notes();
  const error = h("p", { class: "mw-error", role: "alert" });
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  const top = h("div", { class: "mw-explorer-top" }, shares.element, control.readout);
  const body = h("div", { class: "mw-stack", hidden: true },
    top, look.element, control.element, time.element, rows.element, map.element, beside.element, truths.element);
  const waitingFor = h("p", { class: "mw-muted" }, t("explorer.waiting"));
  root.append(error, waitingFor, body, spoken, fills.element);

  let shown: Snapshot | undefined;
  let summaries: GradientSummary[] = [];
  let answers: Answers | undefined;
  let width = 0;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  function send<K extends "format" | "log2_loss_scale" | "step" | "binade" | "compare">(name: K, value: State[K]): void {
    if (model.get(name) === value) return;
    model.set(name, value);
    model.save_changes();
  }

  const { history, close } = received(model, {
    replaced() {
      retime();
      open(model.get("step"));
      settle();
    },
    changed() {
      retime();
      if (!time.isHeld()) lookAt();
    },
    unreadable,
  });

  function retime(): void {
    time.replace(history, model.get("_loss"), model.get("_seen"));
  }

  function unreadable(fault: unknown): void {
    setText(error, t("explorer.unreadable", { reason: String((fault as Error).message) }));
  }

  /** A step is settled: show its gradients, and bring the rows into their order. */
  function lookAt(step = model.get("step")): void {
    if (step !== model.get("step")) return send("step", step); // which comes back here
    open(step);
    arrange();
  }

  /** Show the gradients of a step; 0 is the newest. */
  function open(step: number): void {
    const wanted = history.at(step);
    if (!wanted) return;
    if (wanted !== shown) {
      try {
        summaries = wanted.summaries();
      } catch (fault) {
        unreadable(fault);
        return;
      }
      const isRenamed = shown?.names.join("\n") !== wanted.names.join("\n");
      if (isRenamed) rows.replace(wanted.names);
      shown = wanted;
      body.hidden = false;
      waitingFor.hidden = true;
      answer();
      if (isRenamed && answers) rows.arrange(answers, control.value());
    }
    time.show(wanted);
  }

  /** Another format, or other gradients: what follows from them at every scale. */
  function answer(): void {
    if (!shown) return;
    const format = getFormat(model.get("format"));
    if (!format || !choices.includes(format)) {
      setText(error, t("explorer.unknown_format", { came: model.get("format"), accepted: listed(names) }));
      return;
    }
    setText(error, "");
    answers = new Answers(summaries, format);
    picker.show(format.name);
    const count = { values: integer(answers.total.count), tensors: summaries.length, format: format.name };
    setText(subtitle, t(summaries.length === 1 ? "explorer.subtitle_one" : "explorer.subtitle", count));
    control.propose(answers);
    compareAnew();
    truths.show(answers, model.get("_without_gradient"));
    if (width === 0) resize();
    else layout();
    draw(control.value());
  }

  function compareAnew(): void {
    if (!answers) return;
    beside.replace(answers, model.get("compare").map(getFormat).filter((format) => format !== undefined));
    beside.draw(control.value());
  }

  function choose(): void {
    answer();
    settle();
  }

  /** A drag: only what changes with the scale. */
  function draw(log2: number): void {
    if (!answers) return;
    shares.draw(answers.totals(log2));
    plot.draw(log2);
    look.draw(log2);
    rows.draw(answers, log2);
    map.draw(log2);
    beside.draw(log2);
  }

  /** The model's scale has changed. What the kernel echoes late must not pull the slider from under the hand. */
  function follow(): void {
    clearTimeout(waiting);
    if (model.get("log2_loss_scale") === control.value() || control.inHand() <= 0) settle();
    else waiting = setTimeout(follow, control.inHand());
  }

  /** The scale is settled: also what would be restless during a drag. */
  function settle(): void {
    const log2 = model.get("log2_loss_scale");
    control.show(log2);
    draw(log2);
    arrange();
  }

  /** Bring the rows into their order, and say how things stand. */
  function arrange(): void {
    if (!answers) return;
    const log2 = control.value(); // which may be in the user's hand while gradients come
    rows.arrange(answers, log2);
    layoutMap();
    const words = shares.words(answers.totals(log2), log2);
    plot.describe(words);
    setText(spoken, words);
  }

  /** Measuring makes the page lay itself out, which a drag must not wait for: only when a size has changed. */
  function resize(): void {
    width = plot.element.clientWidth;
    control.measure();
    time.layout();
    layout();
  }

  function layout(): void {
    if (!answers || !shown) return;
    plot.layout(answers.total, answers.format, width);
    plot.draw(control.value());
    look.layout(answers, shown.names, width);
    control.layout(answers);
    layoutMap();
  }

  function layoutMap(): void {
    if (!answers || !shown) return;
    map.layout(answers, shown.names, rows.order(), width);
    map.draw(control.value());
  }

  function retitle(): void {
    setText(heading, model.get("title") ?? t("explorer.title"));
  }

  const subscriptions = {
    "change:format": choose,
    "change:compare": compareAnew,
    "change:log2_loss_scale": follow,
    "change:step": () => time.isHeld() || lookAt(),
    "change:binade": () => look.show(model.get("binade")),
    "change:_loss": retime,
    "change:title": retitle,
  };
  for (const [name, handler] of Object.entries(subscriptions)) model.on(name, handler);
  const observer = new ResizeObserver(resize);
  for (const { element } of [control, time]) observer.observe(element);
  observePixels(observer, plot.element);
  retitle();
  retime();
  open(model.get("step"));
  settle();
  look.show(model.get("binade"));

  return () => {
    for (const [name, handler] of Object.entries(subscriptions)) model.off(name, handler);
    close();
    observer.disconnect();
    clearTimeout(waiting);
    root.remove();
  };
}

export default { render, accept };
