// NumberLine: a number between its neighbours, on a line that zooms through every scale.

import type { AnyModel, RenderProps } from "@anywidget/types";
import { formats, getFormat } from "#core/formats/catalogue.ts";
import { toDecimal } from "#core/formats/decode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { announcer } from "#ui/announcer.ts";
import { attempt } from "#ui/attempt.ts";
import { button } from "#ui/buttons.ts";
import { card, labelled } from "#ui/card.ts";
import { emphasised, h, s, set, setText, uniqueId } from "#ui/dom.ts";
import { inSeries, listed, pieces, t } from "#ui/messages.ts";
import { fitted, marksOf } from "#ui/number_line/marks.ts";
import { largest } from "#ui/number_line/ticks.ts";
import { endsOf, panned, sees, viewOf, widthOf, zoomed, type View } from "#ui/number_line/view.ts";
import { cut } from "#ui/digits.ts";
import { textField } from "#ui/fields.ts";
import { accept, exactInput, inFormat, numberLink, stepped, typed, type EditedNumber, type State as NumberState } from "#widgets/bit_editor/state.ts";
import { sentence } from "#widgets/bit_editor/words.ts";
import { draw, type Scene } from "./comparison.ts";
import { decision } from "./decision.ts";
import { navigate } from "./navigation.ts";

export interface State extends NumberState {
  /** Names of the formats in the rows below. */
  formats: string[];
}

const LONGEST_TEXT = 20_000; // characters, as in the bit editor

function render({ model, el }: RenderProps<State>): () => void {
  const { root, head } = card(el, t("line.title"));
  root.classList.add("mw-number-line");

  const select = h("select", {}, ...formats.map((fmt) => h("option", { value: fmt.name }, fmt.name)));
  const value = textField(t("common.value"), LONGEST_TEXT, (text) => attempt(() => link.edit(typed(link.number, text), "now")));
  const wrong = h("p", { class: "mw-error", id: uniqueId("error"), role: "alert" });
  head.append(h("div", { class: "mw-row" }, labelled(t("line.format"), select), value.element));

  const callout = h("p", { class: "mw-callout" });
  const cells = decision();
  const svg = s("svg", { class: "mw-nl", role: "img" });
  const keys = h("span", { class: "mw-note", id: uniqueId("keys") }, t("line.keys"));
  const board = h("div", {
    class: "mw-nl-board", tabindex: 0, role: "group", "aria-label": t("line.board"), "aria-describedby": keys.id,
  }, svg);
  const spoken = announcer();

  let scene: Scene;
  let view: View;
  let moved = false; // whether the view was chosen by hand

  const paint = () => {
    const captions = draw(svg, scene, view);
    const [from, to] = endsOf(view).map((end) => cut(end, 17)) as [string, string];
    const marks = listed(scene.marks.filter((mark) => sees(view, mark.value)).map((mark) => mark.label));
    const words = t("line.described", { from, to, marks: marks || t("line.nothing"), rows: inSeries(captions) });
    set(svg, { "aria-label": words });
    return words;
  };
  const look = (next: View) => {
    view = next;
    moved = true;
    spoken.say(paint());
  };
  const fit = () => {
    view = fitted(scene.marks, view.width);
    moved = false;
    spoken.say(paint());
  };
  const zoom = (steps: number, pixel = view.width / 2) => look(zoomed(view, steps, pixel));
  const pan = (pixels: number) => look(panned(view, pixels));
  const whole = () => look(viewOf({ numerator: 0n, denominator: 1n }, largest(scene.fmt), 0.46, view.width));

  const show = (number: EditedNumber) => {
    select.value = number.fmt.name;
    setText(wrong, "");
    value.show(number.input || toDecimal(number.fmt, number.code));
    const marks = marksOf(number);
    scene = { fmt: number.fmt, marks, others: othersOf(model, number.fmt), text: exactInput(number) };
    const { key, args, tone } = sentence(number);
    callout.dataset.tone = tone;
    callout.replaceChildren(...emphasised(pieces(key, args)));
    cells.show(number, marks);
    const here = marks.find(({ role }) => role === "input");
    if (!moved || !here || !sees(view, here.value)) view = fitted(marks, widthOf(board));
    paint();
  };
  const link = numberLink(model as unknown as AnyModel<NumberState>, (number) => {
    show(number);
    spoken.say(callout.textContent);
  });

  select.addEventListener("change", () => {
    moved = false;
    const error = attempt(() => link.edit(inFormat(link.number, getFormat(select.value)!), "now"));
    select.value = link.number.fmt.name;
    setText(wrong, error);
  });

  root.append(
    value.error, wrong, callout, cells.element, board,
    h("div", { class: "mw-row" },
      button(t("line.zoom_out_sign"), () => zoom(4), { "aria-label": t("line.zoom_out") }),
      button(t("line.zoom_in_sign"), () => zoom(-4), { "aria-label": t("line.zoom_in") }),
      button(t("line.left_sign"), () => pan(-view.width / 4), { "aria-label": t("line.left") }),
      button(t("line.right_sign"), () => pan(view.width / 4), { "aria-label": t("line.right") }),
      button(t("line.fit"), fit),
      button(t("line.whole"), whole),
      keys),
    spoken.element,
  );
  show(link.number);

  navigate(board, { zoom, pan, fit, step: (direction) => link.edit(stepped(link.number, direction), "soon") });
  const compare = () => show(link.number);
  model.on("change:formats", compare);
  const observer = new ResizeObserver(() => {
    const width = widthOf(board);
    if (width === view.width) return;
    view = moved ? { ...view, width } : fitted(scene.marks, width);
    paint();
  });
  observer.observe(board);
  return () => {
    spoken.close();
    observer.disconnect();
    model.off("change:formats", compare);
    link.close();
    root.remove();
  };
}

/** The formats of the rows: those named, as far as there are such, without the line's own. */
function othersOf(model: AnyModel<State>, fmt: FloatFormat): FloatFormat[] {
  const names: unknown = model.get("formats");
  const found = Array.isArray(names) ? names.map((name) => getFormat(name)) : [];
  return [...new Set(found)].filter((one): one is FloatFormat => one !== undefined && one !== fmt);
}

export default { render, accept };
