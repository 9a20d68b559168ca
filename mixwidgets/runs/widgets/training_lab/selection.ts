// What can be done with the runs that are selected: compare them, open the gradients of one, name it, copy its code, throw them
// away; and the list as a table for a spreadsheet.

import { computed, type ReadonlySignal } from "@preact/signals-core";
import { action, button } from "#ui/buttons.ts";
import { copy } from "#ui/clipboard.ts";
import { integer } from "#ui/digits.ts";
import { h, setText, uniqueId } from "#ui/dom.ts";
import { t } from "#ui/messages.ts";
import { field } from "./fields.ts";
import type { Lab } from "./lab.ts";
import { type ComparisonPanel, type GradientsPanel, panel } from "./panels.ts";
import { isAlive, type Row } from "./state.ts";
import { dateOf, metricOf } from "./words.ts";

export function selection({ view, selected, refusal, asking, ask, names }: Lab, found: ReadonlySignal<Row[]>, compared: ComparisonPanel, gradients: GradientsPanel) {
  const over = computed(() => selected.value.filter((row) => !isAlive(row)));
  const single = computed(() => (selected.value.length === 1 ? selected.value[0] : undefined));
  const compare = action(t("lab.compare"), () => compared.open(compare.element, over.value.map(({ id }) => id)));
  const open = action(t("lab.open_gradients"), () => single.value && gradients.open(open.element, { run: single.value.id }));
  compared.opener(compare.element);
  gradients.opener(open.element);

  const none = action(t("lab.select_none"), () => view.send("_shown", []));
  const star = action(t("lab.star"), () => single.value && ask("label", { run: single.value.id, star: !single.value.star }));
  const rename = action(t("lab.rename"), () => names_.open());
  const code = action(t("lab.code"), () => {
    if (!single.value) return;
    codes.expect(code.element);
    ask("code", { run: single.value.id });
  });
  const csv = action(t("lab.csv"), () => download("runs.csv", csvOf(found.value, names.value)));
  const drop = action(t("lab.throw_away"), () => (asked.hidden = false));
  const sure = h("span", {});
  const asked = h("p", { class: "mw-row mw-callout", role: "group", "aria-label": t("lab.throw_away"), hidden: true }, sure,
    button(t("lab.throw_away_yes"), () => {
      asked.hidden = true;
      drop.element.focus();
      ask("throw_away", { runs: over.value.map(({ id }) => id) });
    }),
    button(t("lab.throw_away_no"), () => {
      asked.hidden = true;
      drop.element.focus();
    }));
  const names_ = namePanel();
  const codes = codePanel();

  view.effect(() => compare.allow(over.value.length < 2 ? t("lab.compare_needs") : refusal.value));
  view.effect(() => open.allow(
    !single.value ? t("lab.open_needs_one") : !single.value.gradients ? t("lab.open_needs_snapshot") : gradients.needsKernel ? refusal.value : ""));
  view.effect(() => {
    const one = single.value;
    none.allow(selected.value.length === 0 ? t("lab.no_curves") : "");
    for (const each of [star, rename]) each.allow(one ? asking("label") : t("lab.open_needs_one"));
    star.name(t(one?.star ? "lab.unstar" : "lab.star"));
    code.allow(!one ? t("lab.open_needs_one") : one.seed === null ? t("lab.code_watched") : asking("code"));
    csv.allow(found.value.length === 0 ? t("lab.no_runs") : "");
    drop.allow(over.value.length === 0 ? t("lab.throw_away_needs") : asking("throw_away"));
    if (over.value.length === 0) asked.hidden = true;
    setText(sure, t("lab.throw_away_sure", { count: integer(over.value.length) }));
  });

  function namePanel() {
    const { element, body, title, expect } = panel(() => title(undefined));
    const name = h("input", { type: "text", autocomplete: "off", maxlength: 80 });
    const note = h("input", { type: "text", autocomplete: "off", maxlength: 1000 });
    let run = "";
    const save = button(t("lab.keep_label"), () => {
      ask("label", { run, name: name.value, note: note.value });
      title(undefined);
      rename.element.focus();
    });
    for (const input of [name, note]) input.addEventListener("keydown", ({ key }) => key === "Enter" && save.click());
    body.append(h("div", { class: "mw-row mw-label-fields" }, field(t("lab.run_name"), name), field(t("lab.run_note"), note), save));
    return {
      element,
      open() {
        if (!single.value) return;
        [run, name.value, note.value] = [single.value.id, single.value.name ?? "", single.value.note ?? ""];
        expect(rename.element);
        title(t("lab.rename_of", { name: names.value.get(run) ?? run }));
        name.focus();
      },
    };
  }

  function codePanel() {
    const sent = view.trait("_code");
    const { element, body, title, expect } = panel(() => title(undefined));
    const why = h("p", { class: "mw-note", id: uniqueId("why") }, t("lab.code_about"));
    const text = h("pre", { class: "mw-num mw-python", tabindex: 0, role: "group", "aria-labelledby": why.id });
    const said = h("span", { class: "mw-note", role: "status" });
    const copying = button(t("lab.code_copy"), async () => setText(said, t((await copy(text.textContent, text)) ? "lab.code_copied" : "lab.code_marked")));
    body.append(why, text, h("div", { class: "mw-row" }, copying, said));
    view.onChange(sent, ({ run, text: code }) => {
      if (typeof code !== "string") return;
      setText(said, "");
      setText(text, code);
      title(t("lab.code_of", { name: names.value.get(run!) ?? "" }));
    });
    return { element, expect };
  }
  return {
    element: h("div", { class: "mw-stack-tight" },
      h("div", { class: "mw-row" }, compare.element, open.element),
      h("div", { class: "mw-row mw-run-actions" }, none.element, star.element, rename.element, code.element, csv.element, drop.element),
      asked, h("p", { class: "mw-note" }, t("lab.selection_note"))),
    panels: [names_.element, codes.element],
  };
}

const COLUMNS = ["id", "name", "date", "task", "recipe", "seed", "status", "step", "steps", "metric", "score", "loss", "skipped", "loss_scale", "settings", "note"] as const;

/** The rows as comma-separated values. A text that a spreadsheet might execute has an apostrophe before it. */
export function csvOf(rows: readonly Row[], names: ReadonlyMap<string, string>): string {
  const lines = rows.map((row) => {
    const own = metricOf(row) ?? "";
    const more = { name: names.get(row.id), date: dateOf(row.id), metric: own, score: row.metrics[own], loss: row.metrics["loss"] };
    return COLUMNS.map((column) => cell(({ ...row, ...more } as Record<string, unknown>)[column])).join(",");
  });
  return [COLUMNS.join(","), ...lines, ""].join("\r\n");
}

function cell(value: unknown): string {
  if (typeof value === "number") return String(value);
  const text = String(value ?? "");
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([`\uFEFF${text}`], { type: "text/csv" })); // by the mark a spreadsheet knows UTF-8
  const link = h("a", { download: name });
  link.href = address;
  link.click();
  URL.revokeObjectURL(address);
}
