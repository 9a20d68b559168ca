// The answers to a page's questions: the tab keeps them, and this computer does if the reader asks for it. They never stand in the
// address, so that who shares it does not hand them over. All pages of a site know them by the question, in every language.

import { copy } from "#ui/clipboard.ts";
import { set, setText } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { keep, kept } from "#ui/tab.ts";

const STATE = "mixwidgets-answer ";
const OVER = "mixwidgets-over "; // answered, or the answer shown
const ASKED = "mixwidgets-keep-answers";

const isAsked = () => kept(ASKED, "localStorage") !== "";

function put(key: string, text: string): void {
  keep(key, text);
  if (isAsked() || text === "") keep(key, text, "localStorage");
}

const get = (key: string): string => kept(key) || kept(key, "localStorage");

/** The state of a question as an earlier page kept it; "" if none did. */
export const answersTo = (question: string): string => get(STATE + question);

/** Keep the state of a question; "" forgets it. */
export function keepAnswers(question: string, state: string): void {
  put(STATE + question, state);
  if (state === "") put(OVER + question, "");
}

/** The parts of a site's page about answers: whether to keep them, all reports in one text, and how many are answered. */
export function showAnswers(): void {
  document.addEventListener("mw-over", ({ target }) => put(OVER + (target as HTMLElement).dataset["exercise"], "1"));
  const choice = document.querySelector<HTMLInputElement>("#keep-answers");
  if (choice) {
    choice.checked = isAsked();
    choice.addEventListener("change", () => keepHere(choice.checked));
  }
  const button = document.querySelector<HTMLButtonElement>("#copy-all");
  if (button) set(button, { hidden: false });
  button?.addEventListener("click", () => void copyAll());
  showProgress();
  window.addEventListener("pageshow", showProgress); // a page from the browser's own memory
}

/** From now on, whether answers are kept on this computer: those of this tab begin, or all are forgotten there. */
function keepHere(isWanted: boolean): void {
  keep(ASKED, isWanted ? "1" : "", "localStorage");
  const all = (where: Storage) => Object.keys(where).filter((key) => key.startsWith(STATE) || key.startsWith(OVER));
  try {
    for (const key of all(sessionStorage)) if (isWanted) keep(key, kept(key), "localStorage");
    for (const key of all(localStorage)) if (!isWanted) keep(key, "", "localStorage");
  } catch {
    // The browser allows no storage.
  }
}

async function copyAll(): Promise<void> {
  const text = [...document.querySelectorAll(".mw-exercise-report")].map((report) => report.textContent).join("\n\n");
  const [shown, said] = ["#all-reports", "#copied"].map((selector) => document.querySelector<HTMLElement>(selector)!) as [HTMLElement, HTMLElement];
  setText(shown, text);
  set(shown, { hidden: false });
  setText(said, t((await copy(text, shown)) ? "exercise.copied" : "clipboard.selected"));
}

function showProgress(): void {
  for (const count of document.querySelectorAll<HTMLElement>("[data-questions]")) {
    const questions = count.dataset["questions"]!.split(" ");
    const done = questions.filter((question) => get(OVER + question)).length;
    if (done > 0) setText(count, t("page.progress", { done, count: questions.length }));
  }
}
