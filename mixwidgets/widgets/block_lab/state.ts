// The lab's elements while they are edited, as signals.

import { batch, computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { kept, type View } from "#ui/view.ts";
import { codesOf, readLab, type Lab, type Traits } from "./lab.ts";
import { outcome, type Outcome } from "./outcome.ts";

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
