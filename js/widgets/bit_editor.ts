// BitEditor: flip, type or step; everything is computed here, and the kernel hears of it when the hand rests.

import type { RenderProps } from "@anywidget/types";
import { formats, getFormat } from "../formats/catalogue.ts";
import { isFinite, nextDown, nextUp, shortest, toDecimal } from "../formats/decode.ts";
import { encode } from "../formats/encode.ts";
import { InputError } from "../formats/parse.ts";
import { card, chips } from "../ui/card.ts";
import { h, setText } from "../ui/dom.ts";
import { pieces, t } from "../ui/messages.ts";
import { accept } from "./bit_editor/address.ts";
import { bitGrid } from "./bit_editor/bits.ts";
import { figure } from "./bit_editor/digits.ts";
import { textField } from "./bit_editor/fields.ts";
import { formula } from "./bit_editor/formula.ts";
import { numberLine } from "./bit_editor/number_line.ts";
import { readout } from "./bit_editor/readout.ts";
import { inFormat, numberLink, withCode, type EditedNumber, type State } from "./bit_editor/state.ts";
import { classLine, sentence } from "./bit_editor/words.ts";

const LONGEST_TEXT = 20_000; // characters that a field takes; what is too long to read is an error, not a cut
const ANNOUNCE_MS = 600; // a burst of edits is spoken of once, at its end
const EASY_TEXT = 24; // characters of an exact value that the field shows before it prefers the shortest

function render({ model, el }: RenderProps<State>): () => void {
  const { root, head } = card(el, t("bits.title"));
  root.classList.add("mw-bit-editor");

  const choice = chips(t("common.formats"), formats.map((fmt) => fmt.name), (name) => {
    link.edit(inFormat(link.number, getFormat(name)!), "now");
  });
  head.append(choice.element);

  const answer = readout();
  const value = textField(t("common.value"), LONGEST_TEXT, (text) =>
    attempt(() => {
      const { fmt } = link.number;
      const code = encode(fmt, text);
      link.edit({ fmt, code, input: text.trim() }, "now");
    }),
  );
  const code = textField(t("common.code"), LONGEST_TEXT, (text) =>
    attempt(() => link.edit(withCode(link.number, link.number.fmt.toCode(text)), "now")),
  );
  const step = (direction: 1 | -1) => {
    const next = direction > 0 ? nextUp : nextDown;
    link.edit(withCode(link.number, next(link.number.fmt, link.number.code)), "soon");
  };
  const bits = bitGrid({
    flip: (position) => link.edit(withCode(link.number, link.number.code ^ (1n << BigInt(position))), "soon"),
    step,
  });
  const terms = formula();
  const callout = h("p", { class: "mw-callout" });
  const line = numberLine();
  const down = h("button", { type: "button" }, t("bits.step_down"));
  const up = h("button", { type: "button" }, t("bits.step_up"));
  down.addEventListener("click", () => step(-1));
  up.addEventListener("click", () => step(1));
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });

  root.append(
    h(
      "div",
      { class: "mw-bit-top" },
      answer.figure,
      h("div", { class: "mw-bit-fields" }, h("div", { class: "mw-row" }, value.element, code.element), value.error, code.error),
      answer.details,
    ),
    bits.element,
    terms.element,
    callout,
    line.element,
    h("div", { class: "mw-row" }, down, up, h("span", { class: "mw-note" }, t("bits.keys"))),
    spoken,
  );

  let announcing: ReturnType<typeof setTimeout> | undefined;
  const paint = (number: EditedNumber) => {
    const { fmt } = number;
    root.dataset.width = fmt.bits > 32 ? "64" : fmt.bits > 16 ? "32" : "16"; // sizes cells and reserves room
    choice.show(fmt.name);
    answer.show(fmt, number.code);
    value.show(fieldText(number));
    code.show(fmt.toHex(number.code));
    bits.show(fmt, number.code);
    terms.show(fmt, number.code);
    const { key, args, tone } = sentence(number);
    callout.dataset.tone = tone;
    callout.replaceChildren(...pieces(key, args).map(({ text, strong }) => (strong ? h("strong", {}, text) : text)));
    line.show(number);
  };
  const announce = (number: EditedNumber) => {
    clearTimeout(announcing);
    const words = [figure(number.fmt, number.code).text, classLine(number.fmt, number.code)].join(" · ");
    announcing = setTimeout(() => setText(spoken, words), ANNOUNCE_MS);
  };
  const link = numberLink(model, (number) => {
    paint(number);
    announce(number);
  });
  paint(link.number);

  const listening = new AbortController();
  const { signal } = listening;
  root.addEventListener("focusout", (event) => {
    if (!(event.relatedTarget instanceof Node && root.contains(event.relatedTarget))) link.flush();
  }, { signal });
  document.addEventListener("visibilitychange", link.flush, { signal });
  window.addEventListener("pagehide", link.flush, { signal });
  return () => {
    clearTimeout(announcing);
    listening.abort();
    link.close();
    root.remove();
  };
}

/** Run an edit; what is wrong with its text comes back in words. */
function attempt(edit: () => void): string {
  try {
    edit();
    return "";
  } catch (error) {
    if (error instanceof InputError) return t(error.key, error.args);
    throw error;
  }
}

/** What the value field holds: the last input, else the value, in a form that reads back to the same bits. */
function fieldText({ fmt, code, input }: EditedNumber): string {
  if (input !== "") return input;
  const all = toDecimal(fmt, code);
  return isFinite(fmt, code) && all.length > EASY_TEXT ? shortest(fmt, code) : all;
}

export default { render, accept };
