// ModuleErrors: which module is off first, a list of all calls of modules, with the error of each beside what rounding explains, and the values of the chosen
// call's tensors.

import type { RenderProps } from "@anywidget/types";
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import { getFormat } from "#core/formats/catalogue.ts";
import { readFrame, rowsOf, unpacked } from "#core/frame.ts";
import { summaryFromBytes } from "#core/gradients/serialization.ts";
import { GradientSummary } from "#core/gradients/summary.ts";
import { button } from "#ui/buttons.ts";
import { card } from "#ui/card.ts";
import { oneStop } from "#ui/keys.ts";
import { labelled } from "#ui/choices.ts";
import { integer, powerText } from "#ui/digits.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { inSeries, listed, t } from "#ui/messages.ts";
import { tallest } from "#ui/ruler/geometry.ts";
import { histogram } from "#ui/ruler/histogram.ts";
import { textures } from "#ui/ruler/textures.ts";
import { number, powerOfAny, shares } from "#ui/ruler/words.ts";
import { addQuestions } from "#ui/questions/questions.ts";
import { type View, viewOf } from "#ui/view.ts";
import { keysNote } from "#ui/term.ts";
import { answerWords, type Axis, axisOf, cellWords, errorWords, isOff, moduleName, type Row, type SentRow, tensorName } from "./rows.ts";

interface State {
  _rows: SentRow[];
  /** A frame: for each tensor its error, the error that rounding explains, and its summaries in the recipe's precision and in the
   * reference's. */
  _tensors: DataView;
  _format: string;
  _loss_scale: number;
  _costliest: string;
}

function render({ model, el }: RenderProps<State>): () => void {
  const view = viewOf(model);
  const rows = withTensors(model.get("_rows"), model.get("_tensors"));
  const first = rows.find(isOff);
  const chosen = signal(first ?? rows[0]);

  const { root } = card(view, el, "mw-difference", t("difference.title"));
  const axis = axisOf(rows.flatMap(({ costs, tensors: [worst] }) => (worst ? [worst.error, worst.explained || 0, costs ?? 0] : [])));
  const says = answerWords(rows, first);
  root.append(
    h("div", { class: "mw-callout mw-stack-tight" }, h("p", { class: "mw-lead" }, says.lead), h("p", {}, first?.reason ?? ""), h("p", { class: "mw-note" }, says.rest), h("p", {}, model.get("_costliest"))),
    errorKey(model.get("_format"), rows),
    moduleList(view, rows, axis, chosen),
    h("p", { class: "mw-note" }, t("difference.hint"), keysNote("difference.keys")),
    tensorPanel(view, chosen, first, model.get("_format"), model.get("_loss_scale")));
  addQuestions(view, root, [{ ask: t("difference.question"), answer() {} }]);
  return view.close;
}

/** The rows with their tensors, which are sent apart, in the same order. */
function withTensors(rows: readonly SentRow[], tensors: DataView): Row[] {
  const frame = readFrame(tensors);
  const [errors, summaries] = [rowsOf(frame.arrays.get("errors")!), unpacked(frame)];
  let at = -1;
  return rows.map((row) => ({
    ...row,
    tensors: row.tensors.map((name) => {
      at++;
      const [error, explained] = errors[at]!;
      return { name, error: error!, explained: explained!, recipe: summaries[2 * at]!, reference: summaries[2 * at + 1]! };
    }),
  }));
}

const SHAPES = {
  explained: "M0 4V22",
  ok: "M-4 13a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
  off: "M0 6L7 13L0 20L-7 13Z",
  raised: "M-6 7L6 19M6 7L-6 19",
  unknown: "M-4 13a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
  costs: "M-7 13a7 7 0 1 0 14 0a7 7 0 1 0 -14 0",
};
const MOST_STAGED = 4; // lines
const DIRECTIONS = ["backward", "forward"] as const;

const mark = (kind: keyof typeof SHAPES, x: string) =>
  s("svg", { x, overflow: "visible" }, s("path", { d: SHAPES[kind], class: `mw-difference-${kind}` }));

