// The two networks: one in float32, one as chosen, of the same seed and on the same batches.

import { batch, computed, signal } from "@preact/signals-core";
import { float32 } from "#core/formats/catalogue.ts";
import { noLossScale } from "#training/settings.ts";
import { Trainer } from "#training/trainer.ts";
import type { DigitRows, Settings, StepReport } from "#training/types.ts";
import { History } from "./history.ts";

export type Session = ReturnType<typeof startSession>;

export function startSession(first: Settings, digits: DigitRows) {
  const [reference, chosen] = [new Trainer(inFloat32(first), digits), new Trainer(first, digits)];
  const history = new History();
  const settings = signal(first); // that train
  /** Counts what may have changed the networks: who draws them reads it. */
  const look = signal(0);
  let last: StepReport | undefined;
  let stepped = first; // the settings of the last step

  /** Tell those who draw that there is something new. */
  const show = () => void look.value++;
  const begin = () => {
    history.clear();
    last = undefined;
  };
  return {
    reference, chosen, history, settings, look, show,
    /** What the chosen network's last step did; undefined before the first. */
    report: computed(() => (look.value, last)),
    /** Whether the settings have changed since that step. */
    isChanged: computed(() => (look.value, last !== undefined && stepped !== settings.value)),
    /** Go on with other settings. */
    apply(wanted: Settings) {
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
    /** Set a weight of the chosen network; the next step reads it. */
    setWeight(...which: Parameters<Trainer["setWeight"]>) {
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
  return {
    ...settings, weightFormat: float32, activationFormat: float32, gradientFormat: float32, optimizerFormat: float32,
    masterWeights: true, accumulation: "float32", weightRounding: "nearest", lossScale: noLossScale,
  };
}
