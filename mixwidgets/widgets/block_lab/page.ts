// BlockLab: drag one element of a block and see what the shared scale does to the others. All is worked out in the
// page; the kernel hears of the elements once, when the drag has ended.

import type { RenderProps } from "@anywidget/types";
import { blockFormats } from "#core/blocks/catalogue.ts";
import { SCALE_RULES } from "#core/blocks/scale_rules.ts";
import { card, chips } from "#ui/card.ts";
import { h, set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { bars } from "./bars.ts";
import { type Axis, axisFor, perRow } from "./geometry.ts";
import { outcome } from "./outcome.ts";
import { chosen, readout } from "./readout.ts";
import { codesOf, readLab, type Lab, type Traits } from "./state.ts";

const GUTTER = 44; // pixels beside the bars, for the axis

function render({ model, el }: RenderProps<Traits>): () => void {
  const { root, head } = card(el, t("blocks.title"));
  const formats = chips(t("blocks.formats"), blockFormats.map(({ name }) => name), (name) => send({ format: name }));
  const rules = chips(t("blocks.rules"), SCALE_RULES, (rule) => send({ scale_rule: rule }));
  head.append(formats.element);

  const told = readout();
  const plot = bars({ choose, change, commit });
  const one = chosen((value) => { change(active, value); commit(); }, reset);
  const legend = h("div", { class: "mw-row mw-lab-legend" },
    ...(["true", "kind_rounded", "kind_lost", "kind_clipped"] as const).map((kind) =>
      h("span", { class: "mw-row" }, h("span", { class: `mw-lab-swatch mw-lab-${kind}`, "aria-hidden": "true" }), t(`blocks.${kind}`))),
    h("span", { class: "mw-row" }, h("span", { class: "mw-lab-swatch mw-lab-strip", "aria-hidden": "true" }), t("blocks.strip")));
  const error = h("p", { class: "mw-error", role: "alert" });
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  const ruling = h("div", { class: "mw-stack-tight" },
    h("div", { class: "mw-row" }, h("span", { class: "mw-muted", "aria-hidden": "true" }, t("blocks.rules")), rules.element),
    told.rule);
  const body = h("div", { class: "mw-stack" },
    told.figures, told.callout,
    h("div", { class: "mw-stack-tight" }, legend, plot.element, h("p", { class: "mw-note" }, t("blocks.keys"))),
    one.element, ruling, told.table);
  root.append(error, body, spoken);

  let lab: Lab;
  let start: Float32Array = new Float32Array(); // what `reset` goes back to
  let axis: Axis;
  let active = 0;
  let rowLength = 0;

  function traits(): Traits {
    return { format: model.get("format"), scale_rule: model.get("scale_rule"), _codes: model.get("_codes") };
  }

  function send(changes: Partial<Traits>): void {
    const news = Object.entries(changes).filter(([name, value]) => model.get(name as keyof Traits) !== value);
    if (news.length === 0) return;
    for (const [name, value] of news) model.set(name as keyof Traits, value);
    model.save_changes();
  }

  /** Elements from outside: the axis is made for them, and they are what `reset` goes back to. */
  function take(): void {
    const found = readLab(traits());
    if (found && lab && codesOf(lab.values) === codesOf(found.values)) return setText(error, ""); // our own
    if (found) {
      start = found.values;
      axis = axisFor(start);
      active = start.reduce((most, x, i) => (Math.abs(x) > Math.abs(start[most]!) ? i : most), 0);
    }
    follow();
  }

  /** Another format or rule, or other elements. */
  function follow(): void {
    const found = readLab(traits());
    setText(error, found ? "" : t("blocks.unreadable"));
    if (!found) return;
    lab = found;
    formats.show(lab.format.name);
    rules.show(lab.rule);
    set(rules.element, { disabled: lab.format.tensorScale !== null });
    layout();
    setText(spoken, told.words());
  }

  function layout(): void {
    rowLength = perRow(plot.element.clientWidth - GUTTER);
    plot.layout(outcome(lab), axis, rowLength);
    draw();
  }

  function draw(): void {
    const found = outcome(lab);
    plot.draw(found, active);
    told.draw(lab, found, active);
    one.draw(lab, found, active);
  }

  function choose(index: number): void {
    if (index === active) return;
    active = index;
    draw();
  }

  function change(index: number, value: number): void {
    active = index;
    lab = { ...lab, values: lab.values.with(index, value) };
    draw();
  }

  function commit(): void {
    if (!lab || codesOf(lab.values) === model.get("_codes")) return;
    send({ _codes: codesOf(lab.values) });
    setText(spoken, told.words());
  }

  function reset(): void {
    lab = { ...lab, values: start };
    draw();
    commit();
  }

  const subscriptions = { "change:format": follow, "change:scale_rule": follow, "change:_codes": take };
  for (const [name, handler] of Object.entries(subscriptions)) model.on(name, handler);
  const observer = new ResizeObserver(() => {
    if (lab && perRow(plot.element.clientWidth - GUTTER) !== rowLength) layout();
  });
  observer.observe(plot.element);
  take();

  return () => {
    for (const [name, handler] of Object.entries(subscriptions)) model.off(name, handler);
    observer.disconnect();
    root.remove();
  };
}

/** A state from an address, if it is one of a lab. */
function accept(wanted: Traits): Traits | null {
  return readLab(wanted) && { ...wanted, _codes: wanted._codes.toLowerCase() };
}

export default { render, accept };
