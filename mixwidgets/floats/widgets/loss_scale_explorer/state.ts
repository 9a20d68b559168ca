// What the page and the kernel share, what of it an address may set, and what follows from it, as signals that the parts
// of the page read.

import { batch, computed, signal, untracked } from "@preact/signals-core";
import { formats } from "#core/formats/catalogue.ts";
import type { FloatFormat } from "#core/formats/float_format.ts";
import { Answers, HIGHEST, LOWEST } from "#core/gradients/answers.ts";
import { byStep, type Kind, nearest, readSnapshots, type Snapshot } from "#core/gradients/snapshots.ts";
import type { GradientSummary } from "#core/gradients/summary.ts";
import { clamp } from "#core/range.ts";
import { listed, t } from "#ui/messages.ts";
import { type Domain, domain } from "#ui/ruler/geometry.ts";
import { kept, type View } from "#ui/view.ts";

export interface State {
  format: string;
  log2_loss_scale: number;
  step: number;
  binade: number | null;
  kind: Kind;
  tensor: string | null;
  title: string | null;
  compare: string[];
  _snapshots: DataView;
  _newest: number;
  _seen: number;
  _loss: DataView;
  _without_gradient: string[];
}

const MAX_BITS = 32; // gradients are cast to formats no wider than the master weights
/** The formats that gradients may be cast to, the narrowest first. */
export const choices = formats.filter(({ bits, signed }) => signed && bits <= MAX_BITS).sort((a, b) => a.bits - b.bits);

/** What the address of a saved page may ask for. */
export function accept(wanted: Pick<State, "format" | "log2_loss_scale" | "step">): typeof wanted | null {
  const { format, log2_loss_scale: log2, step } = wanted;
  const fits = log2 >= LOWEST && log2 <= HIGHEST && step >= 0 && step < 2 ** 32;
  return fits && choices.some(({ name }) => name === format) ? wanted : null;
}

const IN_HAND_MS = 400; // after a move: longer than the kernel's echo of an earlier move takes

interface Gradients {
  readonly snapshot: Snapshot;
  readonly kind: Kind;
  readonly summaries: readonly GradientSummary[];
}

/** In the place of gradients, before any have come; the page is hidden then. */
const NOTHING = { names: [], summaries: () => [] };
const NONE: Gradients = { snapshot: { step: 0, lossScale: NaN, loss: NaN, weights: NOTHING, outputs: NOTHING }, kind: "weights", summaries: [] };

export type Explored = ReturnType<typeof explore>;

