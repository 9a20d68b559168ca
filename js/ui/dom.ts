// Creates elements with textContent and attributes only, so that no text is parsed as markup.

import { plain } from "./foreign_text.ts";
import type { Piece } from "./messages.ts";

type Child = Node | string | null | undefined;
export type Attributes = Record<string, string | number | boolean | undefined>;

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element. `true` sets an empty attribute; `false` and undefined set none. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  set(element, attributes);
  for (const child of children) {
    if (child !== null && child !== undefined) element.append(typeof child === "string" ? plain(child) : child);
  }
  return element;
}

/** Set the attributes that differ. */
export function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) {
      element.removeAttribute(name);
      continue;
    }
    const text = value === true ? "" : name === "value" || typeof value === "number" ? String(value) : plain(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** Set an element's text if it differs. */
export function setText(element: Element, text: string): void {
  const wanted = plain(text);
  if (element.textContent !== wanted) element.textContent = wanted;
}

/** A text as a node. */
export const textNode = (text: string): Text => document.createTextNode(plain(text));

/** Pieces of text as nodes, strong ones in <strong>. */
export function emphasised(pieces: readonly Piece[]): (HTMLElement | Text)[] {
  return pieces.map(({ text, strong }) => (strong ? h("strong", {}, text) : textNode(text)));
}

let serial = 0;

/** An id that is unique in the page, to connect labels and descriptions with their controls. */
export function uniqueId(prefix: string): string {
  serial += 1;
  return `mw-${prefix}-${serial}-${Math.random().toString(36).slice(2, 8)}`;
}