/** What the marks and the axis mean. */
function errorKey(format: string, rows: readonly Row[]): HTMLElement {
  const sign = (kind: keyof typeof SHAPES, words: string) => h("span", { class: "mw-row" },
    s("svg", { width: 16, height: 26, "aria-hidden": "true" }, mark(kind, "8")), words);
  return h("div", {},
    h("p", { class: "mw-row mw-difference-key" },
      sign("ok", t("difference.key_error", { format })), sign("explained", t("difference.key_explained")),
      sign("off", t("difference.off")), sign("raised", t("difference.raised")),
      rows.some(({ costs }) => costs !== null) ? sign("costs", t("difference.key_costs")) : null,
      rows.some(({ verdict }) => verdict === "unknown") ? sign("unknown", t("difference.unknown")) : null),
    h("p", { class: "mw-note mw-difference-axis" }, t("difference.axis_is")));
}

/** A line for each call of a module, with its backward pass to the left of the axis and its forward pass to the right. */
function moduleList(view: View, rows: readonly Row[], axis: Axis, chosen: Signal<Row | undefined>): HTMLElement {
  const lines = new Map<string, { name: string; halves: Partial<Record<Row["direction"], Row>> }>();
  for (const row of rows) {
    const key = JSON.stringify([row.module, row.call]);
    if (!lines.has(key)) lines.set(key, { name: moduleName(row), halves: {} });
    lines.get(key)!.halves[row.direction] = row;
  }
  const buttons = new Map<Row, HTMLButtonElement>();
  const cells = [...lines.values()].map(({ halves }) => DIRECTIONS.map((direction) => {
    const row = halves[direction];
    if (!row) return null;
    const cell = button("", () => (chosen.value = row), { class: "mw-difference-cell", "aria-label": cellWords(row), title: cellWords(row) });
    cell.append(picture(row, axis));
    buttons.set(row, cell);
    return cell;
  }));
  const staged = onStage([...lines.values()].map(({ halves }) => Object.values(halves)), axis);
  const items = [...lines.values()].map(({ name }, i) =>
    h("li", { class: "mw-difference-line", "data-staged": staged.has(i) }, h("span", { class: "mw-difference-name" }, ...breakable(name)), ...cells[i]!.map((cell) => cell ?? h("span"))));
  const list = h("ol", { "aria-label": t("difference.modules") }, ...items);
  const head = h("div", { class: "mw-difference-line mw-difference-head", "aria-hidden": "true" }, h("span"),
    ...DIRECTIONS.map((direction) => h("span", {}, h("span", {}, t(`difference.head_${direction}`)), s("svg", { height: 16 }, ...axis.ticks.map((tick) =>
      tickText(direction, axis.place(10 ** tick), powerText(10, tick))),
      rows.some(({ tensors: [worst] }) => worst?.error === Infinity) ? tickText(direction, axis.place(Infinity), "∞") : null))));
  const others = items.length - staged.size;
  const element = h("div", { class: "mw-difference-list" }, head, list, others > 0 ? h("p", { class: "mw-difference-others" }, t("difference.others", { count: others })) : null);

  oneStop(list, () => (element.closest("[data-stage]") ? cells.filter((_, i) => staged.has(i)) : cells))(buttons.get(chosen.peek()!));
  list.addEventListener("focusin", ({ target }) => (chosen.value = rows.find((row) => buttons.get(row) === target)));
  view.effect(() => buttons.forEach((cell, row) => set(cell, { "aria-current": row === chosen.value && "true" })));
  const width = view.width(element);
  view.effect(() => { // scroll to the chosen row at first
    const cell = width.value > 0 && buttons.get(chosen.peek()!);
    if (cell) element.scrollTop = cell.offsetTop - element.clientHeight / 2;
  });
  return element;
}

/** The places of the lines that the stage has room for: those that are off, or else that with the largest error, and those next
 * to the first of them. */
function onStage(lines: readonly (readonly Row[])[], { place }: Axis): ReadonlySet<number> {
  const all = lines.map((_, i) => i);
  const worst = (rows: readonly Row[]) => Math.max(...rows.map(({ tensors: [tensor] }) => place(tensor?.error ?? NaN)));
  const off = all.filter((i) => lines[i]!.some(isOff));
  const first = off[0] ?? all.toSorted((a, b) => worst(lines[b]!) - worst(lines[a]!))[0] ?? 0;
  const near = all.toSorted((a, b) => Math.abs(a - first) - Math.abs(b - first));
  return new Set([...new Set([...off, ...near])].slice(0, MOST_STAGED));
}

