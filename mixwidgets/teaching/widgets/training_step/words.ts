// The sentence about a step, made from its numbers: what became of one weight, and why. No DOM.

import { float32 } from "#core/formats/catalogue.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { ALIKE, counted, type Fate, FATES, fateOf, fatesOf, isStop, landing, type Range, rangeAsFloat32 } from "#training/fate.ts";
import { type Look, type Place, weightStep } from "#training/look.ts";
import { HIGHEST, type Strip } from "#training/strip.ts";
import { round, rounderOf, spacing } from "#training/rounder.ts";
import { keptFormat } from "#training/settings.ts";
import { listed, type MessageKey, type Piece, pieces, sentences, t } from "#ui/messages.ts";
import { percent } from "#ui/ruler/words.ts";
import { shortName } from "../setting_words.ts";
import { brief, scaleText, weightText } from "./names.ts";

export interface Told {
  readonly tone: "good" | "bad" | "plain" | "skipped";
  /** The first words, which tell the outcome, are strong. */
  readonly headline: readonly Piece[];
  /** A second, finer line. */
  readonly more: string;
}

const TONES: Readonly<Record<Fate, Told["tone"]>> = {
  skipped: "skipped", inf_in_both: "plain", not_finite: "bad", coasts: "plain", flushed: "bad", flushed_on_the_way: "bad",
  drawn: "plain", update_lost: "bad", wrong_way: "bad", as_float32: "good", off: "bad",
};
type Saying = readonly [headline: MessageKey, ...more: string[]];

/** What became of a weight. `strip` is of the same step. */
export function sentence(look: Look, strip: Strip, place: Place): Told {
  const { settings, twin } = look;
  const fate = fateOf(look, place);
  const fates = strip.of(place);
  const [own, other] = [weightStep(look, place), weightStep(twin, place)];
  const [stored, kept] = [settings.gradientFormat, keptFormat(settings)];
  const [moved, wanted] = [own.next - own.kept, other.next - own.kept];
  const product = other.gradient * look.lossScale;
  const errors = errorsOf(look, place);
  const args = {
    format: shortName(stored.name), kept_format: shortName(kept.name), state_format: shortName(settings.optimizerFormat.name),
    least: brief(least(stored)), half: brief(least(stored) / 2),
    kept: weightText(own.kept, kept), next: weightText(own.next, kept), float32_next: weightText(other.next, float32),
    moved: brief(moved), wanted: brief(wanted), ratio: brief(Number((moved / wanted).toPrecision(2))), apart: percent(apart(moved, wanted)),
    gradient: brief(other.gradient), product: brief(product), stored: brief(own.gradient), unscaled: brief(own.unscaled), gradient_apart: percent(apart(own.unscaled, other.unscaled)),
    update: brief(-own.update), gap: brief(spacing(rounderOf(kept), own.kept - own.update)), state: brief(own.before.first), state_after: brief(own.after.first),
    bits: stored.fractionBits + 1, errors: errors.all, small: errors.small, lost: errors.lost, rounded: errors.rounded,
    count: look.notFinite, all: look.tensors.reduce((sum, { shape: [inputs, outputs] }) => sum + inputs * outputs, 0),
  };
  const say = (key: MessageKey, more: Readonly<Record<string, string | number>> = {}) => t(key, { ...args, ...more });
  const inFloat32 = say("step.float32_moves");
  const where = whereAsFloat32(rangeAsFloat32(fates), look, "step.from");

  const sayings: Readonly<Record<Fate, () => Saying>> = {
    skipped: () => ["step.skipped", blame(look, fates), Number.isFinite(own.gradient) ? say("step.own_fits") : say("step.own_does_not"), nextScale(look)],
    inf_in_both: () => ["step.inf_in_both", say(look.skipped ? "step.no_weight_moves" : "step.becomes"), say("step.not_finite_count")],
    not_finite() {
      if (!Number.isFinite(own.gradient)) return ["step.not_finite", say("step.unchecked"), inFloat32];
      const isZero = settings.optimizer === "adam" && own.after.second === 0 && round(rounderOf(settings.optimizerFormat), settings.eps) === 0;
      return ["step.not_finite_update", isZero ? say("step.divides_by_zero") : "", inFloat32];
    },
    coasts: () => ["step.coasts", say(settings.optimizer === "adam" ? "step.first_moment" : "step.momentum"), inFloat32, where],
    flushed: () => [look.lossScale === 1 ? "step.flushed" : "step.flushed_scaled", say(errors.small === errors.all ? "step.half_all" : "step.half"), inFloat32, where],
    flushed_on_the_way: () => ["step.on_the_way", say(errors.lost === errors.all ? "step.errors_lost_all" : errors.lost > 0 ? "step.errors_lost" : "step.errors_rounded"), inFloat32, where],
    drawn() {
      const { exact, low, high } = landing(look, place);
      const values = { exact: weightText(exact, float32), low: weightText(low, kept), high: weightText(high, kept), chance: percent((exact - low) / (high - low)), mean: brief(-own.update) };
      return [moved === 0 ? "step.drawn_stays" : "step.drawn", say("step.between", values), say("step.on_average", values)];
    },
    update_lost() {
      if (own.update === 0) return ["step.update_zero", settings.optimizer === "sgd" ? "" : say("step.state_zero"), inFloat32];
      const isRight = apart(own.unscaled, other.unscaled) <= ALIKE;
      return ["step.update_lost", isRight ? say("step.gradient_right") : "", say("step.gap"), settings.masterWeights ? inFloat32 : say("step.in_float32_becomes"), noHelp() || where];
    },
    wrong_way: () => ["step.wrong_way", turned(), where],
    off: () => [wanted === 0 ? "step.moves_alone" : "step.off", turned(), where],
    as_float32() {
      if (moved === 0) return [own.gradient === 0 && other.gradient === 0 ? "step.zero_in_both" : own.update === 0 && other.update === 0 ? "step.still_in_both" : "step.lost_in_both"];
      return [moved === wanted ? "step.same" : "step.alike", whyAlike()];
    },
  };
  /** That no larger scale helps a lost update, if the strip says so. */
  function noHelp(): string {
    const larger = fates.filter((one, log2) => 2 ** log2 > look.lossScale && !isStop(one));
    return larger.length > 0 && larger.every((one) => one === "update_lost") ? say("step.no_help") : "";
  }
  /** Why a movement is wrong. */
  function turned(): string {
    if (apart(own.unscaled, other.unscaled) <= ALIKE) return say(settings.masterWeights ? "step.gradient_right" : "step.grid");
    return say(errors.rounded === errors.all ? "step.rounded_all" : 2 * errors.rounded > errors.all ? "step.rounded" : "step.gradients_differ");
  }
  function whyAlike(): string {
    const log2 = Math.log2(look.lossScale);
    const later = fates.findIndex((one, at) => at > log2 && one !== "as_float32" && !isStop(one));
    if (later >= 0) return say("step.by_chance", { later: scaled(2 ** later) });
    if (Math.abs(product) < 2 ** stored.emin) return "";
    if (fates[0] === "as_float32") return look.lossScale === 1 ? say("step.no_scale_needed") : "";
    return say("step.lifted");
  }

  const [headline, ...more] = sayings[fate]();
  return { tone: TONES[fate], headline: pieces(headline, args), more: sentences(more) };
}

