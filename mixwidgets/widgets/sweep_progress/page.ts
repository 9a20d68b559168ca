// SweepProgress: how far a sweep is, which cells failed and why, and a Stop button.

import type { RenderProps } from "@anywidget/types";
import { action } from "#ui/buttons.ts";
import { card } from "#ui/card.ts";
import { h, set, setText } from "#ui/dom.ts";
import { kernelLink } from "#ui/kernel.ts";
import { sentences, t } from "#ui/messages.ts";

type Word = "done" | "running" | "waiting" | "failed" | "stopped";

interface State {
  _counts: Partial<Record<Word, number>>; // how many cells are …
  _failures: { name: string; why: string }[]; // the first of those that failed
  _is_over: boolean;
}

const WORDS: readonly Word[] = ["done", "running", "waiting", "failed", "stopped"];
const DRAWN = ["_counts", "_failures", "_is_over"] as const;
const QUIET_MS = 5000; // between two spoken words while it goes on

function render({ model, el }: RenderProps<State>): () => void {
  const { root, head } = card(el, t("sweep.title"));
  let hasKernel = true;
  let isAsked = false;

  const link = kernelLink<"stop">(model, {
    waiting: (kinds) => {
      isAsked = kinds.size > 0;
      if (isAsked) say("", false);
      draw();
    },
    slow: () => say(t("sweep.slow"), false),
    refused: (text) => say(text, true),
    absent: () => {
      hasKernel = false;
      draw();
    },
  });
  const stop = action(t("sweep.stop"), () => link.ask("stop"));
  head.append(stop.element);

  const bar = h("progress", { "aria-label": t("sweep.progress") });
  const counts = h("p", { class: "mw-num mw-sweep-counts" });
  const note = h("p", { class: "mw-note" });
  const message = h("p", { "aria-live": "polite" });
  const failures = h("ul", {});
  const more = h("p", { class: "mw-note" });
  const failed = h("section", { class: "mw-stack-tight mw-sweep-failed", "aria-label": t("sweep.failed_cells"), tabindex: 0 }, h("h4", {}, t("sweep.failed_cells")), failures, more);
  const spoken = h("p", { class: "mw-hidden", "aria-live": "polite" });
  root.append(h("div", { class: "mw-stack-tight" }, bar, counts, note, message), failed, spoken);

  function say(text: string, isError: boolean): void {
    set(message, { class: isError ? "mw-error" : "mw-note", hidden: text === "" });
    setText(message, text);
  }

  const draw = () => {
    const number = (word: Word) => model.get("_counts")[word] ?? 0;
    const total = WORDS.reduce((sum, word) => sum + number(word), 0);
    const ended = number("done") + number("failed") + number("stopped");
    const isOver = model.get("_is_over");
    set(bar, { max: Math.max(1, total), value: total === 0 ? 1 : ended });
    const told = WORDS.filter((word) => word === "done" || number(word) > 0);
    const words = told.map((word) => t(`sweep.${word}`, { count: number(word), total })).join(" · ");
    setText(counts, total === 0 ? t("sweep.nothing") : words);
    const isWhole = number("done") === total;
    setText(note, sentences([hasKernel ? "" : t("sweep.no_kernel"), isOver && !isWhole ? t("sweep.again") : ""]));
    set(note, { hidden: note.textContent === "" });
    stop.allow(isOver ? t("sweep.over") : !hasKernel ? t("sweep.no_kernel") : isAsked ? t("sweep.asked") : "");
    list();
    tell(words, isOver, number("failed"));
  };

  let listed: State["_failures"] | undefined;
  const list = () => {
    const found = model.get("_failures");
    if (found === listed) return;
    listed = found;
    set(failed, { hidden: found.length === 0 });
    failures.replaceChildren(...found.map(({ name, why }) => h("li", {}, h("strong", {}, name), h("span", {}, why))));
    const others = (model.get("_counts").failed ?? 0) - found.length;
    setText(more, others > 0 ? t("sweep.more", { count: others }) : "");
    set(more, { hidden: others <= 0 });
  };

  // What was there before the user came is no news; while it goes on a word now and then is enough.
  let last: { words: string; isOver: boolean; failed: number; at: number } | undefined;
  const tell = (words: string, isOver: boolean, failures: number) => {
    const now = performance.now();
    const isDue = last && words !== last.words && (isOver || failures > last.failed || now - last.at >= QUIET_MS);
    if (isDue) setText(spoken, isOver ? t("sweep.spoken_over", { words }) : words);
    if (!last || isDue) last = { words, isOver, failed: failures, at: now };
  };

  let frame = 0;
  const schedule = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      draw();
    });
  };
  for (const name of DRAWN) model.on(`change:${name}`, schedule);
  say("", false);
  draw();

  return () => {
    link.close();
    cancelAnimationFrame(frame);
    for (const name of DRAWN) model.off(`change:${name}`, schedule);
    root.remove();
  };
}

export default { render };
