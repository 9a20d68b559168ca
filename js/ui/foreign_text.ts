// Text of other people's files and code: shown, never obeyed. A mark of direction would turn a line around. No DOM.

const [ISOLATE, END] = ["\u2068", "\u2069"]; // around a text that chooses its own direction
const CONTROLS = /(?![\t\n\r])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066\u2067]/gu;
const MARKS = /[\u2068\u2069]/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const spelled = (control: string): string => `\\u${control.codePointAt(0)!.toString(16).padStart(4, "0")}`;

/** The text, with control characters and marks of direction spelled out, such as "\u202e". What a hostile page has in
 * a text's place becomes one. */
export const plain = (text: string): string => String(text).replace(CONTROLS, spelled);

/** The same for a part of a sentence: what is written from right to left does not move its neighbours. */
export function isolated(text: string): string {
  const part = isBalanced(text) ? plain(text) : plain(text).replace(MARKS, spelled);
  return RIGHT_TO_LEFT.test(part) ? ISOLATE + part + END : part;
}

/** Whether each isolation in the text ends there, as in one that is made of parts already. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (const [mark] of text.matchAll(MARKS)) {
    depth += mark === ISOLATE ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
