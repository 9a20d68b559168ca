// What the stations show of one weight, from the numbers of a look. No DOM.

import { float32 } from "#core/formats/catalogue.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { landing, type Fate } from "#training/fate.ts";
import { weightStep, type Look, type Place } from "#training/look.ts";
import { keptFormat } from "#training/settings.ts";
import { t } from "#ui/messages.ts";
import { percent } from "#ui/ruler/words.ts";
import { brief, codeIn, digits, notFiniteText, scaleText, unitName, weightName, weightText } from "./names.ts";
import type { Shown, Tag, WayIs } from "./station.ts";
import { zoneOf, type Zone } from "./zones.ts";

export const STATIONS = ["kept", "copy", "loss", "backward", "check", "update"] as const;
export type StationName = (typeof STATIONS)[number];

/** Where a weight of this fate is lost, or its step stops. */
function tagged(look: Look, fate: Fate, { tensor, index }: Place): Partial<Record<StationName, Tag>> {
  if (fate === "flushed" || fate === "flushed_on_the_way" || fate === "coasts") return { backward: "lost" };
  if (fate === "update_lost") return { update: "lost" };
  if (look.skipped) return { check: "stopped" };
  if (fate === "not_finite" || fate === "inf_in_both") return { [Number.isFinite(look.gradient[tensor]![index]!) ? "update" : "backward"]: "stopped" };
  return {};
}

/** The format's name, unless the value is float32's own. */
const narrow = (format: FloatFormat): boolean => format.name !== float32.name;

export type OneWeight = ReturnType<typeof oneWeight>;

