// The lab's traits, what they mean, and the elements while they are edited.

import { batch, computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { type BlockFormat, getBlockFormat } from "#core/blocks/catalogue.ts";
import { SCALE_RULES, type ScaleRule } from "#core/blocks/scale_rules.ts";
import { kept, type View } from "#ui/view.ts";
import { outcome, type Outcome } from "./outcome.ts";

export interface Traits {
  format: string;
  scale_rule: string;
  /** Of 16 or 32 finite float32 elements, eight hex digits each. */
  _codes: string;
}

export interface Lab {
  readonly format: BlockFormat;
  readonly rule: ScaleRule;
  readonly values: Float32Array;
}

export interface Shown {
  readonly lab: Lab;
  readonly found: Outcome;
  /** Index of the element that keys and the text field change. */
  readonly active: number;
}

export interface EditableLab {
  readonly view: View<Traits>;
  /** Null until the model holds a lab; of traits that mean none the last lab stays. */
  readonly shown: ReadonlySignal<Shown | null>;
  readonly isReadable: ReadonlySignal<boolean>;
  /** The elements as they came from outside, for which the axis is made. */
  readonly start: ReadonlySignal<Float32Array>;
  /** The last lab that was not in the middle of an edit. */
  readonly atRest: ReadonlySignal<Shown | null>;
  choose(index: number): void;
  /** While an element changes. */
  change(index: number, value: number): void;
  /** Save the elements. */
  commit(): void;
  reset(): void;
}

export function editable(view: View<Traits>): EditableLab {
  const [format, rule, codes] = [view.trait("format"), view.trait("scale_rule"), view.trait("_codes")];
  const read = computed(() => readLab({ format: format.value, scale_rule: rule.value, _codes: codes.value }));
  const saved = kept<Lab | null>(null, (last) => read.value ?? last);
  const savedCodes = computed(() => (saved.value ? codesOf(saved.value.values) : ""));
  const edit = signal<{ of: string; values: Float32Array } | null>(null); // of saved elements, whose codes are `of`
  const lab = computed(() => {
    if (!saved.value) return null;
    return edit.value?.of === savedCodes.value ? { ...saved.value, values: edit.value.values } : saved.value;
  });
  const start = kept({ codes: "", values: new Float32Array() as Float32Array }, (last) => {
    const now = savedCodes.value;
    const isOwn = edit.peek()?.of === last.codes && codesOf(edit.peek()!.values) === now;
    return { codes: now, values: isOwn ? last.values : (saved.peek()?.values ?? last.values) };
  });
  const startValues = computed(() => start.value.values);
  const chosen = signal<{ of: Float32Array; index: number } | null>(null);
  const active = computed(() => {
    if (chosen.value?.of === startValues.value) return chosen.value.index;
    return startValues.value.reduce((most, x, i, all) => (Math.abs(x) > Math.abs(all[most]!) ? i : most), 0);
  });
  const found = computed(() => lab.value && outcome(lab.value));
  const shown = computed(() => lab.value && { lab: lab.value, found: found.value!, active: active.value });
  const isEdited = computed(() => edit.value?.of === savedCodes.value && codesOf(edit.value.values) !== savedCodes.value);
  view.effect(() => void startValues.value); // evaluated at each change, to compare it with the last

  const choose = (index: number) => (chosen.value = { of: startValues.value, index });
  const put = (values: Float32Array) => (edit.value = { of: savedCodes.value, values });
  const commit = () => void (lab.value && view.send("_codes", codesOf(lab.value.values)));
  return {
    view, shown, isReadable: computed(() => read.value !== null), start: startValues,
    atRest: kept<Shown | null>(null, (last) => (isEdited.value ? last : shown.value)),
    choose,
    change: (index, value) => batch(() => {
      choose(index);
      if (lab.value) put(lab.value.values.with(index, value));
    }),
    commit,
    reset() {
      put(startValues.value);
      commit();
    },
  };
}

/** What the traits mean; null for traits that are none of a lab. */
export function readLab({ format, scale_rule, _codes }: Traits): Lab | null {
  const known = getBlockFormat(format);
  const rule = SCALE_RULES.find((one) => one === scale_rule);
  if (!known || !rule || !/^(?:[0-9a-f]{128}){1,2}$/i.test(_codes)) return null;
  const values = Float32Array.from({ length: _codes.length / 8 }, (_, i) => decoded(_codes.slice(8 * i, 8 * i + 8)));
  return values.every(Number.isFinite) ? { format: known, rule, values } : null;
}

export function codesOf(values: Float32Array): string {
  const view = new DataView(new ArrayBuffer(4));
  return Array.from(values, (x) => {
    view.setFloat32(0, x);
    return view.getUint32(0).toString(16).padStart(8, "0");
  }).join("");
}

/** The float32 number with this code, of eight hex digits. */
export function decoded(code: string): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, Number.parseInt(code, 16));
  return view.getFloat32(0);
}
