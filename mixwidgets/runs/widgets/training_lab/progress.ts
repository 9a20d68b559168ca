// Where the run at hand is: a bar, the newest step's figures, and how it failed.

import { integer } from "#ui/digits.ts";
import { h, set, setText } from "#ui/dom.ts";
import { inSeries, t } from "#ui/messages.ts";
import { progressBar } from "#ui/progress/progress_bar.ts";
import { type Lab, repeated } from "./lab.ts";
import { isAlive, isFailure, isWaiting } from "./state.ts";
import { newest, progress, spoken, status } from "./words.ts";

export function progressArea({ view, rows, atHand, names, selected, chosen, hasKernel }: Lab): HTMLElement {
  const bar = progressBar(t("lab.progress"));
  const [steps, figures] = [h("span", { class: "mw-num" }), h("span", { class: "mw-num" })];
  const findings = view.trait("_verdict");
  const failed = h("p", { class: "mw-callout" });
  const element = h("div", { class: "mw-progress" }, bar, h("div", { class: "mw-progress-text" }, steps, figures), failed);
  const nothing = () => {
    if (hasKernel.value) return t("lab.progress_none");
    return t(repeated(rows.value, chosen.value).length > 0 ? "lab.no_curves" : "lab.progress_unsaved");
  };

  view.effect(() => {
    const run = atHand.value;
    set(bar, { value: run?.steps ? run.step / run.steps : 0 });
    const isOneOfSeveral = rows.value.filter(isAlive).length > 1 || selected.value.length > 1;
    const others = rows.value.filter((row) => isWaiting(row) && row !== run).length;
    const line = others > 0 ? ` · ${t("lab.waiting", { count: integer(others) })}` : "";
    const what = run ? progress(run) + line : nothing();
    setText(steps, run && isOneOfSeveral ? t("common.named", { name: names.value.get(run.id)!, what }) : what);
    setText(figures, run ? newest(run, view.model.get("_figures")) : "");
    const failure = rows.value.find((row) => isFailure(row) && (row === run || selected.value.includes(row)));
    set(failed, { hidden: failure === undefined });
    setText(failed, failure ? t("lab.failure", { name: names.value.get(failure.id)!, status: status(failure), message: failure.message }) : "");
    set(element, { hidden: findings.value.length > 0 && run !== undefined && !isAlive(run) && !failure }); // the verdict says more
  });
  return element;
}

const QUIET_MS = 5000; // between two spoken words about the progress

/** A live region: ends and starts at once, progress now and then. What was there before the user came is no news. */
export function news({ view, rows, atHand, names }: Lab): HTMLElement {
  const element = h("p", { class: "mw-hidden", "aria-live": "polite" });
  let alive: ReadonlySet<string> | undefined;
  let last = { about: "", at: -Infinity };

  view.effect(() => {
    const [before, run] = [alive, atHand.value];
    alive = new Set(rows.value.filter(isAlive).map((row) => row.id));
    const about = run && isAlive(run) ? `${run.id} ${run.status}` : "";
    const now = performance.now();
    const isDue = about !== "" && (about !== last.about || now - last.at >= QUIET_MS);
    const ended = rows.value.filter((row) => !isAlive(row) && before?.has(row.id));
    if (isDue || ended.length > 0) last = { about, at: now };
    if (!before) return;
    const spokenOf = [...ended, ...(isDue ? [run!] : [])];
    if (spokenOf.length > 0) setText(element, inSeries(spokenOf.map((row) => spoken(row, names.value.get(row.id)!))));
  });
  return element;
}
