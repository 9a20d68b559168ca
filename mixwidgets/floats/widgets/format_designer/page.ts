// FormatDesigner: set the widths, the bias and the special values (controls.ts), and see the resulting format: its
// properties, and its values as two pictures (value_line.ts, map.ts).

import type { RenderProps } from "@anywidget/types";
import { batch, computed, signal, type ReadonlySignal } from "@preact/signals-core";
import { getFormat } from "#core/formats/catalogue.ts";
import { exact } from "#core/formats/decode.ts";
import { past } from "#core/formats/encode.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { compare, floorLog2, power, rational, type Rational } from "#core/formats/rational.ts";
import { announcer } from "#ui/announcer.ts";
import { card } from "#ui/card.ts";
import { cut, integer, twoTo, valueIn, withMinus } from "#ui/digits.ts";
import { emphasised, h, setText } from "#ui/dom.ts";
import { attempt } from "#ui/fields.ts";
import { listed, pieces, t, type MessageKey, type Piece } from "#ui/messages.ts";
import { addQuestions, answeredByTraits } from "#ui/questions/questions.ts";
import { explained } from "#ui/term.ts";
import { kept, viewOf, type View } from "#ui/view.ts";
import { controls, type Draft } from "./controls.ts";
import { CLASSES, countsOf, designOf, finiteValues, formatOf, known, read, relatives, same, type Design } from "./design.ts";
import { codeMap } from "./map.ts";
import { valueLine } from "./value_line.ts";
import steps from "./stage.json";

const FIRST = "float8_e4m3"; // shown until the model has a valid design
const DIGITS = 10; // of a property

function render({ model, el }: RenderProps<Design>): () => void {
  const view = viewOf(model);
  const { root, head } = card(view, el, "mw-format-designer", t("designer.title"));
  const name = h("p", { class: "mw-num mw-design-name" });
  head.append(name);

  const callout = h("p", { class: "mw-callout" });
  const announce = announcer(view);
  const design = kept(designOf(getFormat(FIRST)!), (last) => {
    const next = read((name) => view.trait(name).value);
    return next && !same(next, last) ? next : last;
  }); // the last valid one
  const words = computed(() => verdict(design.value));
  const draft = signal<Draft>({ design: design.value }); // what the controls show
  view.onChange(design, (next) => (draft.value = { design: next }));
  const fmt = computed(() => formatOf(design.value));
  const title = computed(() => (known(design.value) ?? fmt.value).name);

  const panel = controls(view, draft, {
    change(changes, at) {
      const next = { ...draft.value.design, ...changes };
      const wrong = attempt(() => void formatOf(next));
      batch(() => {
        if (!wrong) view.set(next);
        draft.value = { design: next, at, wrong };
      });
    },
    commit: () => model.save_changes(),
  });
  root.append(
    h("div", { class: "mw-design-top" }, panel, h("div", { class: "mw-stack-tight" }, callout, specSheet(view, fmt))),
    legend(view, fmt),
    h("div", { class: "mw-design-picture" }, valueLine(view, fmt, title), codeMap(view, fmt, view.width(root))),
    announce.element);

  view.effect(() => {
    setText(name, title.value);
    callout.replaceChildren(...emphasised(words.value));
  });
  view.onChange(words, () => announce.say(words.value.map(({ text }) => text).join("")));

  addQuestions(view, root, answeredByTraits(view, steps));
  return view.close;
}

/** Which known format the design is, if any, and which others have its widths. */
function verdict(design: Design): Piece[] {
  const format = known(design);
  const others = listed(relatives(design).filter((fmt) => fmt !== format).map((fmt) => fmt.name));
  const rest = others ? pieces("designer.relatives", { names: others }) : [];
  if (!format) return [...pieces("designer.new"), ...rest];
  const key = format.experimental ? "designer.is_experimental" : "designer.is_known";
  return [...pieces(key, { name: format.name, citation: format.citation }), ...rest];
}