export function oneWeight(look: Look, place: Place, fate: Fate) {
  const { settings, twin } = look;
  const [own, other] = [weightStep(look, place), weightStep(twin, place)];
  const { layer, kind, shape: [, outputs] } = look.tensors[place.tensor]!;
  const layers = look.tensors.length / 2;
  const [input, unit] = [kind === "bias" ? -1 : Math.floor(place.index / outputs), place.index % outputs];
  const name = weightName(look, place);
  const tags = tagged(look, fate, place);
  const all = look.tensors.reduce((sum, tensor) => sum + tensor.shape[0] * tensor.shape[1], 0);
  const kept = keptFormat(settings);
  const { weightFormat, gradientFormat } = settings;
  const log2 = Math.log2(look.lossScale);
  const scale = Number.isInteger(log2) ? scaleText(log2) : brief(look.lossScale);
  const isLostOnTheWay = tags.backward === "lost";
  const station = (of: StationName, shown: Omit<Shown, "tag" | "titleOfAll" | "isAfter" | "isNarrow" | "hasBits" | "spoken"> & Partial<Shown>): Shown => ({
    titleOfAll: of === "kept" ? t(settings.masterWeights ? "step.ui.kept_all" : "step.ui.kept_alone_all") : shown.title, tag: tags[of] ?? "", isNarrow: narrow(shown.format), hasBits: true, isAfter: isLostOnTheWay && (of === "check" || of === "update") && fate !== "coasts",
    spoken: t("step.ui.spoken", { what: shown.title, format: shown.format.name, value: shown.figure }), ...shown,
  });

  // 2. The example whose part of the gradient is the largest.
  const examples = look.batch.length;
  const inputOf = (of: Look["pass"], row: number) => (input < 0 ? 1 : of.values[layer]![row * (of.values[layer]!.length / examples) + input]!);
  const errorOf = (of: Look["pass"], row: number) => of.errors[layer]![row * outputs + unit]!;
  let example = 0;
  const weightOf = (row: number) => Math.abs(inputOf(twin.pass, row) * errorOf(twin.pass, row));
  for (let row = 1; row < examples; row++) if (weightOf(row) > weightOf(example)) example = row;
  const forward = [look, twin].map(({ pass, read }) => ({
    product: read[place.tensor]![place.index]! * inputOf(pass, example),
    sum: pass.sums[layer]![example * outputs + unit]!,
    value: pass.values[layer + 1]![example * outputs + unit]!,
  }));
  const cost = Math.abs(own.read - own.kept) / Math.abs(own.kept);
  const isCopied = Object.is(own.read, own.kept);

  // 4. The errors at the outputs, of each example the largest, and those at the weight's own unit.
  const classes = look.pass.errors.at(-1)!.length / examples;
  const outputZones: Zone[] = Array.from({ length: examples }, (_, row) => {
    const truth = (j: number) => Math.abs(twin.pass.errors.at(-1)![row * classes + j]!);
    let largest = 0;
    for (let j = 1; j < classes; j++) if (truth(j) > truth(largest)) largest = j;
    return zoneOf(gradientFormat, look.pass.errors.at(-1)![row * classes + largest]!, truth(largest));
  });
  const unitZones: Zone[] = Array.from({ length: examples }, (_, row) => zoneOf(gradientFormat, errorOf(look.pass, row), errorOf(twin.pass, row)));
  const isLast = layer === layers - 1;
  const becameZero = own.gradient === 0 && other.gradient !== 0;

  const isPlain = settings.optimizer === "sgd";
  const { first, second } = own.before;
  const states = { first: brief(first), firstAfter: brief(own.after.first), second: brief(second), secondAfter: brief(own.after.second) };
  const state = settings.optimizer === "adam" ? [t("step.ui.state_first", states), t("step.ui.state_second", states)] : [isPlain ? "" : t("step.ui.state_momentum", states), ""];
  const change = bitsChanged(kept, own.kept, own.next);

  const shown: Record<StationName, Shown> = {
    kept: station("kept", {
      title: t(settings.masterWeights ? "step.ui.kept" : "step.ui.kept_alone"), format: kept, figure: weightText(own.kept, kept), aside: "", value: own.kept,
    }),
    copy: station("copy", {
      title: t("step.ui.copy"), format: weightFormat, figure: weightText(own.read, weightFormat), aside: "", value: own.read,
      spoken: t(isCopied ? "step.ui.spoken" : "step.ui.spoken_rounded", { what: t("step.ui.copy"), format: weightFormat.name, value: weightText(own.kept, kept), rounded: weightText(own.read, weightFormat) }),
    }),
    loss: station("loss", { title: t("step.ui.loss"), format: float32, figure: digits(look.loss, 5), aside: "", value: look.loss, hasBits: false }),
    backward: station("backward", {
      title: t("step.ui.backward"), format: gradientFormat, figure: digits(own.gradient, 5), value: own.gradient,
      aside: input < 0 ? t("step.ui.sum_bias") : t("step.ui.sum", { input: unitName(layer, input, layers + 1) }),
      spoken: t(narrow(gradientFormat) ? "step.ui.spoken_rounded" : "step.ui.spoken", { what: t("step.ui.gradient"), format: gradientFormat.name, value: brief(other.gradient * look.lossScale), rounded: digits(own.gradient, 5) }),
    }),
    check: station("check", look.skipped
      ? { title: t("step.ui.check"), format: float32, figure: notFiniteText(look), aside: "", value: null, hasBits: false }
      : { title: t("step.ui.check"), format: float32, figure: brief(own.unscaled), aside: t("step.ui.divided", { scale }), value: own.unscaled }),
    update: station("update", look.skipped
      ? { title: t("step.ui.update"), format: kept, figure: t("step.ui.left_out"), aside: "", value: null, hasBits: false }
      : { title: t("step.ui.update"), format: kept, figure: weightText(own.next, kept), aside: t("step.ui.new_weight"), value: own.next, before: own.kept }),
  };

  const lines = {
    kept: t("step.ui.kept_line", { name }),
    copy: !narrow(weightFormat) || isCopied ? t("step.ui.same_bits") : t("step.ui.cost", { cost: percent(cost) }),
    table: {
      heads: [input < 0 ? t("step.ui.bias_itself") : `× ${unitName(layer, input, layers + 1)} = ${digits(inputOf(look.pass, example), 4)}`, "Σ + b", isLast ? "" : settings.activation],
      rows: forward.map(({ product, sum, value }) => [product, sum, ...(isLast ? [] : [value])].map((number) => digits(number, 4))),
      note: t("step.ui.example", { number: example + 1, all: examples }),
    },
    ...lossLines(look),
    backward: {
      outputs: t("step.ui.errors_output", { count: examples }), outputZones,
      unit: isLast ? "" : t("step.ui.errors_unit", { unit: unitName(layer + 1, unit, layers + 1) }), unitZones: isLast ? [] : unitZones,
      twin: log2 === 0 ? t("step.ui.twin", { value: brief(other.gradient) }) : t("step.ui.twin_scaled", { value: brief(other.gradient * look.lossScale) }),
    },
    check: look.skipped
      ? [t("step.ui.among", { all }), t("step.ui.gate"), look.nextScale === look.lossScale ? "" : t("step.ui.next_scale", { scale, next: scaleText(Math.log2(look.nextScale)) })]
      : [t(look.notFinite ? "step.ui.unchecked" : "step.ui.all_finite", { all, count: look.notFinite }), t("step.ui.twin", { value: brief(other.unscaled) })],
    update: look.skipped
      ? [t("step.ui.stays"), t("step.ui.would_move", { value: brief(other.next - other.kept) })]
      : [
          isPlain ? t("step.ui.rule", { value: brief(0 - own.update), twin: brief(0 - other.update) }) : t("step.ui.rule_state", { value: brief(0 - own.update), twin: brief(0 - other.update) }),
          ...state,
          t("step.ui.bits_change", { bits: bitsText(change), value: weightText(other.next, float32) }),
        ],
  };

  const isStopped = look.skipped;
  const after = (isLost: boolean): WayIs => (isLost ? "lost" : "");
  const ways = {
    a12: { is: "" as WayIs, words: isCopied && kept === weightFormat ? t("step.ui.copied") : t("step.ui.rounded", { format: weightFormat.name }) },
    a2: { is: "" as WayIs, words: "" }, a3: { is: "" as WayIs, words: "" },
    a34: { is: after(becameZero), words: t(becameZero ? "step.ui.stays_zero" : "step.ui.exactly") },
    a45: { is: isStopped ? "closed" as WayIs : after(becameZero), words: !isStopped && becameZero ? "0" : "" },
    a5: { is: isStopped ? "none" as WayIs : after(tags.update === "lost" || (becameZero && own.next === own.kept)), words: tags.update === "lost" ? "=" : "" },
    back: isStopped && look.nextScale !== look.lossScale ? `S ${scale} → ${scaleText(Math.log2(look.nextScale))}` : "",
  };
  /** Without master weights: where the update led, and between which neighbours. Of an update of 0 there is nothing to draw. */
  const landed = !look.skipped && narrow(kept) && Number.isFinite(own.next) ? landing(look, place) : null;
  const road = landed && landed.exact !== own.kept ? { ...landed, from: own.kept, next: own.next, text: (value: number) => weightText(value, kept) } : null;
  return { shown, lines, ways, name, road };
}

/** The loss, and what it is multiplied by. */
export function lossLines({ twin, loss, settings, lossScale }: Look) {
  const log2 = Math.log2(lossScale);
  const weight = Math.log2(settings.lossWeight);
  return {
    loss: [
      t("step.ui.twin", { value: digits(twin.loss, 5) }),
      settings.lossWeight === 1 ? "" : t("step.ui.loss_weight", { weight: Number.isInteger(weight) ? scaleText(weight) : brief(settings.lossWeight) }),
      t("step.ui.times_scale", { scale: Number.isInteger(log2) ? scaleText(log2) : brief(lossScale), product: brief(loss * settings.lossWeight * lossScale) }),
      t("step.ui.loss_in_float32"),
    ],
  };
}

function bitsChanged(format: FloatFormat, before: number, after: number): number {
  let both = codeIn(format, before) ^ codeIn(format, after);
  let count = 0;
  for (; both > 0n; both >>= 1n) count += Number(both & 1n);
  return count;
}

const bitsText = (count: number): string => t(count === 0 ? "step.ui.bits_none" : count === 1 ? "step.ui.bits_one" : "step.ui.bits_some", { count });
