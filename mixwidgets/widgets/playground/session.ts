// The two networks: one in float32, one as chosen, of the same seed and on the same batches.

import { batch, computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { getFormat } from "#core/formats/catalogue.ts";
import { noLossScale } from "#training/settings.ts";
import { Trainer } from "#training/trainer.ts";
import type { DigitRows, Settings, StepReport } from "#training/types.ts";
import { History } from "./history.ts";

export interface Session {
  readonly reference: Trainer;
  readonly chosen: Trainer;
  readonly history: History;
  /** The settings that train. */
  readonly settings: ReadonlySignal<Settings>;
  /** Counts what may have changed the networks: who draws them reads it. */
  readonly look: ReadonlySignal<number>;
  /** What the chosen network's last step did; undefined before the first. */
  readonly report: ReadonlySignal<StepReport | undefined>;
  /** Whether the settings have changed since that step. */
  readonly isChanged: ReadonlySignal<boolean>;
  /** Go on with other settings. */
  apply(settings: Settings): void;
  step(): void;
  /** Set a weight of the chosen network; the next step reads it. */
  setWeight(...which: Parameters<Trainer["setWeight"]>): void;
  /** Tell those who draw that there is something new. */
  show(): void;
  reset(): void;
}

export function startSession(first: Settings, digits: DigitRows): Session {
  const [reference, chosen] = [new Trainer(inFloat32(first), digits), new Trainer(first, digits)];
  const history = new History();
  const settings = signal(first);
  const look = signal(0);
  let last: StepReport | undefined;
  let stepped = first; // the settings of the last step

  const show = () => void look.value++;
  const begin = () => {
    history.clear();
    last = undefined;
  };
  return {
    reference, chosen, history, settings, look, show,
    report: computed(() => (look.value, last)),
    isChanged: computed(() => (look.value, last !== undefined && stepped !== settings.value)),
    apply(wanted) {
      reference.change(inFloat32(wanted));
      chosen.change(wanted);
      if (chosen.steps === 0) begin();
      batch(() => {
        settings.value = wanted;
        show();
      });
    },
    step() {
      const { loss } = reference.step();
      last = chosen.step();
      stepped = chosen.settings;
      history.add({ step: last.step, reference: loss, loss: last.loss, lossScale: last.lossScale, skipped: Number(last.skipped) });
    },
    setWeight(...which) {
      chosen.setWeight(...which);
      show();
    },
    reset() {
      reference.reset();
      chosen.reset();
      begin();
      show();
    },
  };
}

/** The same run in float32 alone. Without a scale: a power of two would change no bit of it. */
function inFloat32(settings: Settings): Settings {
  const float32 = getFormat("float32")!;
  return {
    ...settings, weightFormat: float32, activationFormat: float32, gradientFormat: float32, optimizerFormat: float32,
    masterWeights: true, accumulation: "float32", weightRounding: "nearest", lossScale: noLossScale,
  };
}
