// The sentence about a run, made from its numbers: the first of a ranked list that applies. No DOM.

import { round, rounderOf } from "#training/rounder.ts";
import type { StepReport, Trainer } from "#training/trainer.ts";
import { integer } from "#ui/digits.ts";
import { type MessageKey, type Piece, pieces, sentences, t } from "#ui/messages.ts";
import { powerOfAny } from "#ui/ruler/words.ts";
import { percent } from "#ui/run_words.ts";
import type { GradientAnswers } from "./session.ts";
import { settingText, shortName } from "../setting_words.ts";

/** A share of float32's progress, by which the test loss has fallen below that of guessing. */
const [ALIKE, HALF, NOTHING] = [0.95, 0.5, 0.03];
const LEARNED = 0.1; // of the loss of guessing: so much float32 must have fallen for a share to mean something
const FEW_ANSWERS = 100; // of the 1,600 points of the plane

interface Result {
  readonly loss: number;
  /** 0 … 1 */
  readonly accuracy: number;
}

export interface Seen {
  readonly chosen: Trainer;
  readonly report: StepReport;
  readonly answers: GradientAnswers;
  /** On the test set. */
  readonly results: { readonly reference: Result; readonly chosen: Result };
  /** How many different answers the chosen network gives in the plane; NaN for another task. */
  readonly distinct: number;
  /** The first step whose loss was no number; 0 for none. */
  readonly diverged: number;
}

export interface Verdict {
  readonly tone: "good" | "bad" | "plain";
  /** The first words, which tell the outcome, are strong. */
  readonly headline: readonly Piece[];
  /** A second, finer line. */
  readonly more: string;
}

type Outcome = "learns" | "behind" | "little" | "nothing" | "step";
const TONES: Readonly<Record<Outcome, Verdict["tone"]>> = { learns: "good", behind: "plain", little: "bad", nothing: "bad", step: "plain" };

export function verdict(seen: Seen): Verdict {
  const { chosen: { settings, weightCount, skippedSteps }, report, answers: { reached, early: lost }, results, distinct, diverged } = seen;
  const { kind, initScale } = settings.lossScale;
  const [small, early] = [reached.counts(settings.gradientFormat, Math.log2(report.lossScale)).finite[0]!, lost.finite];
  const outcome = outcomeOf(seen);
  const name = nameOf(settings);
  const format = shortName(settings.gradientFormat.name);
  const [share, reference] = [short(results.chosen.accuracy), short(results.reference.accuracy)];
  const args = {
    name, format, step: integer(report.step), all: integer(weightCount), gradients: integer(reached.finite + early), small: integer(small), early: integer(early),
    scale: powerOfAny(report.lossScale), since: integer(diverged), share, reference, distinct, skipped: integer(skippedSteps),
  };
  const said = (tone: Verdict["tone"], headline: readonly Piece[], ...more: string[]): Verdict => ({ tone, headline, more: sentences(more) });
  const ended = (rest: MessageKey, more: Readonly<Record<string, string | number>>, ...others: string[]): Verdict =>
    said(TONES[outcome], pieces("play.verdict", { lead: t(`play.lead_${outcome}`, args), rest: t(rest, { ...args, ...more }) }), ...others);
  const scaled = kind === "dynamic" ? t("play.more_scale", { ...args, first: powerOfAny(initScale), now: powerOfAny(seen.chosen.lossScale) }) : "";

  if (diverged) {
    const isZero = settings.optimizer === "adam" && settings.eps > 0 && round(rounderOf(settings.optimizerFormat), settings.eps) === 0;
    const why = isZero ? t("play.more_eps", { format: shortName(settings.optimizerFormat.name), eps: settingText(settings.eps) }) : "";
    return said("bad", pieces("play.verdict_diverged", args), why);
  }
  if (report.skipped) return said("plain", pieces("play.verdict_skipped", args), scaled);
  if (report.foundInf) return said("bad", pieces("play.verdict_not_finite", args));
  if (small + early > 0 && small === reached.finite && outcome !== "learns") {
    const rest = early === 0 ? "play.rest_all_small" : small === 0 ? "play.rest_all_early" : "play.rest_all";
    return ended(rest, {}, early > 0 && small > 0 ? t("play.more_others", args) : "", scaled);
  }
  const isDrawn = !settings.masterWeights && settings.weightRounding === "stochastic";
  if (report.unchanged > small + early && outcome !== "learns" && !isDrawn && results.chosen.accuracy < 1) {
    const kept = shortName((settings.masterWeights ? { name: "float32" } : settings.weightFormat).name);
    return ended("play.rest_stall", { count: integer(report.unchanged) }, t("play.more_stall", { format: kept }));
  }
  const losses = small + early === 0 ? "" : t(small === 0 ? "play.more_early" : early === 0 ? "play.more_small" : "play.more_lost", args);
  if (distinct < FEW_ANSWERS && outcome !== "nothing" && outcome !== "step") {
    return said("plain", pieces("play.verdict_distinct", args), losses);
  }
  const drawn = isDrawn && report.unchanged > 0 ? t("play.more_drawn", { ...args, count: integer(report.unchanged) }) : "";
  if (losses) return ended("play.rest_lost", { count: integer(small + early) }, losses, drawn || scaled);
  return ended(share === reference ? "play.rest_both" : "play.rest_kept", {}, drawn, scaled);
}

function outcomeOf({ chosen: { data }, results: { reference, chosen } }: Seen): Outcome {
  const guessing = Math.log(data.classes);
  const most = guessing - reference.loss;
  if (!(most > LEARNED * guessing)) return "step";
  const share = (guessing - chosen.loss) / most;
  return share >= ALIKE || (share >= HALF && chosen.accuracy >= reference.accuracy) ? "learns" : share >= HALF ? "behind" : share >= NOTHING ? "little" : "nothing";
}

/** A network's name: the narrowest of its formats, the optimiser's included. */
export function nameOf({ weightFormat, activationFormat, gradientFormat, optimizer, optimizerFormat }: Trainer["settings"]): string {
  const formats = [weightFormat, activationFormat, gradientFormat, ...(optimizer === "sgd" ? [] : [optimizerFormat])];
  return shortName(formats.reduce((least, format) => (format.bits < least.bits ? format : least)).name);
}

/** A share in percent: "92.2 %", "100 %". */
const short = (share: number): string => percent(share).replace(".0 %", " %");
