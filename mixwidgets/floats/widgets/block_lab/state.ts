// The lab: its traits, checked; what quantising makes of its elements; and both as signals. Elements being edited are kept
// apart from those that the model has saved.

import { batch, computed, signal } from "@preact/signals-core";
import { type BlockFormat, getBlockFormat } from "#core/blocks/catalogue.ts";
import { quantize } from "#core/blocks/quantize.ts";
import type { ScaleRule } from "#core/blocks/scale_rules.ts";
import { toNumber } from "#core/formats/rational.ts";
import { kept, type View } from "#ui/view.ts";

export interface Traits {
  format: string;
  scale_rule: string;
  /** The codes of 16 or 32 finite float32 elements, eight hex digits each. */
  _codes: string;
}

export interface Lab {
  readonly format: BlockFormat;
  readonly rule: ScaleRule;
  readonly values: Float32Array;
}

/** The lab that the traits describe; null if they are invalid. */
export function readLab({ format, scale_rule, _codes }: Traits): Lab | null {
  const known = getBlockFormat(format);
  const rule = known?.scaleRules.find((name) => name === scale_rule);
  if (!known || !rule || known.block[0] > 1 || !/^(?:[0-9a-f]{128}){1,2}$/i.test(_codes)) return null;
  const values = decoded(_codes.match(/.{8}/g)!);
  return values.every(Number.isFinite) ? { format: known, rule, values } : null;
}

export function codesOf(values: Float32Array): string {
  return Array.from(new Uint32Array(values.slice().buffer), (code) => code.toString(16).padStart(8, "0")).join("");
}

/** The float32 numbers with these codes, in hex. */
export function decoded(codes: readonly string[]): Float32Array {
  return new Float32Array(Uint32Array.from(codes, (code) => Number.parseInt(code, 16)).buffer);
}

/** "zero": it was 0. "lost": it became 0. "clipped": saturation changed it, because it rounds past the largest element × the
 * scale, as BlockRecord.clipped counts in Python. */
type Kind = "zero" | "lost" | "clipped" | "rounded";

export type Outcome = ReturnType<typeof outcome>;
export type Element = Outcome["elements"][number];
export type Block = Outcome["blocks"][number];

/** The result of quantising, for each element and each block, as the page describes it. */
export function outcome({ format, rule, values }: Lab) {
  const quantized = quantize(format, values, rule);
  const { overflowThreshold, overflowTieStays } = format.element;
  const clips = toNumber(overflowThreshold);
  const blocks = quantized.blocks.map((members, index) => {
    const setter = members.reduce((most, member) => (Math.abs(values[member]!) > Math.abs(values[most]!) ? member : most));
    const scale = quantized.scales[index]!;
    return {
      /** The indexes of its elements. */
      members,
      /** Index of the element of the largest magnitude, which sets the scale; null if all are 0. */
      setter: values[setter] === 0 ? null : setter,
      scale,
      scaleCode: quantized.scaleCodes[index]!,
      /** The factor from stored elements to values: scale × tensor scale. */
      unit: scale * (quantized.tensorScale ?? 1),
    };
  });
  const unitOf = new Map(blocks.flatMap(({ members, unit }) => members.map((member) => [member, unit] as const)));
  const elements = Array.from(values, (value, index) => {
    const result = quantized.dequantized[index]!;
    const error = result - value;
    const limit = clips * unitOf.get(index)!;
    const isPast = Math.abs(value) > limit || (Math.abs(value) === limit && !overflowTieStays);
    const kind: Kind = value === 0 ? "zero" : result === 0 ? "lost" : isPast ? "clipped" : "rounded";
    return { value, result, code: quantized.codes[index]!, kind, error, relative: value === 0 ? 0 : Math.abs(error / value) };
  });
  const norm = Math.hypot(...values);
  return {
    elements,
    blocks,
    tensorScale: quantized.tensorScale,
    scalesByPowersOfTwo: format.scalesByPowersOfTwo,
    /** ‖error‖ / ‖values‖ over all elements; 0 if all are 0. */
    relative: norm === 0 ? 0 : Math.hypot(...elements.map(({ error }) => error)) / norm,
    lost: elements.filter(({ kind }) => kind === "lost").length,
    /** The largest value of the element format. */
    largest: toNumber(format.element.max),
  };
}

export type EditableLab = ReturnType<typeof editable>;

export function editable(view: View<Traits>) {
  const [format, rule, codes] = [view.trait("format"), view.trait("scale_rule"), view.trait("_codes")];
  const read = computed(() => readLab({ format: format.value, scale_rule: rule.value, _codes: codes.value }));
  const saved = kept<Lab | null>(null, (last) => read.value ?? last);
  const savedCodes = computed(() => (saved.value ? codesOf(saved.value.values) : ""));
  const edit = signal<{ of: string; values: Float32Array } | null>(null); // valid while the saved codes are `of`
  const lab = computed(() => {
    if (!saved.value) return null;
    return edit.value?.of === savedCodes.value ? { ...saved.value, values: edit.value.values } : saved.value;
  });
  const start = kept({ codes: "", values: new Float32Array() as Float32Array }, (last) => {
    const now = savedCodes.value;
    const isOwn = edit.peek()?.of === last.codes && codesOf(edit.peek()!.values) === now;
    return { codes: now, values: isOwn ? last.values : (saved.peek()?.values ?? last.values) };
  });
  /** The elements as last set from outside, not by an edit. They determine the axis. */
  const startValues = computed(() => start.value.values);
  const chosen = signal<{ of: Float32Array; index: number } | null>(null);
  /** Index of the element that is edited by keys and in the text field. */
  const active = computed(() => {
    if (chosen.value?.of === startValues.value) return chosen.value.index;
    return startValues.value.reduce((most, x, i, all) => (Math.abs(x) > Math.abs(all[most]!) ? i : most), 0);
  });
  const result = computed(() => lab.value && outcome(lab.value));
  /** What is shown, edits included. If the traits are invalid, the last valid lab; null before the first. */
  const shown = computed(() => lab.value && { lab: lab.value, outcome: result.value!, active: active.value });
  const isEdited = computed(() => edit.value?.of === savedCodes.value && codesOf(edit.value.values) !== savedCodes.value);
  view.effect(() => void startValues.value); // `kept` compares with the last value, so evaluate it at each change

  const choose = (index: number) => (chosen.value = { of: startValues.value, index });
  const put = (values: Float32Array) => (edit.value = { of: savedCodes.value, values });
  /** Save the elements. */
  const commit = () => void (lab.value && view.send("_codes", codesOf(lab.value.values)));
  return {
    view, shown, start: startValues, choose, commit,
    /** Send a format, with its default rule unless it has the chosen one too. */
    chooseFormat(name: string) {
      const { scaleRules } = getBlockFormat(name)!;
      view.set({ format: name, scale_rule: scaleRules.find((known) => known === rule.peek()) ?? scaleRules[0] });
      view.model.save_changes();
    },
    isReadable: computed(() => read.value !== null),
    /** What was shown when no edit was under way. */
    atRest: kept<typeof shown.value>(null, (last) => (isEdited.value ? last : shown.value)),
    /** Change an element without saving. */
    change: (index: number, value: number) => batch(() => {
      choose(index);
      if (lab.value) put(lab.value.values.with(index, value));
    }),
    reset() {
      put(startValues.value);
      commit();
    },
  };
}