export function explore(view: View<State>) {
  const [sent, step, wanted, log2] = [view.trait("_snapshots"), view.trait("step"), view.trait("format"), view.trait("log2_loss_scale")];
  const wantedKind = view.trait("kind");
  /** All that the page has, ascending by step. */
  const snapshots = signal<readonly Snapshot[]>([]);
  const damage = signal<unknown>(undefined);
  /** The step that the user looks at while its slider is held; null: it is not held. */
  const looked = signal<number | null>(null);

  function take(read: () => readonly Snapshot[]): void {
    try {
      snapshots.value = byStep(read());
      damage.value = undefined;
    } catch (fault) {
      damage.value = fault;
    }
  }
  view.effect(() => {
    const bytes = sent.value;
    untracked(() => take(() => readSnapshots(bytes)));
  });
  view.onMessage((message: { kind?: string; steps?: number[] }, buffers) => {
    if (message.kind !== "snapshots") return;
    take(() => [...snapshots.value, ...buffers.flatMap((bytes) => readSnapshots(bytes))].filter(({ step }) => message.steps?.includes(step)));
  });
  const newest = snapshots.value.at(-1)?.step ?? 0;
  if (newest !== view.model.get("_newest")) view.model.send({ kind: "snapshots", after: newest || -1 }); // came before this view

  const read = computed((): Gradients | Error | undefined => {
    const snapshot = nearest(snapshots.value, looked.value ?? step.value);
    if (!snapshot) return undefined;
    const kind = snapshot.outputs.names.length ? wantedKind.value : "weights";
    try {
      return { snapshot, kind, summaries: snapshot[kind].summaries() };
    } catch (fault) {
      return fault as Error;
    }
  });
  const gradients = kept(NONE, (last) => (read.value instanceof Error ? last : read.value ?? last));
  const chosen = computed(() => choices.find(({ name }) => name === wanted.value));
  const held = signal<FloatFormat | null>(null); // the format while one of its edges is held, ahead of the kernel's
  const format = kept<FloatFormat>(choices[0]!, (last) => held.value ?? chosen.value ?? last);
  /** What the ruler shows: it stays while an edge of the format is held. */
  const drawn = kept<Domain>(domain(format.value), (last) => (held.value ? last : domain(format.value)));
  /** What cannot be shown, and why; "" where all can. What was shown before stays. */
  const fault = computed(() => {
    const unread = damage.value ?? (read.value instanceof Error ? read.value : undefined);
    if (unread) return t("explorer.unreadable", { reason: String((unread as Error).message) });
    return chosen.value ? "" : t("explorer.unknown_format", { came: wanted.value, accepted: listed(choices.map(({ name }) => name)) });
  });
  /** The tensors' names: the same list until one of them changes. */
  const names = kept<readonly string[]>([], (last) => {
    const { snapshot, kind } = gradients.value;
    const { names } = snapshot[kind];
    return names.join("\n") === last.join("\n") ? last : names;
  });
  const all = computed(() => new Answers(gradients.value.summaries, format.value)); // of every tensor
  const tensor = view.trait("tensor"); // the one that everything is narrowed to; null: all together
  const shownNames = computed(() => (tensor.value === null ? names.value : [tensor.value]));
  /** What is shown: of every tensor, or of the one that it is narrowed to. */
  const answers = computed(() => {
    if (tensor.value === null) return all.value;
    const index = names.value.indexOf(tensor.value); // a snapshot may be without it
    return new Answers(all.value.summaries.slice(index, index + 1), format.value);
  });

  /** log2 of the loss scale that is drawn, which during a drag is ahead of the kernel's. */
  const scale = signal(log2.value);
  const settledScale = signal(log2.value);
  let moved = -Infinity;
  view.effect(() => {
    const to = log2.value;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A late echo from the kernel must not move the slider while it is dragged.
    const follow = () => {
      const wait = to === scale.peek() ? 0 : moved + IN_HAND_MS - performance.now();
      if (wait > 0) timer = setTimeout(follow, wait);
      else batch(() => (scale.value = settledScale.value = to));
    };
    follow();
    return () => clearTimeout(timer);
  });
  const now = computed(() => ({ names: names.value, all: all.value, answers: answers.value }));
  const atRest = kept(now.value, (last) => ((looked.value === null && held.value === null) || now.value.names !== last.names ? now.value : last));

  return {
    view, fault, snapshots, looked, names, all, tensor, answers, shownNames, scale, drawn,
    snapshot: computed(() => gradients.value.snapshot),
    isEmpty: computed(() => gradients.value === NONE),
    kind: computed(() => gradients.value.kind),
    narrow: (to: string | null) => view.send("tensor", to),
    /** Show the gradients of another kind, all tensors together: theirs have other names. */
    turnTo(kind: Kind) {
      view.set({ kind, tensor: null });
      view.model.save_changes();
    },
    /** Draw another scale; beyond the range its end. */
    move(log2: number) {
      moved = performance.now();
      scale.value = clamp(log2, LOWEST, HIGHEST);
    },
    /** Tell the kernel of the scale that is drawn. */
    commit: () => view.send("log2_loss_scale", scale.value),
    /** Draw in another format. */
    explore: (to: FloatFormat) => void (held.value = to),
    /** Tell the kernel of the format that is drawn. */
    commitFormat() {
      view.send("format", format.value.name);
      held.value = null;
    },
    /** As of the last moment at which no slider and no edge was held. What is spoken, and the order of the rows, follow this,
     * because they would be restless during a drag. */
    settled: computed(() => ({ all: atRest.value.all, answers: atRest.value.answers, log2: settledScale.value })),
  };
}