/** A dotted name that can break after each dot. */
const breakable = (name: string) => name.split(/(?<=\.)/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));

const tickText = (direction: Row["direction"], percent: number, text: string) =>
  s("text", { x: across(direction, percent), y: 12, "text-anchor": "middle" }, text);

/** The x coordinate of a position on the axis, which grows to the left for the backward pass. */
const across = (direction: Row["direction"], percent: number): string => `${(direction === "forward" ? percent : 100 - percent).toFixed(2)}%`;

function picture({ direction, verdict, costs, tensors: [worst] }: Row, axis: Axis): SVGSVGElement {
  const x = (value: number) => across(direction, axis.place(value));
  const marks = worst && !Number.isNaN(worst.explained) ? [
    s("line", { x1: x(worst.explained), x2: x(worst.error), y1: 13, y2: 13, class: "mw-difference-gap" }), mark("explained", x(worst.explained)),
  ] : [];
  return s("svg", { height: 26, "aria-hidden": "true" }, ...marks, mark(verdict, x(worst?.error ?? NaN)), costs === null ? null : mark("costs", x(costs)));
}

/** A tensor of the chosen row on the ruler of the recipe's format: its values in the reference and in the recipe. The reason of
 * `first` is already shown above the list. */
function tensorPanel(view: View, chosen: ReadonlySignal<Row | undefined>, first: Row | undefined, name: string, lossScale: number): HTMLElement {
  const fills = textures();
  const format = getFormat(name)!;
  const place = signal(0); // of the tensor in the row
  const tensor = computed(() => chosen.value?.tensors[place.value]);
  const menu = h("select");
  menu.addEventListener("change", () => (place.value = menu.selectedIndex));
  const choice = labelled(t("difference.which"), menu);
  const summaries = (["reference", "recipe"] as const).map((which) => computed(() =>
    tensor.value ? summaryFromBytes(tensor.value[which]) : GradientSummary.together([])));
  const most = computed(() => Math.max(...summaries.map((summary) => tallest(summary.value))));
  const plots = summaries.map((summary, i) => {
    const counts = h("p", { class: "mw-note" });
    const answers = computed(() => ({ total: summary.value, format }));
    const plot = histogram({ view, answers, scale: signal(0), axis: t("difference.axis"), most }, fills);
    view.effect(() => {
      const { finite } = summary.value.counts(format, 0);
      setText(counts, t(i ? "difference.in_recipe" : "difference.in_reference", { format: name, words: countWords(summary.value) }));
      set(plot.element, { "aria-label": shares(finite, summary.value.finite) });
    });
    return h("div", {}, counts, plot.element);
  });
  const [title, errors, reason] = [h("h4"), h("p"), h("p")];
  const both = h("div", { class: "mw-stack-tight" }, ...plots);

  view.effect(() => {
    const row = chosen.value;
    place.value = 0;
    menu.replaceChildren(...(row?.tensors ?? []).map((tensor) => h("option", {}, `${tensorName(tensor)} (${number(tensor.error)})`)));
    choice.hidden = menu.options.length < 2;
  });
  view.effect(() => {
    const [row, shown] = [chosen.value, tensor.value];
    if (!row) return;
    const isScaled = row.direction === "backward" && row.module !== "step" && lossScale !== 1;
    setText(title, `${moduleName(row)} (${row.kind}) · ${t(`difference.${row.direction}`)}${shown ? ` · ${tensorName(shown)}` : ""}`);
    setText(errors, shown ? inSeries([errorWords(shown), isScaled ? t("difference.scaled", { scale: powerOfAny(lossScale) }) : ""]) : "");
    setText(reason, row === first ? "" : row.reason);
    both.hidden = !shown;
  });
  return h("section", { class: "mw-stack-tight mw-difference-tensor", "aria-label": t("difference.tensor") },
    title, choice, h("div", { class: "mw-stack-tight", "aria-live": "polite" }, errors, reason), both, fills.element);
}

/** "512 in all, 3 zero, 12 infinite". */
function countWords({ count, zero, inf, nan }: GradientSummary): string {
  const parts = { values: count, zero, inf, nan };
  return listed((["values", "zero", "inf", "nan"] as const).filter((kind) => kind === "values" || parts[kind] > 0)
    .map((kind) => t(`difference.${kind}`, { count: integer(parts[kind]) })));
}

export default { render };
