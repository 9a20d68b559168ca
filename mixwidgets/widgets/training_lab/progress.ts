// Where the run at hand is: a bar, the newest step's figures, what it takes in memory, and how it failed.

import { h, set, setText } from "#ui/dom.ts";
import { inSeries, t } from "#ui/messages.ts";
import { integer } from "#ui/digits.ts";
import { isAlive, isFailure, isWaiting, type Row } from "./state.ts";
import { memory, newest, progress, spoken, status } from "./words.ts";

type Names = ReadonlyMap<string, string>;

/** `nothing`: what it says where no run is at hand. */
export function progressArea(): { element: HTMLElement; show: (rows: readonly Row[], run: Row | undefined, names: Names, selected: readonly Row[], nothing: string) => void } {
  const bar = h("progress", { max: 1, "aria-label": t("lab.progress") });
  const [steps, figures, taken] = [h("span", { class: "mw-num" }), h("span", { class: "mw-num" }), h("p", { class: "mw-note mw-memory" })];
  const failed = h("p", { class: "mw-callout" });
  const element = h("div", { class: "mw-progress" }, bar, h("div", { class: "mw-progress-text" }, steps, figures), taken, failed);

  const show = (rows: readonly Row[], run: Row | undefined, names: Names, selected: readonly Row[], nothing: string) => {
    set(bar, { value: run?.steps ? run.step / run.steps : 0 });
    const name = run && (rows.filter(isAlive).length > 1 || selected.length > 1) ? `${names.get(run.id)}: ` : "";
    const others = rows.filter((row) => isWaiting(row) && row !== run).length;
    const line = others > 0 ? ` · ${t("lab.waiting", { count: integer(others) })}` : "";
    setText(steps, run ? name + progress(run) + line : nothing);
    setText(figures, run ? newest(run) : "");
    setText(taken, run ? memory(run) : "");
    const failure = rows.find((row) => isFailure(row) && (row === run || selected.includes(row)));
    set(failed, { hidden: failure === undefined });
    setText(failed, failure ? t("lab.failure", { name: names.get(failure.id)!, status: status(failure), message: failure.message }) : "");
  };
  return { element, show };
}

const QUIET_MS = 5000; // between two spoken words about the progress

/** A live region: ends and starts at once, progress now and then. What was there before the user came is no news. */
export function news(): { element: HTMLElement; tell: (rows: readonly Row[], run: Row | undefined, names: Names) => void } {
  const element = h("p", { class: "mw-hidden", "aria-live": "polite" });
  let alive: ReadonlySet<string> | undefined;
  let last = { about: "", at: -Infinity };

  const tell = (rows: readonly Row[], run: Row | undefined, names: Names) => {
    const before = alive;
    alive = new Set(rows.filter(isAlive).map((row) => row.id));
    const about = run && isAlive(run) ? `${run.id} ${run.status}` : "";
    const now = performance.now();
    const isNew = about !== last.about;
    const isDue = about !== "" && (isNew || now - last.at >= QUIET_MS);
    const ended = rows.filter((row) => !isAlive(row) && before?.has(row.id));
    if (isDue || ended.length > 0) last = { about, at: now };
    if (!before) return;
    const told = [...ended, ...(isDue ? [run!] : [])];
    if (told.length > 0) setText(element, inSeries(told.map((row) => spoken(row, names.get(row.id)!))));
  };
  return { element, tell };
}
