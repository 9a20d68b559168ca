// What the kernel is told of the chosen weight: a frame that stations.py reads.

import { float32 } from "#core/formats/catalogue.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { writeFrame } from "#core/frame.ts";
import { type Look, type Place, weightStep } from "#training/look.ts";
import { keptFormat } from "#training/settings.ts";

/** The stations in the order of the page's numbers, with what float32 has there. */
export function results(look: Look, place: Place): DataView {
  const { settings, twin } = look;
  const { optimizer, weightFormat, gradientFormat, optimizerFormat } = settings;
  const [own, other] = [weightStep(look, place), weightStep(twin, place)];
  const kept = keptFormat(settings);
  const state: [string, FloatFormat, number, number][] =
    optimizer === "sgd" ? []
    : optimizer === "momentum" ? [["momentum", optimizerFormat, own.after.first, other.after.first]]
    : [["first moment", optimizerFormat, own.after.first, other.after.first], ["second moment", optimizerFormat, own.after.second, other.after.second]];
  const rows: [string, FloatFormat, number, number][] = [
    ["weight", kept, own.kept, other.kept],
    ["copy", weightFormat, own.read, other.read],
    ["loss", float32, look.loss, twin.loss],
    ["gradient", gradientFormat, own.gradient, other.gradient * look.lossScale],
    ["gradient ÷ S", float32, own.unscaled, other.unscaled],
    ...state,
    ["update", float32, own.update, other.update],
    ["new weight", kept, own.next, other.next],
  ];
  const head = { stations: rows.map(([name]) => name), formats: rows.map(([, format]) => format.name) };
  return writeFrame({ rows: { values: Float64Array.from(rows.flatMap(([, , value, float32]) => [value, float32])), shape: [rows.length, 2] } }, head);
}
