// The bits as a grid of switches, one row a field, one tab stop for all.

import { fields, isFinite, type Fields } from "../../formats/decode.ts";
import type { FloatFormat } from "../../formats/float_format.ts";
import { h, set, setText } from "../../ui/dom.ts";
import { t } from "../../ui/messages.ts";
import { superscript, withMinus } from "./digits.ts";

interface Field {
  readonly name: "sign" | "exponent" | "fraction";
  readonly letter: string;
  readonly width: number;
  /** Position of the field's lowest bit in the code. */
  readonly low: number;
}

interface Actions {
  flip(position: number): void;
  step(direction: 1 | -1): void;
}

export function bitGrid({ flip, step }: Actions): { element: HTMLElement; show(fmt: FloatFormat, code: bigint): void } {
  const element = h("div", { role: "grid", "aria-label": t("bits.grid"), class: "mw-bits" });
  let shown: FloatFormat | null = null;
  let buttons: HTMLButtonElement[] = []; // by position in reading order, highest bit first
  let labels: { of: Field; number: HTMLElement }[] = [];
  let stop = 0; // the one that Tab reaches

  const moveStop = (next: number) => {
    if (buttons[stop]) set(buttons[stop]!, { tabindex: -1 });
    stop = next;
    set(buttons[stop]!, { tabindex: 0 });
  };
  const bitOf = (target: EventTarget | null) => buttons.findIndex((b) => target instanceof Node && b.contains(target));
  element.addEventListener("focusin", (event) => {
    const i = bitOf(event.target);
    if (i >= 0) moveStop(i);
  });
  element.addEventListener("click", (event) => {
    const i = bitOf(event.target);
    if (i >= 0) flip(buttons.length - 1 - i);
  });
  element.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const last = buttons.length - 1;
    const target = { ArrowLeft: Math.max(stop - 1, 0), ArrowRight: Math.min(stop + 1, last), Home: 0, End: last }[event.key];
    if (target !== undefined) buttons[target]!.focus();
    else if (event.key === "ArrowUp") step(1);
    else if (event.key === "ArrowDown") step(-1);
    else return; // Space and Enter click the button by themselves
    event.preventDefault();
  });

  const build = (fmt: FloatFormat) => {
    buttons = [];
    labels = [];
    const rows = fieldsOf(fmt).map((field) => {
      const number = h("span", { class: "mw-num" });
      labels.push({ of: field, number });
      const name = h("span", {}, h("b", {}, field.letter), ` ${t(`bits.${field.name}`)}`);
      const head = h("div", { role: "rowheader", class: "mw-bit-field-head" }, name, number);
      const cells = h("div", { role: "none", class: "mw-bit-field-bits" });
      for (let position = field.low + field.width - 1; position >= field.low; position -= 1) {
        // A group is what one hex digit of the code shows.
        if (!cells.lastElementChild || position % 4 === 3) cells.append(h("div", { role: "none", class: "mw-bit-nibble" }));
        const button = h(
          "button",
          { type: "button", role: "switch", tabindex: -1, class: "mw-bit" },
          h("span", { class: "mw-bit-digit" }),
          h("span", { class: "mw-bit-weight" }, weightOf(field, position)),
        );
        buttons.push(button);
        cells.lastElementChild!.append(h("span", { role: "gridcell" }, button));
      }
      return h("div", { role: "row", class: `mw-bit-field mw-bit-${field.name}` }, head, cells);
    });
    element.replaceChildren(...rows);
    moveStop(Math.min(stop, buttons.length - 1));
    shown = fmt;
  };

  const show = (fmt: FloatFormat, code: bigint) => {
    if (fmt !== shown) build(fmt);
    const read = fields(fmt, code);
    for (const { of, number } of labels) setText(number, fieldNumber(fmt, of, read, isFinite(fmt, code)));
    let i = 0;
    for (const { of } of labels) {
      for (let position = of.low + of.width - 1; position >= of.low; position -= 1, i += 1) {
        const on = ((code >> BigInt(position)) & 1n) === 1n;
        const button = buttons[i]!;
        set(button, { "aria-checked": String(on), "aria-label": nameOf(of, position, on) });
        setText(button.firstElementChild!, on ? "1" : "0");
      }
    }
  };
  return { element, show };
}

function fieldsOf(fmt: FloatFormat): readonly Field[] {
  return [
    { name: "sign", letter: "S", width: 1, low: fmt.bits - 1 },
    { name: "exponent", letter: "E", width: fmt.exponentBits, low: fmt.fractionBits },
    { name: "fraction", letter: "F", width: fmt.fractionBits, low: 0 },
  ];
}

/** The field's number: the exponent with its bias taken off, the fraction over its unit. */
function fieldNumber(fmt: FloatFormat, { name }: Field, read: Fields, finite: boolean): string {
  if (name === "sign") return "";
  if (name === "fraction") return `${read.fraction}/${1n << BigInt(fmt.fractionBits)}`;
  const { biasedExponent } = read;
  if (!finite) return t("bits.all_ones", { exponent: biasedExponent });
  const value = Math.max(biasedExponent, 1) - fmt.bias;
  const lifted = biasedExponent === 0 ? "0 → 1" : String(biasedExponent);
  return withMinus(`${lifted} - ${fmt.bias} = ${value}`);
}

/** The place value under a bit. */
function weightOf({ name, low, width }: Field, position: number): string {
  if (name === "sign") return "±";
  if (name === "exponent") return String(2 ** (position - low));
  const power = position - width;
  return { [-1]: "½", [-2]: "¼", [-3]: "⅛" }[power] ?? `2${superscript(power)}`;
}

function nameOf({ name, low, width }: Field, position: number, on: boolean): string {
  const state = t(on ? "bits.on" : "bits.off");
  if (name === "sign") return t("bits.sign_bit", { state });
  const weight = name === "exponent" ? String(2 ** (position - low)) : withMinus(`2^${position - width}`);
  return t(`bits.${name}_bit`, { number: low + width - position, width, weight, state });
}
