// The controls of a setting: a menu, a menu of formats with room for one of one's own, a number.

import { wholeIn } from "#core/formats/parse.ts";
import { bareField } from "#ui/fields.ts";
import { h, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { choices, ownFormat, widthsIn } from "./state.ts";

export interface Field<T> {
  readonly element: HTMLElement;
  show(value: T): void;
}

/** A label over its control. */
function under(label: string, control: HTMLElement, ...more: HTMLElement[]): HTMLElement {
  if (!control.id) control.id = uniqueId("setting");
  return h("div", { class: "mw-play-field" }, h("label", { for: control.id }, label), control, ...more);
}

/** A menu of values and their words; a value that is not among them is added when it is shown. */
export function menu<T extends string | number>(label: string, options: readonly T[], words: (value: T) => string, choose: (value: T) => void): Field<T> {
  const values = [...options];
  const add = (value: T) => h("option", { value: String(value) }, words(value));
  const select = h("select", {}, ...values.map(add));
  select.addEventListener("change", () => choose(values[select.selectedIndex]!));
  const show = (value: T): void => {
    if (!values.includes(value)) {
      values.push(value);
      select.append(add(value));
    }
    select.selectedIndex = values.indexOf(value);
  };
  return { element: under(label, select), show };
}

const OWN = "custom";

/** A menu of formats; its last entry opens two fields for the widths of one's own. */
export function formatMenu(label: string, choose: (name: string) => void): Field<string> {
  const widths = { exponent: 5, fraction: 7 };
  const one = menu<string>(label, [...choices.map(({ name }) => name), OWN], (name) => (name === OWN ? t("play.own_format") : name), (name) => choose(name === OWN ? ownName() : name));
  const ownName = () => `custom_e${widths.exponent}m${widths.fraction}`;
  const width = (of: "exponent" | "fraction") => bareField(
    { inputmode: "numeric", "aria-label": t(of === "exponent" ? "play.own_exponent" : "play.own_fraction", { label }), class: "mw-play-width" }, (text) => {
      const wanted = { ...widths, [of]: wholeIn(text, 0, 99) ?? NaN };
      if (!ownFormat(wanted.exponent, wanted.fraction)) return t("play.own_wrong", { came: text || t("common.nothing") });
      Object.assign(widths, wanted);
      choose(ownName());
      return "";
    });
  const [exponent, fraction] = [width("exponent"), width("fraction")];
  const room = h("div", { class: "mw-row mw-play-own", hidden: true }, "E", exponent.element, "M", fraction.element, exponent.error, fraction.error);
  one.element.append(room);
  const show = (name: string): void => {
    const found = widthsIn(name);
    room.hidden = !found;
    Object.assign(widths, found);
    exponent.show(String(widths.exponent));
    fraction.show(String(widths.fraction));
    one.show(found ? OWN : name);
  };
  return { element: one.element, show };
}

/** A whole number. */
export function wholeField(label: string, low: number, high: number, choose: (value: number) => void): Field<number> {
  const { element, error, show } = bareField({ inputmode: "numeric", class: "mw-play-number" }, (text) => {
    const value = wholeIn(text, low, high);
    if (value === null) return t("play.whole_wrong", { label, low, high, came: text || t("common.nothing") });
    choose(value);
    return "";
  });
  return { element: under(label, element, error), show: (value) => show(String(value)) };
}