/** The state from an address; null if it is invalid. */
function accept(wanted: Design): Design | null {
  return read((trait) => wanted[trait]);
}

/** The spec sheet: the properties of the format. */
function specSheet(view: View<Design>, fmt: ReadonlySignal<FloatFormat>): HTMLElement {
  const element = h("dl", { class: "mw-design-sheet" });
  view.effect(() => element.replaceChildren(...figuresOf(fmt.value).map(([key, text]) =>
    h("div", {}, h("dt", {}, ...explained(t(key))), h("dd", { class: "mw-num" }, text)))));
  return element;
}

/** Names and figures, in the usual order of papers. */
export function figuresOf(fmt: FloatFormat): readonly (readonly [MessageKey, string])[] {
  const smallestNormal = fmt.smallestNormalCode;
  const hasNormal = smallestNormal <= fmt.maxCode;
  return [
    ["designer.bits", t("designer.bits_text", {
      bits: fmt.bits, sign: Number(fmt.signed), exponent: fmt.exponentBits, fraction: fmt.fractionBits })],
    ["designer.precision", String(fmt.precision)],
    ["designer.exponents", hasNormal ? withMinus(`${fmt.emin} … ${fmt.emax}`) : t("designer.none")],
    ["designer.max", amount(exact(fmt, fmt.maxCode))],
    ["designer.smallest_normal", hasNormal ? amount(exact(fmt, smallestNormal)) : t("designer.none")],
    ["designer.smallest_subnormal", fmt.hasSubnormals ? amount(exact(fmt, 1n)) : t("designer.none")],
    ["designer.eps", amount(power(2n, -fmt.fractionBits))],
    ["designer.unit_roundoff", amount(power(2n, -fmt.precision))],
    ["designer.threshold", `${fmt.overflowTieStays ? ">" : "≥"} ${amount(fmt.overflowThreshold)} → ${valueIn(fmt, past(fmt, false), DIGITS)}`],
    ["designer.finite", integer(finiteValues(fmt))],
    ["designer.zero", fmt.hasZero ? fmt.toHex(0n) : t("designer.none")],
    ["designer.infinity_code", fmt.infCode === null ? t("designer.none") : fmt.toHex(fmt.infCode)],
    ["designer.nan_code", fmt.nanCode === null ? t("designer.none") : fmt.toHex(fmt.nanCode)],
    ["designer.negative_zero", fmt.hasNegativeZero ? fmt.toHex(fmt.signBit) : t("designer.none")],
  ];
}

/** A value in digits; powers of two also as such, unless they are from 1 to 1024. */
export function amount(x: Rational): string {
  const exponent = floorLog2(x);
  const digits = cut(x, DIGITS);
  if (compare(x, power(2n, exponent)) !== 0 || (exponent >= 0 && exponent <= 10)) return digits;
  return digits.includes("…") ? `${twoTo(exponent)} ≈ ${digits.replace("…", "")}` : `${twoTo(exponent)} = ${digits}`;
}

/** How many codes the format has of each class. */
function legend(view: View<Design>, fmt: ReadonlySignal<FloatFormat>): HTMLElement {
  const list = h("ul", { class: "mw-design-legend" });
  view.effect(() => {
    const counts = countsOf(fmt.value);
    const all = 1n << BigInt(fmt.value.bits);
    const present = CLASSES.filter((kind) => counts[kind] > 0n);
    list.replaceChildren(...present.map((kind) => h("li", {},
      h("span", { class: `mw-design-swatch mw-design-${kind}`, "aria-hidden": "true" }, t(`designer.letter_${kind}`)),
      t("designer.class_count", { kind: t(`designer.class_${kind}`), count: integer(counts[kind]), share: shareOf(counts[kind], all) }))));
  });
  return list;
}

function shareOf(part: bigint, all: bigint): string {
  const percent = (2000n * part + all) / (2n * all); // in tenths
  return percent === 0n ? t("designer.tiny") : `${cut(rational(percent, 10n), 4)} %`;
}

export default { render, accept };
