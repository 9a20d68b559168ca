// Text from users' files and code, which may contain control characters and marks of direction. No DOM.

const [ISOLATE, END] = ["\u2068", "\u2069"]; // of a text with its own direction
const CONTROLS = /(?![\t\n\r])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066\u2067]/gu;
const MARKS = /[\u2068\u2069]/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const spelled = (control: string): string => `\\u${control.codePointAt(0)!.toString(16).padStart(4, "0")}`;

/** The text with control characters and marks of direction escaped, such as "\u202e". Other values, as a hostile page may
 * contain, are converted to text. */
export const plain = (text: string): string => String(text).replace(CONTROLS, spelled);

/** The same for a part of a sentence: text written from right to left does not reorder what surrounds it. */
export function isolated(text: string): string {
  const part = isBalanced(text) ? plain(text) : plain(text).replace(MARKS, spelled);
  return RIGHT_TO_LEFT.test(part) ? ISOLATE + part + END : part;
}

/** Whether the marks of isolation in the text are balanced, as in a sentence made of isolated parts. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (const [mark] of text.matchAll(MARKS)) {
    depth += mark === ISOLATE ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
