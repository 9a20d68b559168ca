// The lab's traits, checked, as signals: what is shown, and what an edit changes. Elements being edited are kept apart from
// those that the model has saved.

import { batch, computed, signal } from "@preact/signals-core";
import { type BlockFormat, getBlockFormat } from "#core/blocks/catalogue.ts";
import type { ScaleRule } from "#core/blocks/scale_rules.ts";
import { kept, type View } from "#ui/view.ts";
import { kinOf, outcome, rotatedRows } from "./outcome.ts";

export interface Traits {
  format: string;
  scale_rule: string;
  hadamard: boolean;
  /** The codes of finite float32 elements, row by row, eight hex digits each. */
  _codes: string;
}

export interface Lab {
  readonly format: BlockFormat;
  readonly rule: ScaleRule;
  /** Whether the chosen row is shown rotated too. */
  readonly hadamard: boolean;
  readonly values: Float32Array;
  /** How many elements are in a row. */
  readonly columns: number;
}

/** The columns of a matrix of so many elements; of 16 and 32, one row. */
const COLUMNS: Readonly<Record<number, number>> = { 16: 16, 32: 32, 256: 16, 512: 32 };

/** The lab that the traits describe; null if they are invalid. */
export function readLab({ format, scale_rule, hadamard, _codes }: Traits): Lab | null {
  const known = getBlockFormat(format);
  const rule = known?.scaleRules.find((name) => name === scale_rule);
  const columns = COLUMNS[_codes.length / 8];
  if (!known || !rule || !columns || typeof hadamard !== "boolean" || !/^[0-9a-f]*$/i.test(_codes)) return null;
  if (hadamard && is2d(known)) return null;
  const values = decoded(_codes.match(/.{8}/g)!);
  return values.every(Number.isFinite) ? { format: known, rule, hadamard, values, columns } : null;
}

export const is2d = ({ block: [rows] }: BlockFormat): boolean => rows > 1;

export function codesOf(values: Float32Array): string {
  return Array.from(new Uint32Array(values.slice().buffer), (code) => code.toString(16).padStart(8, "0")).join("");
}

/** The float32 numbers with these codes, in hex. */
export function decoded(codes: readonly string[]): Float32Array {
  return new Float32Array(Uint32Array.from(codes, (code) => Number.parseInt(code, 16)).buffer);
}

export type EditableLab = ReturnType<typeof editable>;
export type Shown = NonNullable<EditableLab["shown"]["value"]>;

export function editable(view: View<Traits>) {
  const [format, rule, hadamard, codes] = [view.trait("format"), view.trait("scale_rule"), view.trait("hadamard"), view.trait("_codes")];
  const read = computed(() => readLab({ format: format.value, scale_rule: rule.value, hadamard: hadamard.value, _codes: codes.value }));
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
  /** The elements as last set from outside, not by an edit. */
  const startValues = computed(() => start.value.values);
  const chosen = signal<{ of: Float32Array; index: number } | null>(null);
  /** Index of the element that is edited by keys and in the text field. */
  const active = computed(() => {
    if (chosen.value?.of === startValues.value) return chosen.value.index;
    return startValues.value.reduce((most, x, i, all) => (Math.abs(x) > Math.abs(all[most]!) ? i : most), 0);
  });
  const result = computed(() => lab.value && outcome(lab.value));
  const rotated = computed(() => (lab.value?.hadamard ? outcome({ ...lab.value, values: rotatedRows(lab.value) }) : null));
  /** What is shown, edits included. If the traits are invalid, the last valid lab; null before the first. */
  const shown = computed(() => {
    if (!lab.value) return null;
    const row = Math.floor(active.value / lab.value.columns);
    return { lab: lab.value, outcome: result.value!, rotated: rotated.value, active: active.value, row };
  });
  const isEdited = computed(() => edit.value?.of === savedCodes.value && codesOf(edit.value.values) !== savedCodes.value);
  view.effect(() => void startValues.value); // `kept` compares with the last value, so evaluate it at each change

  const choose = (index: number) => (chosen.value = { of: startValues.value, index });
  const put = (values: Float32Array) => (edit.value = { of: savedCodes.value, values });
  /** Save the elements. */
  const commit = () => void (lab.value && view.send("_codes", codesOf(lab.value.values)));
  return {
    view, shown, choose, commit,
    /** Send a format, with its default rule unless it has the chosen one too; blocks in two dimensions are not rotated. */
    chooseFormat(name: string) {
      const chosen = getBlockFormat(name)!;
      const scale_rule = chosen.scaleRules.find((known) => known === rule.peek()) ?? chosen.scaleRules[0];
      view.set({ format: name, scale_rule, hadamard: hadamard.peek() && !is2d(chosen) });
      view.model.save_changes();
    },
    isReadable: computed(() => read.value !== null),
    /** What was shown when no edit was under way. */
    atRest: kept<typeof shown.value>(null, (last) => (isEdited.value ? last : shown.value)),
    /** What the elements become in the other formats that differ only in their blocks. */
    kin: computed(() => (lab.value ? kinOf(lab.value.format).map((other) => outcome(inFormat(lab.value!, other))) : [])),
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

/** The lab in another format, by the same rule if the format has it. */
export function inFormat(lab: Lab, format: BlockFormat): Lab {
  return { ...lab, format, rule: format.scaleRules.find((known) => known === lab.rule) ?? format.scaleRules[0] };
}
