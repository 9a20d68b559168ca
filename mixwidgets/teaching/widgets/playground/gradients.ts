// The gradients of the last step on the ruler of their format: what became of each, where S moves them, and the grip of S.

import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { CLASSES } from "#core/gradients/boundaries.ts";
import { h, s, set, setText } from "#ui/dom.ts";
import { listed, t, tOr } from "#ui/messages.ts";
import { bitInspector } from "#ui/ruler/bit_inspector.ts";
import { domain, tallest } from "#ui/ruler/geometry.ts";
import { histogram } from "#ui/ruler/histogram.ts";
import { swatch, textures } from "#ui/ruler/textures.ts";
import { term } from "#ui/term.ts";
import { kept } from "#ui/view.ts";
import { scaleGrip } from "./grip.ts";
import { rulerMarks } from "./marks.ts";
import type { Page } from "./session.ts";
import { settingText } from "../setting_words.ts";
import { log2InForce } from "./state.ts";
import { countText, tensorName } from "./words.ts";

const NOTED = ["flushed", "early", "subnormal", "overflow"]; // classes whose name needs a note
const TALL = 64; // pixels
const [LOWEST_DRAWN, HIGHEST_DRAWN] = [-70, 30]; // binades, of the range of a wide format, in which bars would be lines
const AIR = 1.45; // above the tallest bar, for the arrow of S

export function gradientsPart(page: Page): HTMLElement {
  const { view, session, traits, answers } = page;
  const fills = textures();
  const names = computed(() => (session.settings.value, session.chosen.tensors.map(tensorName)));
  const scale = computed(() => {
    session.look.value;
    const report = session.isChanged.value ? undefined : session.report.value; // without one, the scale of the next step
    return Math.log2(report?.lossScale ?? session.chosen.lossScale);
  });
  const reached = computed(() => ({ format: answers.value.format, total: answers.value.reached }));
  const most = computed(() => AIR * tallest(answers.value.total));
  /** With the place of S, also of one that was chosen before in this format, so that the ruler stands still while S is moved back. */
  const drawn = kept({ format: answers.value.format, low: 0, high: 0 }, (last) => {
    const { format } = answers.value;
    const { low, high } = domain(format);
    const before = format === last.format ? last.high : 0;
    return { format, low: Math.max(low, LOWEST_DRAWN), high: Math.max(before, Math.min(high, HIGHEST_DRAWN), log2InForce(traits.value) + 1) };
  });
  const plot = histogram({ view, answers: reached, scale, most, drawn, tall: TALL, axis: "" }, fills);
  const early = rulerMarks(page, plot, scale);
  const binade = signal<number | null>(null);
  const inspector = bitInspector({
    view, answers, scale, names, binade, choose: (exponent) => (binade.value = exponent),
    aside(exponent) {
      const count = early(exponent);
      return count ? t("play.early_here", { count }) : "";
    },
  }, plot);
  const weighted = h("span", { class: "mw-note" });

  view.effect(() => {
    const { loss_scale: kind, loss_weight: weight } = traits.value;
    const scaled = t(kind === "dynamic" ? "play.set_by_run" : "play.scaled");
    setText(weighted, weight === 1 ? scaled : t("play.weighted", { scaled, weight: settingText(weight) }));
  });
  view.effect(() => {
    const { reached, format } = answers.value;
    set(plot.element, { "aria-label": listed(classesOf(answers.value, reached.counts(format, scale.value).finite).map(({ name, words }) => `${name} ${words}`)) });
  });
  return h("section", { class: "mw-stack-tight mw-play-gradients", "aria-label": t("play.gradients") },
    h("div", { class: "mw-play-title" }, h("span", {}, h("h4", {}, t("play.gradients")), " ", weighted), counts(page, scale, fills)),
    h("div", { class: "mw-play-ruler" }, inspector, scaleGrip(page, plot)), fills.element);
}

/** How many gradients there are of each class; the counts add up to all gradients. */
function counts({ view, answers }: Page, scale: ReadonlySignal<number>, fills: ReturnType<typeof textures>): HTMLElement {
  const marks = {
    ...Object.fromEntries(CLASSES.map((kind) => [kind, swatch(kind, fills)])),
    early: s("svg", { width: 12, height: 12, class: "mw-swatch mw-play-hollow", "aria-hidden": "true" }, s("path", { d: "M1 1H11V11H1zM1 11L11 1" })),
  } as Readonly<Record<string, SVGElement>>;
  const items = ["flushed", "early", "subnormal", "normal", "overflow", "zero", "none"].map((kind) => {
    const number = h("span", { class: "mw-num mw-play-share" });
    const name = classWord(kind);
    return { kind, number, element: h("span", { class: "mw-row mw-play-class" }, marks[kind], NOTED.includes(kind) ? term(name, () => t(`play.note_${kind}` as "play.note_early")) : name, number) };
  });
  view.effect(() => {
    const { reached, format } = answers.value;
    const now = new Map(classesOf(answers.value, reached.counts(format, scale.value).finite).map(({ kind, words }) => [kind, words]));
    for (const { kind, number, element } of items) {
      element.hidden = !now.has(kind);
      setText(number, now.get(kind) ?? "");
    }
  });
  return h("span", { class: "mw-row mw-play-classes" }, ...items.map(({ element }) => element));
}

const classWord = (kind: string): string =>
  kind === "flushed" ? t("ruler.short_flushed") : tOr(`ruler.zone_${kind}`, "") || t(`play.class_${kind}` as "play.class_early");

/** The classes and how many gradients each has, in words; the rare ones only where there are some. `finite`: in the order of
 * CLASSES, without those lost on the way back. */
function classesOf({ total, early }: Page["answers"]["value"], finite: readonly number[]): { kind: string; name: string; words: string }[] {
  const found: [kind: string, count: number, isUsual: boolean][] = [
    ["flushed", finite[0]!, true], ["early", early.finite, false], ["subnormal", finite[1]!, true], ["normal", finite[2]!, true],
    ["overflow", finite[3]!, true], ["zero", total.zero, false], ["none", total.nan + total.inf, false],
  ];
  return found.filter(([, count, isUsual]) => isUsual || count > 0).map(([kind, count]) => ({
    kind, name: classWord(kind), words: countText(count, total.count),
  }));
}
