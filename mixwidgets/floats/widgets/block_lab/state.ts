// The state of the lab, as signals. Elements being edited are kept apart from the saved ones of the model.

import { batch, computed, signal } from "@preact/signals-core";
import { kept, type View } from "#ui/view.ts";
import { codesOf, readLab, type Lab, type Traits } from "./lab.ts";
import { outcome } from "./outcome.ts";

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
  const found = computed(() => lab.value && outcome(lab.value));
  /** What is shown, edits included. If the traits are invalid, the last valid lab; null before the first. */
  const shown = computed(() => lab.value && { lab: lab.value, found: found.value!, active: active.value });
  const isEdited = computed(() => edit.value?.of === savedCodes.value && codesOf(edit.value.values) !== savedCodes.value);
  view.effect(() => void startValues.value); // `kept` compares with the last value, so evaluate it at each change

  const choose = (index: number) => (chosen.value = { of: startValues.value, index });
  const put = (values: Float32Array) => (edit.value = { of: savedCodes.value, values });
  /** Save the elements. */
  const commit = () => void (lab.value && view.send("_codes", codesOf(lab.value.values)));
  return {
    view, shown, start: startValues, choose, commit,
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