/** Why a step is skipped. `fates`: at all scales. */
function blame({ pass, settings, lossScale }: Look, fates: readonly Fate[]): string {
  if (pass.values.some((values) => !values.every(Number.isFinite))) return t("step.forward_overflows");
  const best = fates.findLastIndex((fate) => !isStop(fate));
  if (best < 0 || 2 ** best > lossScale) return t("step.no_weight_moves");
  const { gradientFormat: format } = settings;
  return t("step.too_large", { scale: scaled(lossScale), format: shortName(format.name), largest: weightText(rounderOf(format).max, format) });
}

const nextScale = (look: Look): string => (look.nextScale < look.lossScale ? t("step.next_scale", { next_scale: scaled(look.nextScale) }) : "");

/** The errors that a weight's gradient is summed from, in float32 and times the scale: how many there are, round to 0, became 0
 * although they are not 0, and are below the format's normal numbers. */
function errorsOf({ pass, twin, tensors, settings, lossScale, batch }: Look, { tensor, index }: Place) {
  const { layer, shape: [, outputs] } = tensors[tensor]!;
  const stored = rounderOf(settings.gradientFormat);
  let [small, lost, rounded] = [0, 0, 0];
  for (let row = 0; row < batch.length; row++) {
    const at = row * outputs + (index % outputs);
    const truth = twin.pass.errors[layer]![at]! * lossScale;
    if (round(stored, truth) === 0) small++;
    if (pass.errors[layer]![at] === 0 && truth !== 0) lost++;
    if (truth !== 0 && Math.abs(truth) < 2 ** settings.gradientFormat.emin) rounded++;
  }
  return { all: batch.length, small, lost, rounded };
}

/** By how much a number differs from float32's, as a part of that. */
const apart = (value: number, truth: number): number => (value === truth ? 0 : Math.abs(value - truth) / Math.abs(truth));

/** The smallest positive value. */
const least = ({ emin, fractionBits }: FloatFormat): number => 2 ** (emin - fractionBits);

const scaled = (scale: number): string => (Number.isInteger(Math.log2(scale)) ? scaleText(Math.log2(scale)) : brief(scale));

/** From which scale on it is as in float32; "" if it is so at this one. */
function whereAsFloat32(found: Range | null, { lossScale }: Look, key: "step.from" | "step.all_from", args: Readonly<Record<string, number>> = {}): string {
  if (!found || (lossScale >= 2 ** found.from && lossScale <= 2 ** found.to)) return "";
  return t(found.to === HIGHEST ? `${key}_on` : `${key}_to`, { ...args, from: scaleText(found.from), to: scaleText(found.to) });
}

const PARTS = ["flushed", "coasts", "drawn", "update_lost", "wrong_way", "off", "not_finite", "inf_in_both"] as const;

/** What became of all weights. */
export function sentenceOfAll(look: Look, strip: Strip): Told {
  const counts = counted(fatesOf(look).flat());
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const fates = strip.counts.map((one) => (one.as_float32 === all ? "as_float32" : one.skipped + one.inf_in_both === all ? "skipped" : "off"));
  const args = { all, alike: counts.as_float32, count: look.notFinite };
  if (look.skipped) return { tone: "skipped", headline: pieces(counts.skipped ? "step.skipped" : "step.inf_in_both", args), more: sentences([blame(look, fates), nextScale(look)]) };
  const parts = PARTS.map((part) => [part, part === "flushed" ? counts.flushed + counts.flushed_on_the_way : counts[part]] as const)
    .filter(([, count]) => count > 0).map(([part, count]) => t(`step.some_${part}`, { count }));
  const wrong = FATES.filter((fate) => TONES[fate] === "bad").reduce((sum, fate) => sum + counts[fate], 0);
  return {
    tone: parts.length === 0 ? "good" : 2 * wrong > all ? "bad" : "plain",
    headline: pieces(parts.length === 0 ? "step.all" : "step.alike_count", args),
    more: sentences([parts.length === 0 ? "" : t("step.others", { parts: listed(parts) }), whereAsFloat32(rangeAsFloat32(fates), look, "step.all_from", { all })]),
  };
}
